# One function for each kind of target, and the layering rule of ARCHITECTURE.md:
#   proto(0) < common(1) < core(2) < endpoint, report(3) < I/O(4) < programs(5)
# A target links only to its own layer or to the left of it, and the agent and the coordinator
# never link each other; both rules stop the configure step, naming the pair.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

add_library(tidemark_options INTERFACE)
target_compile_options(tidemark_options INTERFACE -Wall -Wextra)
if(TIDEMARK_WERROR)
  target_compile_options(tidemark_options INTERFACE -Werror)
endif()
if(CMAKE_CXX_COMPILER_ID MATCHES Clang)
  target_compile_options(tidemark_options INTERFACE -Wthread-safety)
elseif(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  # ccache hashes the preprocessed source of a precompiled header only with this.
  target_compile_options(tidemark_options INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-fpch-preprocess>)
  # gcc 12 and 14 give false reports on std::variant and std::optional, each others; clang and the
  # sanitizers look for what is really uninitialized.
  target_compile_options(tidemark_options INTERFACE -Wno-maybe-uninitialized)
endif()
if(TIDEMARK_SANITIZE STREQUAL "address")
  set(_tidemark_sanitize -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer -g1)
elseif(TIDEMARK_SANITIZE STREQUAL "thread")
  set(_tidemark_sanitize -fsanitize=thread -g1)
elseif(TIDEMARK_SANITIZE STREQUAL "fuzzer")
  set(_tidemark_sanitize -fsanitize=fuzzer-no-link,address,undefined -g1)
endif()
target_compile_options(tidemark_options INTERFACE ${_tidemark_sanitize})
target_link_options(tidemark_options INTERFACE ${_tidemark_sanitize})
target_include_directories(tidemark_options INTERFACE ${PROJECT_SOURCE_DIR})
target_link_libraries(tidemark_options INTERFACE Threads::Threads)

define_property(TARGET PROPERTY TIDEMARK_LAYER BRIEF_DOCS "Layer number" FULL_DOCS "See tidemark.cmake")

function(_tidemark_layer folder out)
  if(folder MATCHES "^proto")
    set(layer 0)
  elseif(folder MATCHES "^common")
    set(layer 1)
  elseif(folder MATCHES "^(agent/(core|workload|decode)|coordinator/core)")
    set(layer 2)
  elseif(folder MATCHES "^(agent/endpoint|coordinator/report)")
    set(layer 3)
  elseif(folder MATCHES "^(agent|coordinator|client|simulator)")
    set(layer 4)
  else()
    set(layer 5)
  endif()
  set(${out} ${layer} PARENT_SCOPE)
endfunction()

# Links `target` (in the current folder) to `deps` after checking the layering rule.
function(_tidemark_link target)
  file(RELATIVE_PATH folder ${PROJECT_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR})
  _tidemark_layer(${folder} layer)
  set_target_properties(${target} PROPERTIES TIDEMARK_LAYER ${layer} TIDEMARK_FOLDER ${folder})
  foreach(dep IN LISTS ARGN)
    if(TARGET ${dep})
      get_target_property(dep_layer ${dep} TIDEMARK_LAYER)
      get_target_property(dep_folder ${dep} TIDEMARK_FOLDER)
      if(NOT dep_layer STREQUAL "dep_layer-NOTFOUND" AND layer LESS 5)
        if(dep_layer GREATER layer)
          message(FATAL_ERROR "${target} (${folder}, layer ${layer}) may not link ${dep} (${dep_folder}, layer ${dep_layer})")
        endif()
        if((folder MATCHES "^agent" AND dep_folder MATCHES "^(coordinator|simulator)") OR
           (folder MATCHES "^coordinator" AND dep_folder MATCHES "^(agent|simulator)") OR
           (folder MATCHES "^simulator" AND dep_folder MATCHES "^(agent|coordinator)"))
          message(FATAL_ERROR "${target} (${folder}) may not link ${dep} (${dep_folder})")
        endif()
      endif()
    endif()
  endforeach()
  target_link_libraries(${target} PUBLIC tidemark_options ${ARGN})
endfunction()

# Tests are compiled with less optimization than what they test: it is two thirds of the time that a test's
# file takes, and their own code is not what runs long.
set(_tidemark_test_options)
if(CMAKE_BUILD_TYPE STREQUAL "Release")
  set(_tidemark_test_options -O1)
endif()

# Precompiled headers: the standard's, Abseil's and protobuf's for everything, GoogleTest's on top for tests. They
# may hide a missing include, so ./dev clang builds without.
option(TIDEMARK_PCH "Precompile the headers that nearly every file includes" ON)
if(TIDEMARK_PCH)
  file(WRITE ${CMAKE_BINARY_DIR}/empty.cc "")
  set(_tidemark_headers <algorithm> <cstdint> <functional> <map> <memory> <optional> <string> <variant> <vector>
    <absl/status/statusor.h> <absl/strings/str_cat.h> <google/protobuf/map_field_inl.h>
    <google/protobuf/generated_message_reflection.h> <google/protobuf/generated_enum_reflection.h>)
  add_library(tidemark_pch STATIC ${CMAKE_BINARY_DIR}/empty.cc)
  target_link_libraries(tidemark_pch PUBLIC tidemark_options absl::statusor absl::strings protobuf::libprotobuf)
  target_precompile_headers(tidemark_pch PRIVATE ${_tidemark_headers})
  if(TIDEMARK_TESTS)
    add_library(tidemark_test_pch STATIC ${CMAKE_BINARY_DIR}/empty.cc)
    target_link_libraries(tidemark_test_pch PUBLIC tidemark_options absl::statusor absl::strings protobuf::libprotobuf
      GTest::gmock GTest::gtest)
    target_compile_options(tidemark_test_pch PRIVATE ${_tidemark_test_options})
    target_precompile_headers(tidemark_test_pch PRIVATE ${_tidemark_headers} <gmock/gmock.h> <gtest/gtest.h>)
  endif()
endif()

function(_tidemark_reuse_pch target from)
  if(TIDEMARK_PCH)
    target_precompile_headers(${target} REUSE_FROM ${from})
  endif()
endfunction()

# tidemark_library(NAME SOURCES a.cc … HEADERS a.h … DEPS t …): a static library.
function(tidemark_library name)
  cmake_parse_arguments(arg "" "" "SOURCES;HEADERS;DEPS" ${ARGN})
  if(arg_SOURCES)
    add_library(${name} STATIC ${arg_SOURCES} ${arg_HEADERS})
  else()
    message(FATAL_ERROR "tidemark_library(${name}) has no SOURCES")
  endif()
  _tidemark_link(${name} ${arg_DEPS})
  _tidemark_reuse_pch(${name} tidemark_pch)
endfunction()

# tidemark_program(NAME SOURCES … DEPS …): an executable in build/bin.
function(tidemark_program name)
  cmake_parse_arguments(arg "" "" "SOURCES;DEPS" ${ARGN})
  add_executable(${name} ${arg_SOURCES})
  _tidemark_link(${name} ${arg_DEPS})
  _tidemark_reuse_pch(${name} tidemark_pch)
endfunction()

# Every test labelled "tsan": what ./dev tsan builds. Nothing there links gRPC, whose 1.51 gives false
# reports under TSan.
add_custom_target(tsan_tests)

# tidemark_test(NAME SOURCES … DEPS … [LABELS …] [TIMEOUT s] [SERIAL] [PATHS]): a GoogleTest
# program and its ctest entry. PATHS defines TIDEMARK_BIN_DIR and TIDEMARK_SOURCE_DIR (which keep the compiler's
# cache from serving another checkout). Links gtest_main and gmock. Labels: tsan (also run under TSan), lint, verify (only
# ./dev verify runs it), no_sanitizer (not under ASan).
function(tidemark_test name)
  cmake_parse_arguments(arg "SERIAL;PATHS" "TIMEOUT" "SOURCES;DEPS;LABELS" ${ARGN})
  add_executable(${name} ${arg_SOURCES})
  _tidemark_link(${name} ${arg_DEPS} GTest::gmock GTest::gtest GTest::gtest_main)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  if(arg_PATHS)
    target_compile_definitions(${name} PRIVATE
      TIDEMARK_BIN_DIR="${CMAKE_BINARY_DIR}/bin" TIDEMARK_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  endif()
  target_compile_options(${name} PRIVATE ${_tidemark_test_options})
  _tidemark_reuse_pch(${name} tidemark_test_pch)
  add_test(NAME ${name} COMMAND ${name})
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 120)
  endif()
  set_tests_properties(${name} PROPERTIES TIMEOUT ${arg_TIMEOUT} LABELS "${arg_LABELS}")
  if(arg_SERIAL)
    set_tests_properties(${name} PROPERTIES RUN_SERIAL ON)
  endif()
  if("tsan" IN_LIST arg_LABELS)
    add_dependencies(tsan_tests ${name})
  endif()
endfunction()

# tidemark_proto(NAME FILES a.proto … [GRPC] [DEPS t …]): C++ from .proto files of this folder; includes are
# "proto/tidemark/v1/x.pb.h". With GRPC NAME has the services and NAME_messages the messages alone: what is pure
# links that, so that its tests can run under TSan.
function(tidemark_proto name)
  cmake_parse_arguments(arg "GRPC" "" "FILES;DEPS" ${ARGN})
  set(messages)
  set(services)
  foreach(file IN LISTS arg_FILES)
    set(in ${CMAKE_CURRENT_SOURCE_DIR}/${file})
    file(RELATIVE_PATH rel ${PROJECT_SOURCE_DIR} ${in})
    string(REGEX REPLACE "\\.proto$" "" stem ${rel})
    set(out ${PROJECT_BINARY_DIR}/gen/${stem})
    set(outputs ${out}.pb.cc ${out}.pb.h)
    list(APPEND messages ${outputs})
    set(grpc_args)
    if(arg_GRPC)
      list(APPEND services ${out}.grpc.pb.cc ${out}.grpc.pb.h)
      list(APPEND outputs ${out}.grpc.pb.cc ${out}.grpc.pb.h)
      set(grpc_args --grpc_out=${PROJECT_BINARY_DIR}/gen --plugin=protoc-gen-grpc=${TIDEMARK_GRPC_PLUGIN})
    endif()
    add_custom_command(OUTPUT ${outputs}
      COMMAND protobuf::protoc --cpp_out=${PROJECT_BINARY_DIR}/gen ${grpc_args} -I ${PROJECT_SOURCE_DIR} ${in}
      DEPENDS ${in} ${arg_IMPORTS} VERBATIM)
  endforeach()
  file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/gen)
  if(arg_GRPC)
    _tidemark_proto_library(${name}_messages SOURCES ${messages} DEPS protobuf::libprotobuf ${arg_DEPS})
    _tidemark_proto_library(${name} SOURCES ${services} DEPS ${name}_messages gRPC::grpc++)
  else()
    _tidemark_proto_library(${name} SOURCES ${messages} DEPS protobuf::libprotobuf ${arg_DEPS})
  endif()
endfunction()

function(_tidemark_proto_library name)
  cmake_parse_arguments(arg "" "" "SOURCES;DEPS" ${ARGN})
  add_library(${name} STATIC ${arg_SOURCES})
  target_include_directories(${name} SYSTEM PUBLIC ${PROJECT_BINARY_DIR}/gen)
  _tidemark_link(${name} ${arg_DEPS})
  target_compile_options(${name} PRIVATE -w)
endfunction()
