#include "probe/lowering.h"

#include <algorithm>
#include <map>

#include "probe/assembly_sink.h"
#include "probe/lowering_reader.h"

namespace pgokit::probe {

Result<Lowering> Lowering::read(std::string_view text, std::string_view name,
                                const LoweringOptions& options) {
  return LoweringReader(text, name, options).read();
}

std::string Lowering::probe_section(u32 section, u32 first_label) const {
  const auto& text = sections_[section];
  if (format_ == assembly::ObjectFormat::elf)
    return fmt::format("\t{}\n\t.section\t.pseudo_probe,\"o?\",@progbits,{}{}\n", text.directive,
                       prefix_, first_label);
  std::string out = "\t.section\t.pseudo_probe,\"drD\"";
  if (!text.group.empty()) out.append(",associative,").append(text.group);
  return out += '\n';
}

std::string Lowering::section_text(u32 section, std::span<const u32> parts) const {
  std::string out = probe_section(section, parts_[parts.front()].first_label);
  AssemblySink sink(out, prefix_, [&](u64 number) {
    const Part& part = parts_[number];
    return part.start_label == none ? std::string(part.symbol)
                                    : fmt::format("{}{}", prefix_, part.start_label);
  });
  for (u32 part : parts) parts_[part].probes.encode(sink);
  return out;
}

void Lowering::write(const std::function<void(std::string_view)>& write) const {
  std::string piece;
  size_t at = 0;
  for (const Replacement& one : replacements_) {
    piece += text_.substr(at, one.begin - at);
    if (one.label != none) piece.append(prefix_).append(fmt::format_int(one.label).c_str()) += ':';
    std::string_view gone = text_.substr(one.begin, one.size);
    piece.append(static_cast<size_t>(std::ranges::count(gone, '\n')), '\n');  // of a comment
    at = one.begin + one.size;
    if (piece.size() > 1 << 16) write(std::exchange(piece, {}));
  }
  write(piece);
  write(text_.substr(at, data_at_ - at));
  if (data_at_ > 0 && text_[data_at_ - 1] != '\n' && !parts_.empty()) write("\n");
  std::map<u32, std::vector<u32>> by_section;
  for (size_t i = 0; i < parts_.size(); ++i)
    by_section[parts_[i].section].push_back(static_cast<u32>(i));
  for (const auto& [section, parts] : by_section) write(section_text(section, parts));
  std::string described;
  for (const Descriptor& one : descriptors_) print_descriptor(one, format_, described);
  write(described);
  write(text_.substr(data_at_));
}

}  // namespace pgokit::probe
