#include "pipeline/input_checks.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "base/file.h"
#include "object/file.h"
#include "samples/program_match.h"

namespace pgokit::pipeline {
namespace {

bool is_same_file(const std::string& a, const std::string& b) {
  if (a == b) return true;
  std::error_code error;
  return a != "-" && b != "-" && std::filesystem::equivalent(a, b, error) && !error;
}

// It would be replaced by what is written; not so devices and pipes.
bool is_replaced(const std::filesystem::path& path) {
  std::error_code error;
  return !std::filesystem::exists(path, error) || std::filesystem::is_regular_file(path, error);
}

// Not of devices and pipes: they give something else each time.
bool is_one_file_twice(const std::string& a, const std::string& b) {
  std::error_code error;
  return is_same_file(a, b) && (a == "-" || std::filesystem::is_regular_file(a, error));
}

}  // namespace

bool is_program(const std::string& path) {
  auto image = MappedFile::open_regular(path);
  return image && object::File::parse(image->bytes());
}

Status check_files(const std::vector<std::string>& inputs, const std::string& binary,
                   const std::string& output) {
  for (size_t i = 0; i < inputs.size(); ++i)
    for (size_t j = 0; j < i; ++j)
      if (is_one_file_twice(inputs[i], inputs[j]))
        return usage_error("{} is given twice: its samples would count double", inputs[i]);
  if (output.empty() || output == "-") return {};
  if (!binary.empty() && is_one_file_twice(output, binary))
    return usage_error("-o {}: the profile would replace the program", output);
  if (is_program(output))
    return usage_error("-o {}: it is a program, which the profile would replace", output);
  for (const auto& input : inputs)
    if (is_one_file_twice(output, input))
      return usage_error("-o {}: the profile would replace what it is made from", output);
  return {};
}

Status check_outputs(std::span<const std::string> outputs) {
  auto place = [](const std::string& path) {
    std::error_code error;
    auto found = std::filesystem::weakly_canonical(std::filesystem::absolute(path, error), error);
    return error ? std::filesystem::path(path) : found;
  };
  for (size_t i = 0; i < outputs.size(); ++i)
    for (size_t j = 0; j < i; ++j)
      if (place(outputs[i]) == place(outputs[j]) && is_replaced(outputs[i]))
        return usage_error("{} and {} are one file: give the two outputs two", outputs[j],
                           outputs[i]);
  return {};
}

std::string not_whole(const std::string& why) {
  return why.empty() ? ""
                     : fmt::format("the recording is not whole ({}), and in what is there: ", why);
}

std::string nothing_in(const std::string& cut_short) {
  if (cut_short.empty()) return std::string(samples::no_samples);
  return fmt::format(
      "there are no samples in it: the recording is not whole ({}): copy it again, or record again",
      cut_short);
}

Status check_threads(u64 threads) {
  constexpr u64 most = 256;
  if (threads > most) return usage_error("--threads {}: at most {}", threads, most);
  return {};
}

Status check_package(const program::Program& program) {
  const auto& package = program.options().dwp_path;
  if (package.empty() || (program.debug() && program.debug()->facts().split_units > 0)) return {};
  return fail("--dwp {}: {} has no debug information that is split (-gsplit-dwarf): leave it out",
              package, program.path());
}

Status check_given(std::span<const std::string> given, const Input& kind, std::string_view path) {
  constexpr std::string_view of_samples[] = {"--event", "--pid", "--allow-ip", "--kernel"};
  constexpr std::string_view of_recordings[] = {"--context-sensitive", "--stats", "--timings"};
  if (kind.of_samples) return {};
  bool exact = is_of_counters(&kind);
  for (const auto& option : given) {
    bool refused = std::ranges::count(of_samples, option) > 0;
    if (exact) refused |= std::ranges::count(of_recordings, option) > 0;
    if (refused) return usage_error("{} says nothing about {} ({})", option, kind.name, path);
  }
  return {};
}

}  // namespace pgokit::pipeline
