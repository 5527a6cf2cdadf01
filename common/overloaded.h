#ifndef TIDEMARK_COMMON_OVERLOADED_H_
#define TIDEMARK_COMMON_OVERLOADED_H_

namespace tidemark {

// The call operators of several lambdas in one: what std::visit is given, one lambda an alternative.
template <typename... F>
struct Overloaded : F... {
  using F::operator()...;
};
template <typename... F>
Overloaded(F...) -> Overloaded<F...>;

}  // namespace tidemark

#endif  // TIDEMARK_COMMON_OVERLOADED_H_
