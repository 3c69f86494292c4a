#pragma once

// A vector of 8 bytes, nothing when it is empty: for members of objects of which there are millions
// and which mostly hold few elements or none.
//
//   CompactVector<Entry> entries;
//   entries.emplace_back(Entry{key, value});
//   entries.insert(entries.begin() + at, Entry{key, value});
//
// As std::vector as far as it goes; it moves and is not copied, and holds less than 2^32 elements.

#include <algorithm>
#include <cassert>
#include <memory>
#include <new>
#include <utility>

#include "base/types.h"

namespace pgokit {

template <class T>
class CompactVector {
 public:
  CompactVector() = default;
  CompactVector(CompactVector&& other) noexcept : head_(std::exchange(other.head_, nullptr)) {}
  CompactVector& operator=(CompactVector&& other) noexcept {
    CompactVector(std::move(other)).swap(*this);
    return *this;
  }
  ~CompactVector() {
    if (!head_) return;
    std::destroy(begin(), end());
    ::operator delete(head_);
  }
  void swap(CompactVector& other) noexcept { std::swap(head_, other.head_); }

  bool empty() const { return size() == 0; }
  size_t size() const { return head_ ? head_->size : 0; }
  size_t capacity() const { return head_ ? head_->capacity : 0; }

  T* begin() { return head_ ? elements() : nullptr; }
  T* end() { return head_ ? elements() + head_->size : nullptr; }
  const T* begin() const { return const_cast<CompactVector*>(this)->begin(); }
  const T* end() const { return const_cast<CompactVector*>(this)->end(); }
  T* data() { return begin(); }
  const T* data() const { return begin(); }
  T& operator[](size_t i) { return assert(i < size()), elements()[i]; }
  const T& operator[](size_t i) const { return const_cast<CompactVector&>(*this)[i]; }
  T& back() { return (*this)[size() - 1]; }
  const T& back() const { return (*this)[size() - 1]; }

  void reserve(size_t capacity) {
    if (capacity > this->capacity()) move_to(capacity);
  }
  T& emplace_back(T element) {
    grow_if_full();
    return *new (elements() + head_->size++) T(std::move(element));
  }
  void insert(const T* position, T element) {
    auto at = position - begin();
    emplace_back(std::move(element));
    if (begin() + at + 1 == end()) return;
    T last = std::move(back());
    std::move_backward(begin() + at, end() - 1, end());
    begin()[at] = std::move(last);
  }
  void clear() { erase(begin(), end()); }
  void resize(size_t size) {
    reserve(size);
    while (this->size() < size) new (elements() + head_->size++) T();
    erase(begin() + size, end());
  }
  void pop_back() { std::destroy_at(&elements()[--head_->size]); }
  void erase(const T* position) { erase(position, position + 1); }
  void erase(const T* first, const T* last) {
    if (first == last) return;
    T* to = begin() + (first - begin());
    T* rest = std::move(begin() + (last - begin()), end(), to);
    std::destroy(rest, end());
    head_->size = static_cast<u32>(rest - begin());
  }

 private:
  struct alignas(8) Head {
    u32 size, capacity;
  };
  static_assert(alignof(T) <= alignof(Head));

  T* elements() { return reinterpret_cast<T*>(head_ + 1); }

  void grow_if_full() {
    size_t size = this->size();
    if (size == capacity()) move_to(size + size / 2 + 1);
  }

  void move_to(size_t capacity) {
    assert(capacity < ~u32{0});
    auto* made = static_cast<Head*>(::operator new(sizeof(Head) + capacity * sizeof(T)));
    *made = {static_cast<u32>(size()), static_cast<u32>(capacity)};
    if (head_) {
      std::uninitialized_move(begin(), end(), reinterpret_cast<T*>(made + 1));
      std::destroy(begin(), end());
      ::operator delete(head_);
    }
    head_ = made;
  }

  Head* head_ = nullptr;  // the elements stand behind it
};

}  // namespace pgokit
