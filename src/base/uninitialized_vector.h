#pragma once

// A vector whose constructor and resize() leave new elements as the memory is, whatever their default
// values are: for large ones that several threads fill, each its part, so that each also takes the
// pages it writes to from the system.
//
//   UninitializedVector<u32> numbers(count);
//   for (size_t i = 0; i < count; ++i) numbers[i] = 0;     // every one of them

#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

namespace pgokit {

template <class T>
struct UninitializedAllocator : std::allocator<T> {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);

  template <class Other>
  struct rebind {
    using other = UninitializedAllocator<Other>;
  };
  template <class Element>
  void construct(Element*) {}
  template <class Element, class... Arguments>
  void construct(Element* at, Arguments&&... arguments) {
    ::new (static_cast<void*>(at)) Element(std::forward<Arguments>(arguments)...);
  }
};

template <class T>
using UninitializedVector = std::vector<T, UninitializedAllocator<T>>;

}  // namespace pgokit
