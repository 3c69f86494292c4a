#pragma once

// The functions of a program as BOLT sees them: one per address, from symbols, unwind tables and
// linkage stubs, with the names that its profiles use.
//
//   auto functions = Functions::of(file);
//   if (const Function* function = functions.find(address))
//     print(functions.name(*function), address - function->address);
//
// A local symbol is `name/N`: the Nth of that name, in the order of addresses. A stub of the
// procedure linkage table is `name@PLT`. Sizes are those of symbols, or of the unwind table where
// that says more; `room` reaches to the next object, and what lies in it belongs to the function.
// ELF of 64 bits.

#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "object/file.h"

namespace pgokit::bolt {

struct Function {
  u64 address = 0, size = 0, room = 0;
  std::string_view name;
  u32 number = 0;         // of local symbols; 0: the name stands alone
  bool stub = false;      // of the linker: has no blocks
  bool part = false;      // cold part that was split off
  bool no_graph = false;  // BOLT makes no blocks of it
  u32 family = 0;         // equal numbers: parts of one function; 0: it has no parts

  bool holds(u64 at) const { return at - address < size; }
};

class Functions {
 public:
  static constexpr u32 none = ~u32{0};

  static Functions of(const object::File& file);

  // Ascending by address.
  std::span<const Function> all() const { return functions_; }
  u32 index_of(u64 address) const;
  const Function* find(u64 address) const {
    u32 index = index_of(address);
    return index == none ? nullptr : &functions_[index];
  }
  std::string name(const Function& function) const;

  // Further entries, as symbols tell: (function, offset), ascending.
  struct Entry {
    u32 function = 0;
    u32 offset = 0;
    auto operator<=>(const Entry&) const = default;
  };
  std::span<const Entry> entries() const { return entries_; }
  // The end of the object with a size that starts exactly there; 0: there is none.
  u64 object_end(u64 address) const;
  bool has_relocations() const { return has_relocations_; }

  // Objects of data that symbols name, ascending by address, those of one address in BOLT's order.
  struct Data {
    u64 address = 0, end = 0;
    std::string_view name;
    u32 number = 0;  // as of functions
    u32 section = 0;
  };
  std::span<const Data> data() const { return data_; }

 private:
  friend class FunctionFinder;
  std::vector<Function> functions_;
  std::vector<Entry> entries_;
  std::vector<Data> data_;
  std::deque<std::string> own_names_;
  bool has_relocations_ = false;
};

// Whether code has its relocations (--emit-relocs), so that BOLT may move functions.
bool has_relocations(const object::File& file);

// An error that says why BOLT has nothing to do with a file.
Status check_program(const object::File& file);

}  // namespace pgokit::bolt
