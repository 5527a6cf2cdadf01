// The program's own malloc goes before libc's for every library it loads; glibc's stays reachable under another name.
#include "tests/bench/allocation_count.h"

#include <cerrno>
#include <atomic>
#include <cstddef>

extern "C" {
void* __libc_malloc(size_t size);
void* __libc_calloc(size_t count, size_t size);
void* __libc_realloc(void* memory, size_t size);
void* __libc_memalign(size_t alignment, size_t size);
}

namespace tidemark::bench {
namespace {

std::atomic<uint64_t> allocations{0};

[[maybe_unused]] void Count() { allocations.fetch_add(1, std::memory_order_relaxed); }

}  // namespace

uint64_t Allocations() { return allocations.load(std::memory_order_relaxed); }

}  // namespace tidemark::bench

#ifndef TIDEMARK_SANITIZED  // a sanitizer has a malloc of its own: nothing is counted then
extern "C" {

void* malloc(size_t size) {
  tidemark::bench::Count();
  return __libc_malloc(size);
}

void* calloc(size_t count, size_t size) {
  tidemark::bench::Count();
  return __libc_calloc(count, size);
}

void* realloc(void* memory, size_t size) {
  tidemark::bench::Count();
  return __libc_realloc(memory, size);
}

void* aligned_alloc(size_t alignment, size_t size) {
  tidemark::bench::Count();
  return __libc_memalign(alignment, size);
}

int posix_memalign(void** memory, size_t alignment, size_t size) {
  tidemark::bench::Count();
  *memory = __libc_memalign(alignment, size);
  return *memory == nullptr ? ENOMEM : 0;
}

}
#endif
