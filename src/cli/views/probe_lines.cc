#include "cli/views/probe_lines.h"

#include <algorithm>

#include "base/printable.h"
#include "cli/views/probe_names.h"
#include "report/append.h"

namespace pgokit::cli {
namespace {

void append_type(std::string& text, u8 type) {
  switch (static_cast<probe::Type>(type)) {
    case probe::Type::block:
      text += "Block";
      return;
    case probe::Type::indirect_call:
      text += "IndirectCall";
      return;
    case probe::Type::direct_call:
      text += "DirectCall";
      return;
  }
  report::append_decimal(text.append("Type"), type);
}

}  // namespace

const std::string& ProbeLines::name(u64 guid) {
  auto [at, added] = names_.try_emplace(guid);
  if (!added) return at->second;
  std::string_view known = probe_function_name(file_, guid);
  at.value() = known.empty() ? fmt::format("{}", guid) : printable_line(known);
  return at->second;
}

void ProbeLines::append(probe::AddressIndex::Entry entry, std::string& text) {
  frames_.clear();
  index_.append_context(entry, frames_);
  probe::RawProbe raw = index_.probe(entry);
  text.append(" [Probe]:\tFUNC: ").append(name(frames_.back().guid)).append(" Index: ");
  report::append_decimal(text, raw.index);
  text += "  ";
  if (raw.discriminator) {
    report::append_decimal(text.append("Discriminator: "), raw.discriminator);
    text += "  ";
  }
  append_type(text.append("Type: "), raw.type);
  text += "  ";
  for (size_t i = 0; i + 1 < frames_.size(); ++i) {
    text.append(i ? " @ " : "Inlined: @ ").append(name(frames_[i].guid)) += ':';
    report::append_decimal(text, frames_[i].id);
  }
  text += '\n';
}

probe::AddressIndex index_probes(const program::ProbeFile& file) {
  std::vector<probe::AddressIndex::Part> parts;
  for (const auto& section : file.sections())
    parts.push_back({section.bytes, file.address_of(section)});
  u64 lowest = ~u64{0};
  for (const auto& section : file.symbols_file().sections())
    if (section.executable) lowest = std::min(lowest, file.layout().address_of(section));
  return probe::AddressIndex::build(parts, lowest);
}

}  // namespace pgokit::cli
