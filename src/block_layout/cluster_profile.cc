#include "block_layout/cluster_profile.h"

#include <tsl/robin_map.h>

#include <algorithm>
#include <iterator>

#include "dwarf/debug_info.h"

namespace pgokit::block_layout {
namespace {

// Words of a line stand between spaces.
bool is_word(std::string_view name) {
  return !name.empty() && std::ranges::none_of(name, [](char c) {
    auto byte = static_cast<unsigned char>(c);
    return byte <= ' ' || byte == 0x7f;
  });
}

// AArch64's marks of where code begins.
bool is_mapping_symbol(std::string_view name) { return name.starts_with('$'); }

using Names = std::vector<std::string_view>;

class Writer {
 public:
  Writer(const program::Program& program, const BlockCounts& counts, const ProgramLayout& layout,
         const ClusterOptions& options)
      : program_(program), counts_(counts), layout_(layout), options_(options) {
    if (program.debug()) frames_.emplace(*program.debug());
    find_shared_names();
    written_.resize(layout.functions.size());
  }

  ClusterProfile run() {
    out_.clusters = "v1\n";
    std::string cold;
    for (const auto& function : layout_.functions) {
      const auto& counted = counts_.functions[function.function];
      auto names = names_of(counted.address);
      if (names.empty()) {
        ++out_.nameless;
        continue;
      }
      auto module = module_of(counted.address);
      bool shared = std::ranges::any_of(names, [&](auto name) { return is_shared(name); });
      if (shared && module.empty()) {
        ++out_.ambiguous;
        continue;
      }
      ++out_.functions;
      if (!module.empty() && (shared || options_.all_modules)) add(out_.clusters, "m {}\n", module);
      add(out_.clusters, "f {}\n", fmt::join(names, " "));
      write_blocks(counted, function);
      for (auto name : names)
        if (function.hot.size() < counted.blocks.size()) add(cold, "{}.cold\n", name);
      written_[&function - layout_.functions.data()] = std::move(names);
    }
    write_order();
    out_.symbol_order += cold;
    return std::move(out_);
  }

 private:
  // clang gives each cluster after the first a section of its own, called by its number.
  void write_order() {
    for (auto [function, part] : layout_.order)
      for (auto name : written_[function]) {
        if (part == 0)
          add(out_.symbol_order, "{}\n", name);
        else
          add(out_.symbol_order, "{}.__part.{}\n", name, part);
      }
  }

  template <class... Args>
  static void add(std::string& text, fmt::format_string<Args...> form, Args&&... args) {
    fmt::format_to(std::back_inserter(text), form, std::forward<Args>(args)...);
  }

  // All of a function, as any of them may be the compiler's.
  Names names_of(u64 address) const {
    Names names;
    for (const auto& symbol : program_.symbols().inside(address, address + 1))
      if (is_word(symbol.name) && !is_mapping_symbol(symbol.name) &&
          std::ranges::count(names, symbol.name) == 0)
        names.push_back(symbol.name);
    return names;
  }

  // Names of hot functions that stand at another address too.
  void find_shared_names() {
    for (const auto& function : counts_.functions)
      for (auto name : names_of(function.address)) address_of_.emplace(name, function.address);
    for (const auto& symbol : program_.symbols().all()) {
      auto found = address_of_.find(symbol.name);
      if (found != address_of_.end() && found->second != symbol.address) found.value() = shared_;
    }
  }
  bool is_shared(std::string_view name) const { return address_of_.at(name) == shared_; }

  // As clang knows it: the file of the unit, as the compiler was given it.
  std::string_view module_of(u64 address) {
    if (!frames_) return {};
    // Where there are only lines (-g1), most functions have no entry, and are in their unit anyway.
    auto name = program_.debug()->unit_name(frames_->at(address).unit);
    while (name.starts_with("./")) {
      name.remove_prefix(2);
      while (name.starts_with('/')) name.remove_prefix(1);
    }
    return is_word(name) ? name : std::string_view();
  }

  void write_blocks(const CountedFunction& counted, const FunctionLayout& layout) {
    auto& text = out_.clusters;
    auto part = layout.parts.begin();
    for (u32 i = 0; i < layout.hot.size(); ++i) {
      bool begins = part != layout.parts.end() && *part == i;
      if (begins) ++part;
      add(text, "{}{}", begins ? (i == 0 ? "c" : "\nc") : " ", counted.blocks[layout.hot[i]].id);
    }
    text += '\n';
    if (counted.has_hashes) write_graph(counted);
  }

  // What clang needs to find the blocks again after the source has changed.
  void write_graph(const CountedFunction& counted) {
    auto& text = out_.clusters;
    text += 'g';
    auto edge = counted.edges.begin();
    for (u32 b = 0; b < counted.blocks.size(); ++b) {
      add(text, " {}:{}", counted.blocks[b].id, counted.blocks[b].count);
      for (; edge != counted.edges.end() && edge->from == b; ++edge)
        add(text, ",{}:{}", counted.blocks[edge->to].id, edge->count);
    }
    text += "\nh";
    for (const auto& block : counted.blocks) add(text, " {}:{:x}", block.id, block.hash);
    text += '\n';
  }

  const program::Program& program_;
  const BlockCounts& counts_;
  const ProgramLayout& layout_;
  ClusterOptions options_;
  std::optional<dwarf::FrameCursor> frames_;
  static constexpr u64 shared_ = ~u64{0};
  tsl::robin_map<std::string_view, u64> address_of_;
  std::vector<Names> written_;  // by position of the function in the layout; empty: left out
  ClusterProfile out_;
};

}  // namespace

ClusterProfile write_clusters(const program::Program& program, const BlockCounts& counts,
                              const ProgramLayout& layout, const ClusterOptions& options) {
  return Writer(program, counts, layout, options).run();
}

bool is_cluster_profile(std::string_view text) {
  bool versioned = false;
  while (!text.empty()) {
    auto line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    if (line.empty() || line.starts_with('#') || line.starts_with('@')) continue;
    if (line == "v0" || line == "v1") {
      versioned = true;
      continue;
    }
    // Version 0 has no line that says so.
    if (!versioned) return line.size() > 1 && line[0] == '!' && is_word(line.substr(1));
    return line.size() > 2 && line[1] == ' ' && (line[0] == 'm' || line[0] == 'f');
  }
  return versioned;
}

}  // namespace pgokit::block_layout
