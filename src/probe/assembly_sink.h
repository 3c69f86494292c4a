#pragma once

// The probe sections as assembly that any assembler takes.
//
//   std::string out;
//   AssemblySink sink(out, ".Lprobe", [&](u64 part) { return symbols[part]; });
//   probes.encode(sink);                                     // places are numbers of labels
//   print_descriptor({guid, hash, "_Z3foov"}, assembly::ObjectFormat::elf, out);
//
// A place is the number of a label, whose name follows the prefix, or start_of_part() of what the
// function tells the symbol of.

#include <functional>
#include <string>

#include "assembly/statements.h"
#include "probe/encoder.h"

namespace pgokit::probe {

// Where a function, or a part of one, begins.
constexpr Place part_bit = Place{1} << 63;
constexpr Place start_of_part(size_t part) { return part_bit | part; }

class AssemblySink final : public Sink {
 public:
  // `out` and `prefix` must outlive it.
  AssemblySink(std::string& out, std::string_view prefix, std::function<std::string(u64)> symbol_of)
      : out_(out), prefix_(prefix), symbol_of_(std::move(symbol_of)) {}
  ~AssemblySink() override { end_line(); }
  AssemblySink(const AssemblySink&) = delete;
  AssemblySink& operator=(const AssemblySink&) = delete;

  void byte(u8 value) override;
  void u64le(u64 value) override;
  void distance(Place from, Place to) override;

 private:
  void number(u64 value);
  void place(Place place);
  void end_line();

  std::string& out_;
  std::string_view prefix_;
  std::function<std::string(u64)> symbol_of_;
  bool in_bytes_ = false;
};

// A symbol as assemblers take it: in quotes where it has other characters than theirs. It holds no
// quotes, backslashes or ends of lines.
std::string assembly_symbol(std::string_view name);

// The section .pseudo_probe_desc of one function, in a COMDAT group of its own; of ELF or COFF.
void print_descriptor(const Descriptor& descriptor, assembly::ObjectFormat format,
                      std::string& out);

}  // namespace pgokit::probe
