#include "cli/commands/profile_flags.h"

#include <algorithm>
#include <filesystem>
#include <optional>

#include "base/cursor.h"
#include "base/file.h"
#include "base/printable.h"
#include "base/shell_word.h"
#include "base/unique_names.h"
#include "block_layout/cluster_profile.h"
#include "cli/compilers.h"
#include "instr_profile/format.h"
#include "order/order_file.h"
#include "pipeline/foreign_formats.h"
#include "pipeline/inputs.h"
#include "pipeline/outputs.h"
#include "profile/format.h"

namespace pgokit::cli {
namespace {

namespace fs = std::filesystem;
namespace inputs = pipeline::inputs;

constexpr std::string_view mark_of_use_file = "# pgokit ";  // instrument/use_file.h

std::string absolute(const std::string& path) {
  std::error_code error;
  return fs::absolute(path, error).lexically_normal().string();
}

std::string_view places_of(bool probes) { return probes ? "probes" : "lines"; }

// Hashed names do not tell whether they were unique: those of a build by `flags profile` are.
ProfileKind kind_of(const profile::ReadProfile& read) {
  ProfileKind kind{.probes = read.profile.flags.probe_based, .unique_names = read.md5_names};
  const auto& names = read.profile.names;
  u32 v0 = 0;
  for (u32 id = 0; id < names.size(); ++id) {
    auto name = names.text(NameId{id});
    kind.unique_names |= split_unique_name(name).has_value();
    v0 += name.starts_with("_R");
  }
  kind.rust_v0 = v0 * 2 > names.size();
  return kind;
}

// What is no file for a build, and what to do with it.
Status refuse(const std::string& path, Bytes bytes) {
  auto word = shell_word(path);
  const auto* kind = pipeline::identify(bytes);
  if (bytes.empty()) return fail("{}: it is empty", path);
  if (kind == &inputs::program)
    return fail("{}: a program, not a profile: 'pgokit record -- {}' records it", path, word);
  if (kind == &inputs::counter_dumps)
    return fail("{}: {}: 'pgokit merge PROGRAM {}' makes one profile of them", path, kind->name,
                word);
  if (kind == &inputs::ip_script)
    return fail("{}: {}: 'pgokit generate --allow-ip {} -b PROGRAM' makes a profile of it", path,
                kind->name, word);
  if (kind)
    return fail("{}: {}, not a profile for compilers: 'pgokit generate {} -b PROGRAM' makes one",
                path, kind->name, word);
  if (auto what = pipeline::foreign_format(bytes); !what.empty()) return fail("{}: {}", path, what);
  if (auto unpacked = MappedFile::open(path); unpacked && unpacked->bytes().size() != bytes.size())
    return fail("{}: compressed, which compilers do not read: unpack it", path);
  return fail(
      "{}: neither a profile nor an order of functions nor a layout of blocks: 'pgokit generate' "
      "and 'pgokit order' make them",
      path);
}

constexpr unsigned first_that_reads_layouts = 18, first_with_block_maps = 19;  // clang

class ProfileFlags {
 public:
  ProfileFlags(const ProfileBuild& build, BuildFlags& flags)
      : build_(build),
        flags_(flags),
        compiler_(compiler_of_target()),
        is_recorded_(build.files.empty()) {}

  Status add() {
    if (build_.by == "blocks" && compiler_.family != CompilerFamily::clang)
      return usage_error("--by blocks: only clang can lay out blocks");
    if (build_.by == "blocks" && is_before(first_with_block_maps))
      return usage_error("--by blocks: clang {} is the first with -fbasic-block-address-map",
                         first_with_block_maps);
    if (build_.by == "probes" && !has_probes())
      return usage_error("--by probes: {} has none: its profiles are by lines",
                         build_.rust                               ? "rustc"
                         : compiler_.family == CompilerFamily::gcc ? "GCC"
                                                                   : build_.target.name());
    for (const auto& path : build_.files) TRY(add_file(absolute(path)));
    if (is_recorded_) TRY(add_profiling());
    append(used_);
    return build_.explain ? add_what_explains() : Status();
  }

