#include "probe/assembly_sink.h"

#include <fmt/format.h>

#include <algorithm>

#include "assembly/statements.h"

namespace pgokit::probe {

void AssemblySink::byte(u8 value) {
  out_ += in_bytes_ ? "," : "\t.byte\t";
  in_bytes_ = true;
  number(value);
}

void AssemblySink::u64le(u64 value) {
  end_line();
  out_ += "\t.quad\t";
  number(value);
  out_ += '\n';
}

void AssemblySink::distance(Place from, Place to) {
  if (from == to) return byte(0);
  end_line();
  // The earlier minus the later, negated where needed. Of the positive difference of two labels
  // in different blocks of its buffer, of 4 kB each, GNU as 2.40 writes a number of over 64 bits.
  bool is_forward = (from & part_bit) || (from < to && !(to & part_bit));
  out_ += is_forward ? "\t.sleb128\t-(" : "\t.sleb128\t";
  place(is_forward ? from : to);
  out_ += '-';
  place(is_forward ? to : from);
  out_ += is_forward ? ")\n" : "\n";
}

void AssemblySink::number(u64 value) {
  fmt::format_int digits(value);
  out_.append(digits.data(), digits.size());
}

void AssemblySink::place(Place place) {
  if (place & part_bit) {
    out_ += symbol_of_(place & ~part_bit);
    return;
  }
  out_ += prefix_;
  number(place);
}

void AssemblySink::end_line() {
  if (in_bytes_) out_ += '\n';
  in_bytes_ = false;
}

std::string assembly_symbol(std::string_view name) {
  bool is_number = !name.empty() && name.front() >= '0' && name.front() <= '9';
  bool plain = !name.empty() && !is_number && std::ranges::all_of(name, assembly::is_word);
  return plain ? std::string(name) : fmt::format("\"{}\"", name);
}

void print_descriptor(const Descriptor& descriptor, assembly::ObjectFormat format,
                      std::string& out) {
  std::string group = assembly_symbol(descriptor_group(descriptor.name));
  if (format == assembly::ObjectFormat::coff)  // its COMDAT symbol has to be defined in it
    out += fmt::format("\t.section\t.pseudo_probe_desc,\"drD\",same_contents,{0}\n{0}:\n", group);
  else
    out += fmt::format("\t.section\t.pseudo_probe_desc,\"G\",@progbits,{},comdat\n", group);
  AssemblySink sink(out, {}, {});
  write_descriptor(descriptor, sink);
}

}  // namespace pgokit::probe
