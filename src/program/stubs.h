#pragma once

// Stubs of the procedure linkage table: where they are, and which functions they call.
//
//   for (const Stub& stub : find_stubs(file)) use(stub.address, stub.name);
//
// x86-64: .plt, .plt.got, .plt.sec. AArch64: .plt, .iplt.

#include <string>
#include <string_view>
#include <vector>

#include "object/file.h"

namespace pgokit::program {

struct Stub {
  u64 address = 0;
  std::string_view name;  // of what it calls; empty: the start of a section, which resolves names
  u64 resolver = 0;       // nameless: the function that chooses the one that is called
  std::string_view section;
};

// Ascending by address.
std::vector<Stub> find_stubs(const object::File& file);

// Places that the dynamic linker changes, ascending: static relocations at them say nothing.
std::vector<u64> dynamic_places(const object::File& file);

// Addresses of the program that the dynamic linker puts there.
std::vector<u64> dynamic_addresses(const object::File& file);

}  // namespace pgokit::program