 private:
  Compiler compiler_of_target() const {
    Compiler compiler;
    compiler.family = build_.rust                                           ? CompilerFamily::rustc
                      : build_.target.consumer == &pipeline::consumers::gcc ? CompilerFamily::gcc
                                                                            : CompilerFamily::clang;
    compiler.version = build_.target.version;
    return compiler;
  }

  // clang 13 takes no probes beside the debug information of profiles.
  bool has_probes() const {
    bool is_old = compiler_.family == CompilerFamily::clang && is_before(14);
    return !is_old && !compilers::probe_option(compiler_).empty();
  }
  bool is_before(unsigned version) const {
    return compiler_.version && compiler_.version < version;
  }

  // The build that uses something is compiled as the one that was recorded.
  Status add_profiling() {
    bool by_probes = build_.by.empty() ? has_probes() && !has_layout_ : build_.by == "probes";
    if (!kind_) kind_ = {.probes = by_probes, .unique_names = true};
    if (has_layout_ && kind_->probes)
      return fail(
          "a build with probes cannot have a layout of blocks, which clang 22 refuses: give --by "
          "lines, and a profile by lines (pgokit generate --use-dwarf)");
    flags_.by = places_of(kind_->probes);
    flags_.root = build_.root;
    auto ways = build_.relative_paths ? relative_ways_to(build_.root) : std::vector<std::string>();
    auto words = compilers::profiling_flags(compiler_, *kind_, build_.root, ways);
    words.link.emplace_back(compilers::build_id_option);
    if (build_.by == "blocks") words.add(compilers::block_map_flags());
    append(words);
    return {};
  }

  // Only clang says what it made of a profile.
  Status add_what_explains() {
    if (compiler_.family != CompilerFamily::clang)
      return usage_error("--explain: {} does not tell what it makes of a profile, clang does",
                         build_.rust ? "rustc" : "GCC");
    auto words = compilers::remark_flags(build_.lto);
    if (!is_before(compilers::first_clang_with_beliefs))
      words.add(compilers::belief_flags(build_.lto));
    append(words);
    return {};
  }

  // After those of an instrumented program.
  void append(const compilers::Flags& words) {
    compilers::Flags all{.compile = std::move(flags_.compile), .link = std::move(flags_.link)};
    all.add(words);
    flags_.compile = std::move(all.compile);
    flags_.link = std::move(all.link);
  }

  Status add_file(const std::string& path) {
    if (!fits_in_line(path))
      return usage_error("use={}: no build system takes a name with a line end", path);
    std::error_code error;
    if (build_.if_there && !fs::exists(path, error)) {
      is_recorded_ = true;
      return {};
    }
    auto file = TRY(MappedFile::open_regular(path));
    auto bytes = file.bytes();
    auto text = as_text(bytes);
    const auto* kind = pipeline::identify(bytes);
    if (kind == &inputs::sample_profile) return add_sample_profile(path, bytes);
    if (kind == &inputs::instr_profile) return add_counts(path, bytes);
    if (text.starts_with(mark_of_use_file)) return add_use_file(path);
    if (block_layout::is_cluster_profile(text)) return add_layout(path);
    // A call graph has lines that text of samples might begin with.
    if (!kind || kind == &inputs::ip_script)
      if (auto format = order::order_format_of(text)) return add_order(path, *format);
    return refuse(path, bytes);
  }

