#pragma once

// All that columns hold, as one text, so that two ways of reading can be compared.

#include <fmt/format.h>

#include <string>

#include "profile/table/columns.h"

namespace pgokit::test {

class ColumnsText {
 public:
  explicit ColumnsText(const profile::Columns& columns) : columns_(columns) {
    const auto& flags = columns.flags;
    text_ = fmt::format("{} {}{}{}{}{}\n", static_cast<int>(columns.format), flags.probe_based,
                        flags.context_sensitive, flags.pre_inlined, flags.fs_discriminators,
                        flags.partial);
    for (const auto& top : columns.functions) {
      text_ += columns.context_text(top);
      add(columns.part(top), top.node, 1);
      text_ += fmt::format("entered {}\n", columns.entry_estimate(top));
    }
  }
  std::string take() && { return std::move(text_); }

 private:
  std::string name(u32 id) {
    std::string scratch;
    return fmt::format("{}{}", columns_.names[id].is_guid ? "#" : "", columns_.text(id, scratch));
  }

  void add(const profile::Columns::Part& part, u32 at, size_t depth) {
    const auto& node = part.nodes[at];
    text_ += fmt::format(" {}.{} {} {} {} {} {}\n", node.call_site.line_offset,
                         node.call_site.discriminator, name(node.name), node.total, node.head,
                         node.checksum, node.attributes);
    auto targets = part.targets_of(at);
    u32 place = node.first_place;
    for (const auto& [location, samples] : part.places_of(at)) {
      text_ += fmt::format("{:{}}{}.{} {}", "", depth, location.line_offset, location.discriminator,
                           samples);
      for (; !targets.empty() && targets[0].place == place; targets = targets.subspan(1))
        text_ += fmt::format(" {}:{}", name(targets[0].name), targets[0].count);
      text_ += '\n';
      ++place;
    }
    for (const auto& vtable : part.vtables_of(at))
      text_ += fmt::format("{:{}}{}.{} vtable {}:{}\n", "", depth, vtable.location.line_offset,
                           vtable.location.discriminator, name(vtable.name), vtable.count);
    for (u32 i = at + 1; i < node.end; i = part.nodes[i].end) add(part, i, depth + 1);
  }

  const profile::Columns& columns_;
  std::string text_;
};

inline std::string columns_text(const profile::Columns& columns) {
  return ColumnsText(columns).take();
}

}  // namespace pgokit::test
