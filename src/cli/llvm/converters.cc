#include "cli/llvm/converters.h"

#include "base/cursor.h"
#include "base/file.h"
#include "base/leak_until_exit.h"
#include "base/printable.h"
#include "cli/compilers.h"
#include "cli/views/generation.h"
#include "profile/gcov_format.h"
#include "report/print.h"
#include "samples/program_match.h"

namespace pgokit::cli {
namespace {

class Checks : public pipeline::Traveller {
 public:
  Checks(bool lists_symbols, std::optional<u32> gcov_version)
      : lists_symbols_(lists_symbols), gcov_version_(gcov_version) {}

 private:
  Status opened(pipeline::Road& road) override {
    TRY(fit_target(road.options.target, *road.program, road.options.write));
    if (gcov_version_) road.options.write.gcov_version = *gcov_version_;
    return {};
  }
  Status read(pipeline::Road& road) override { return check_input(road); }
  Status made(pipeline::Road& road) override {
    if (lists_symbols_)
      for (const auto& range : road.program->functions().ranges())
        road.generated.profile.symbols.intern(road.program->functions().name(range.function));
    return check_generated(road);
  }

  bool lists_symbols_;
  std::optional<u32> gcov_version_;
};

}  // namespace

Result<std::vector<std::string>> recordings_of(const std::string& profile) {
  if (!profile.starts_with('@')) return std::vector{profile};
  auto path = profile.substr(1);
  auto file = TRY(MappedFile::open(path));
  std::vector<std::string> recordings;
  for (auto text = as_text(file.bytes()); !text.empty();) {
    auto line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    while (!line.empty() && (line.back() == ' ' || line.back() == '\r' || line.back() == '\t'))
      line.remove_suffix(1);
    if (!line.empty()) recordings.emplace_back(line);
  }
  if (recordings.empty()) return fail("{}: it names no recordings: one on each line", path);
  return recordings;
}

bool is_kernel(std::string_view binary) {
  return binary.substr(binary.rfind('/') + 1).starts_with("vmlinux");
}

Status use_recorded_name(const std::string& name, pipeline::RoadOptions& road) {
  if (name.empty()) return {};
  if (name.starts_with('[')) {
    road.read.kernel = true;
    return {};
  }
  if (samples::file_name(name) == samples::file_name(road.binary)) {
    road.read.ignore_build_id = true;
    return {};
  }
  auto file = TRY(MappedFile::open(road.binary));
  auto object = TRY_IN(road.binary, object::File::parse(file.bytes()));
  if (!object.build_id().empty()) return {};
  return fail(
      "--profiled_binary_name={}: {} has no build id to find it by: link or copy it to a file "
      "of that name, and give that",
      name, road.binary);
}

Status use_propeller_options(const std::string& text, pipeline::RoadOptions& road) {
  std::string_view left = text;
  auto is_name = [](char c) {
    return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z');
  };
  auto next = [&] {
    left.remove_prefix(std::min(left.find_first_not_of(" \t\n,;\"'"), left.size()));
    auto end = std::ranges::find_if_not(left, is_name);
    auto length = std::max<size_t>(static_cast<size_t>(end - left.begin()), !left.empty());
    auto word = left.substr(0, length);
    left.remove_prefix(length);
    return word;
  };
  auto word = next();
  if (word == "code_layout_params") {
    if (word = next(); word == ":") word = next();
    if (word != "{")
      return usage_error("--propeller_options: {{ is missing after code_layout_params");
    for (word = next(); word == "inter_function_reordering"; word = next()) {
      auto colon = next(), value = next();
      if (colon != ":" || (value != "true" && value != "false"))
        return usage_error("--propeller_options: inter_function_reordering is true or false");
      road.clusters.layout.inter_procedural = value == "true";
    }
    if (word == "}") word = next();
  }
  if (word.empty()) return {};
  return usage_error(
      "--propeller_options: {} is not known: there is code_layout_params {{ "
      "inter_function_reordering: true }}",
      printable(word));
}

Status check_gcov_version(std::optional<u32> version) {
  if (version && !profile::is_gcov_version(*version))
    return usage_error(
        "--gcov_version={}: there are 1 (GCC 5 to 11), 2 (12 to 15), 3 (16) and {} (4.7)", *version,
        profile::gcov_version_407);
  return {};
}

Status convert(Conversion&& conversion) {
  auto& road = leak_until_exit(pipeline::Road(std::move(conversion.road)));
  Checks checks(conversion.lists_symbols, conversion.gcov_version);
  TRY(road.run(checks));
  print_summary(road);
  return {};
}

}  // namespace pgokit::cli
