#ifndef TIDEMARK_COMMON_OVERLOADED_H_
#define TIDEMARK_COMMON_OVERLOADED_H_

namespace tidemark {

// A visitor for std::visit made of one lambda an alternative.
template <typename... F>
struct Overloaded : F... {
  using F::operator()...;
};
template <typename... F>
Overloaded(F...) -> Overloaded<F...>;

}  // namespace tidemark

#endif  // TIDEMARK_COMMON_OVERLOADED_H_
