#include "cli/probe_lines.h"

#include <algorithm>
#include <iterator>

#include "cli/probe_names.h"

namespace pgokit::cli {
namespace {

std::string type_name(probe::Type type) {
  switch (type) {
    case probe::Type::block:
      return "Block";
    case probe::Type::indirect_call:
      return "IndirectCall";
    case probe::Type::direct_call:
      return "DirectCall";
  }
  return fmt::format("Type{}", static_cast<unsigned>(type));
}

}  // namespace

void ProbeLines::append(probe::AddressIndex::Entry entry, std::string& text) {
  auto put = [&]<class... Args>(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(text), format, std::forward<Args>(args)...);
  };
  auto name = [&](u64 guid, auto print) {
    std::string_view known = probe_function_name(file_, guid);
    known.empty() ? print(fmt::format("{}", guid)) : print(known);
  };
  frames_.clear();
  index_.append_context(entry, frames_);
  probe::RawProbe raw = index_.probe(entry);
  name(frames_.back().guid, [&](std::string_view function) {
    put(" [Probe]:\tFUNC: {} Index: {}  ", function, raw.index);
  });
  if (raw.discriminator) put("Discriminator: {}  ", raw.discriminator);
  put("Type: {}  ", type_name(static_cast<probe::Type>(raw.type)));
  for (size_t i = 0; i + 1 < frames_.size(); ++i)
    name(frames_[i].guid, [&](std::string_view function) {
      put("{}@ {}:{}", i ? " " : "Inlined: ", function, frames_[i].id);
    });
  text += '\n';
}

probe::AddressIndex index_probes(const binary::ProbeFile& file) {
  std::vector<probe::AddressIndex::Part> parts;
  for (const auto& section : file.sections())
    parts.push_back({section.bytes, file.address_of(section)});
  u64 lowest = ~u64{0};
  for (const auto& section : file.symbols_file().sections())
    if (section.flags & SHF_EXECINSTR) lowest = std::min(lowest, file.layout().address_of(section));
  return probe::AddressIndex::build(parts, lowest);
}

}  // namespace pgokit::cli
