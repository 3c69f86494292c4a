#include "compilers/flags.h"

#include <algorithm>

namespace pgokit::compilers {
namespace {

// What each family calls its options; empty: it has none.
struct Options {
  CompilerFamily family;
  std::vector<std::string_view> debug;
  std::string_view discriminators, probes, unique_names, relative_paths, sample_profile;
};

const Options known_options[] = {
    {CompilerFamily::clang,
     {"-g"},
     "-fdebug-info-for-profiling",
     "-fpseudo-probe-for-profiling",
     "-funique-internal-linkage-names",
     "-fmacro-prefix-map=",
     "-fprofile-sample-use="},
    {CompilerFamily::gcc, {"-g"}, "", "", "", "", "-fauto-profile="},  // -g has discriminators
    {CompilerFamily::rustc,
     {"-g", "-Cstrip=none"},  // cargo strips what has no debug information of its own
     unstable_rustc.discriminators,
     "",
     "",
     "",
     unstable_rustc.sample_profile},
};

// Clang stands for the unknown ones: the profile is in its format.
const Options& options_of(const Compiler& compiler) {
  for (const auto& options : known_options)
    if (options.family == compiler.family) return options;
  return known_options[0];
}

struct OrderOptions {
  order::OrderFormat format;
  std::string_view linker, option, after;
};

// Names of functions that are no more in the program are no news.
constexpr OrderOptions known_orders[] = {
    {order::OrderFormat::lld, "-fuse-ld=lld",
     "-Wl,--symbol-ordering-file=", "-Wl,--no-warn-symbol-ordering"},
    {order::OrderFormat::gold, "-fuse-ld=gold", "-Wl,--section-ordering-file=", ""},
    {order::OrderFormat::ld, "-fuse-ld=bfd", "-Wl,-T,", ""},
    {order::OrderFormat::ld64, "", "-Wl,-order_file,", ""},
    {order::OrderFormat::call_graph, "-fuse-ld=lld", "-Wl,--call-graph-ordering-file=", ""},
};
constexpr OrderOptions order_of_coff = {order::OrderFormat::lld, "-fuse-ld=lld", "-Wl,/order:@",
                                        ""};

constexpr char own_sections[] = "-ffunction-sections";

std::string with_file(std::string_view option, const std::string& file) {
  return std::string(option) + file;
}

}  // namespace

void Flags::add(const Flags& more) {
  auto add_to = [](std::vector<std::string>& words, const std::vector<std::string>& others) {
    for (const auto& word : others)
      if (std::ranges::find(words, word) == words.end()) words.push_back(word);
  };
  add_to(compile, more.compile);
  add_to(link, more.link);
}

Flags profiling_flags(const Compiler& compiler, const ProfileKind& kind, std::string_view root,
                      std::span<const std::string> ways) {
  const auto& options = options_of(compiler);
  Flags flags;
  auto add = [&](bool wanted, std::string_view option, std::string_view value = "") {
    if (wanted && !option.empty()) flags.compile.push_back(std::string(option).append(value));
  };
  for (auto option : options.debug) add(true, option);
  add(!kind.no_discriminators, options.discriminators);
  add(kind.probes, options.probes);
  add(kind.unique_names, options.unique_names);
  bool maps = kind.unique_names && !kind.absolute_paths && !root.empty();
  add(maps, options.relative_paths, std::string(root) + "/=");
  for (const auto& way : ways) add(maps, options.relative_paths, way + "=");
  return flags;
}

std::vector<std::string> rust_profiling_words(std::string_view discriminators) {
  const auto& words = options_of({.family = CompilerFamily::rustc}).debug;
  std::vector<std::string> all(words.begin(), words.end());
  all.emplace_back(discriminators);
  return all;
}

std::vector<std::string> rust_sample_words() {
  return {"-Cllvm-args=-sample-profile-use-profi", "-Cllvm-args=-overwrite-existing-weights",
          std::string("-Cllvm-args=").append(weighed_inlining)};
}

std::string_view discriminator_option(const Compiler& compiler) {
  return options_of(compiler).discriminators;
}

std::string_view probe_option(const Compiler& compiler) { return options_of(compiler).probes; }

Flags sample_profile_flags(const Compiler& compiler, const ProfileKind& kind,
                           const std::string& profile) {
  auto use = with_file(options_of(compiler).sample_profile, profile);
  switch (compiler.family) {
    case CompilerFamily::gcc:
      return {.compile = {use}};
    case CompilerFamily::rustc: {
      Flags flags{.compile = {"-Zunstable-options", std::string("-Csymbol-mangling-version=") +
                                                        (kind.rust_v0 ? "v0" : "legacy")}};
      flags.add({.compile = rust_sample_words()});
      flags.compile.push_back(use);
      return flags;
    }
    default:
      break;
  }
  return {.compile = {use}, .link = {use}};
}

Flags counting_flags() {
  return {.compile = {"-fprofile-generate"}, .link = {"-fprofile-generate"}};
}

Flags counted_flags(const std::string& profile) {
  // A profile of older sources is a warning also where warnings are errors.
  return {.compile = {with_file("-fprofile-use=", profile), "-Wno-error=backend-plugin"}};
}

Flags order_flags(order::OrderFormat format, const std::string& file, bool is_coff) {
  const auto* known = std::ranges::find(known_orders, format, &OrderOptions::format);
  const auto& options = format == order::OrderFormat::lld && is_coff ? order_of_coff : *known;
  Flags flags{.compile = {own_sections}};
  for (const auto& word :
       {std::string(options.linker), with_file(options.option, file), std::string(options.after)})
    if (!word.empty()) flags.link.push_back(word);
  return flags;
}

Flags block_map_flags() {
  return {.compile = {own_sections, "-fbasic-block-address-map"}, .link = {"-fuse-ld=lld"}};
}

Flags belief_flags(bool by_lld) {
  Flags flags{.compile = {"-fbasic-block-address-map", "-mllvm=-pgo-analysis-map=all"}};
  if (by_lld)
    flags.link = {"-Wl,--lto-basic-block-address-map", "-Wl,-mllvm,-pgo-analysis-map=all"};
  return flags;
}

Flags remark_flags(bool by_lld) {
  Flags flags{.compile = {"-fsave-optimization-record"}};
  if (by_lld) flags.link = flags.compile;
  return flags;
}

Flags layout_flags(const std::string& clusters, const std::string& symbol_order) {
  Flags flags{.compile = {own_sections, with_file("-fbasic-block-sections=list=", clusters)}};
  if (!symbol_order.empty()) flags.add(order_flags(order::OrderFormat::lld, symbol_order));
  return flags;
}

}  // namespace pgokit::compilers