  Status add_sample_profile(const std::string& path, Bytes bytes) {
    auto read = TRY_IN(path, profile::read_profile(bytes));
    bool for_gcc = read.format == profile::Format::gcov;
    if (!build_.target.consumer && for_gcc) compiler_.family = CompilerFamily::gcc;
    if (compiler_.family == CompilerFamily::gcc && read.profile.flags.probe_based)
      return fail(
          "{}: a profile by clang's probes, which GCC has not: record a build by GCC ('pgokit "
          "flags profile --for gcc'), and make its profile with 'pgokit generate --for gcc'",
          path);
    if ((compiler_.family == CompilerFamily::gcc) != for_gcc)
      return fail("{}: a profile for {}: 'pgokit merge {} --for {} -o FILE' writes one for {}",
                  path, for_gcc ? "GCC" : "clang and rustc", shell_word(path),
                  for_gcc ? "clang" : build_.target.name(), for_gcc ? "others" : "it");
    if (kind_ || has_counts_)
      return fail("{}: a second profile: 'pgokit merge' makes one of several", path);
    auto is_read = [&](const pipeline::Output* form) { return form->format == read.format; };
    bool is_compact =
        read.format == profile::Format::compact;  // of old clang, which is not written
    if (build_.target.version && !is_compact &&
        std::ranges::none_of(build_.target.outputs(), is_read))
      return fail("{}: {} does not read the form {}: 'pgokit merge {} --for {} -o FILE' writes one",
                  path, build_.target.name(), profile::format_name(read.format), shell_word(path),
                  build_.target.name());
    kind_ = kind_of(read);
    if (!build_.by.empty() && kind_->probes != (build_.by == "probes"))
      return fail("{}: a profile by {}, and --by {} is of a build by {}: generate it again", path,
                  places_of(kind_->probes), build_.by, build_.by);
    add_used(compilers::sample_profile_flags(compiler_, *kind_, path), path);
    is_recorded_ = true;
    return {};
  }

  Status add_counts(const std::string& path, Bytes bytes) {
    TRY(check_clang(path, "a profile of clang's counters"));
    if (instr_profile::form_of(bytes) != instr_profile::Form::indexed)
      return fail(
          "{}: counters as programs write them: 'pgokit merge {} -o app.profdata' makes a "
          "profile of them",
          path, shell_word(path));
    if (kind_ || has_counts_)
      return fail("{}: a second profile: 'pgokit merge' makes one of several", path);
    add_used(compilers::counted_flags(path), path);
    has_counts_ = true;
    return {};
  }

  Status add_use_file(const std::string& path) {
    TRY(check_clang(path, "targets or hotness for the plugin"));
    flags_.plugin = TRY(build_.find_plugin());
    flags_.options.push_back("-pgokit-use=" + path);
    flags_.files.push_back(path);
    return {};
  }

  // The two files of a layout lie beside each other, by the same name.
  Status add_layout(const std::string& path) {
    TRY(check_clang(path, "a layout of blocks"));
    if (is_before(first_that_reads_layouts))
      return fail("{}: a layout of blocks, of which {} takes nothing: clang {} is the first", path,
                  build_.target.name(), first_that_reads_layouts);
    auto order = fs::path(path).replace_extension(".symorder").string();
    std::error_code error;
    bool both = fs::exists(order, error);
    add_used(compilers::layout_flags(path, both ? order : ""), path);
    if (both) flags_.files.push_back(order);
    has_layout_ = is_recorded_ = true;
    return {};
  }

  Status add_order(const std::string& path, order::OrderFormat format) {
    auto words = compilers::order_flags(format, path);
    if (build_.rust) words.compile.clear();  // each function has a section of its own there
    if (std::ranges::find(flags_.files, path) == flags_.files.end()) add_used(words, path);
    is_recorded_ = true;
    return {};
  }

  Status check_clang(const std::string& path, std::string_view what) const {
    if (compiler_.family == CompilerFamily::clang) return {};
    return fail("{}: {}, which is for clang", path, what);
  }

  void add_used(const compilers::Flags& words, const std::string& path) {
    used_.add(words);
    flags_.files.push_back(path);
  }

  const ProfileBuild& build_;
  BuildFlags& flags_;
  Compiler compiler_;
  bool is_recorded_;                 // the build is compiled as one that is recorded
  std::optional<ProfileKind> kind_;  // of the sample profile
  compilers::Flags used_;
  bool has_layout_ = false, has_counts_ = false;
};

}  // namespace

Status add_profile_flags(const ProfileBuild& build, BuildFlags& flags) {
  return ProfileFlags(build, flags).add();
}

}  // namespace pgokit::cli
