// The options of AutoFDO's profile_merger: GCC's profiles, or clang's, added up.
#include "base/file.h"
#include "cli/commands/commands.h"
#include "cli/llvm/converters.h"
#include "cli/llvm/llvm_options.h"
#include "pipeline/consumers.h"
#include "pipeline/outputs.h"
#include "profile/gcov_format.h"
#include "profile/losses.h"
#include "profile/merge/merge_files.h"
#include "report/numbers.h"
#include "report/print.h"

namespace pgokit::cli {
namespace {

struct Settings {
  std::vector<std::string> files;
  std::string output = "fbdata.afdo", format, ignored;
  std::optional<u32> gcov_version;
  bool is_llvm = false, md5 = false, compress = false, partial = false, split_layout = false;
  bool ignored_switch = false;
};

OptionTable options_of(Settings& s) {
  return {
      "pgokit profile_merger",
      "Add up profiles of GCC or clang, with the options of AutoFDO's profile_merger.",
      {
          {"FILE", "", "the profiles", &s.files, true},
          {"--output_file", "FILE", "the sum (fbdata.afdo)", &s.output},
          {"--gcov_version", "N",
           "1 (GCC 5 to 11), 2 (12 to 15), 3 (16) or 0x3430372a (4.7); that of the first FILE",
           &s.gcov_version},
          {"--is_llvm", "", "the sum is for clang", &s.is_llvm},
          one_of({"--format", "FORMAT", "... as {}", &s.format}, {"binary", "text", "extbinary"}),
          {"--use_md5", "", "... with hashes in place of names (extbinary)", &s.md5},
          {"--compress", "", "... compressed (extbinary)", &s.compress},
          {"--partial_profile", "", "... marked as partial (extbinary)", &s.partial},
          {"--split_layout", "", "... functions without inlinees apart (extbinary)",
           &s.split_layout},
          // Taken and without effect: nothing is left out.
          {"--sample_threshold_frac,--dump_cutoff_percent", "N", "", &s.ignored, false, true},
          {"--debug_dump", "", "", &s.ignored_switch, false, true},
      },
      ""};
}

Result<pipeline::Destination> destination_of(const Settings& s) {
  bool for_clang = !s.format.empty() || s.md5 || s.compress || s.partial || s.split_layout;
  if (!s.is_llvm && for_clang)
    return usage_error(
        "--format, --use_md5, --compress, --partial_profile and --split_layout are for --is_llvm");
  if (!s.is_llvm)
    return pipeline::Destination{{&pipeline::consumers::gcc}, &pipeline::outputs::gcov};
  if (s.gcov_version) return usage_error("--gcov_version is not for --is_llvm");
  auto destination = TRY(pipeline::destination_of("clang", s.format.empty() ? "binary" : s.format));
  bool extensible = destination.output == &pipeline::outputs::extbinary;
  if (!extensible && (s.md5 || s.compress || s.partial || s.split_layout))
    return usage_error(
        "--use_md5, --compress, --partial_profile and --split_layout are for --format=extbinary");
  return destination;
}

// The version of a file in GCC's form; 0: another form.
Result<u32> gcov_version_of(const std::string& path) {
  auto file = TRY(MappedFile::open(path));
  if (profile::sniff(file.bytes()) != profile::Format::gcov) return 0;
  Cursor in(file.bytes());
  in.skip(4);
  return in.get<u32>();
}

Status merge(const Settings& s) {
  TRY(check_gcov_version(s.gcov_version));
  auto destination = TRY(destination_of(s));
  profile::WriteOptions options{
      .compress = s.compress, .md5_names = s.md5, .split_layout = s.split_layout};
  if (u32 version = s.gcov_version ? *s.gcov_version : TRY(gcov_version_of(s.files[0])))
    options.gcov_version = version;
  std::vector<profile::MergeInput> inputs;
  for (const auto& file : s.files) inputs.push_back({file});
  auto merged = TRY(profile::merge_files(inputs, {.strict = true}));
  auto& profile = merged.profile;
  profile.flags.partial |= s.partial;
  auto format = *destination.output->format;
  if (!s.is_llvm && !profile.flags.context_sensitive) destination.target.fit(profile);
  for (const auto& loss : profile::losses(profile, format, options))
    report::print(stderr, "pgokit profile_merger: warning: {}\n", loss);
  auto bytes = TRY(profile::write_profile(profile, format, options));
  auto output = TRY(OutputFile::create(s.output));
  output.write(bytes);
  TRY(output.commit());
  report::print(stderr, "merged {}: {}, {} ({})\n", report::counted(inputs.size(), "profile"),
                s.output, report::counted(profile.functions().size(), "function"),
                report::file_size(bytes.size()));
  return {};
}

int run(std::span<char* const> arguments) {
  Settings settings;
  if (auto exit = parse_llvm_options(options_of(settings), arguments)) return *exit;
  auto status = merge(settings);
  return status ? 0 : report_failure("profile_merger", status.error());
}

}  // namespace

constexpr Command profile_merger_command{
    "profile_merger", "add profiles up with the options of AutoFDO's profile_merger", run};

}  // namespace pgokit::cli
