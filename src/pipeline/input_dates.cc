#include "pipeline/input_dates.h"

#include <algorithm>
#include <chrono>
#include <filesystem>

#include "base/file.h"
#include "base/saturated.h"
#include "base/utc_date.h"
#include "profile/merge/decay.h"

namespace pgokit::pipeline {

namespace fs = std::filesystem;

std::optional<u64> file_date(const std::string& path) {
  std::error_code error;
  if (!fs::is_regular_file(path, error)) return std::nullopt;
  auto written = fs::last_write_time(path, error);
  if (error) return std::nullopt;
  auto since = std::chrono::file_clock::to_sys(written).time_since_epoch();
  auto seconds = std::chrono::floor<std::chrono::seconds>(since).count();
  return std::min(static_cast<u64>(std::max<i64>(seconds, 0)), latest_date);
}

namespace {

InputAge dated(const std::string& path) {
  InputAge age{.path = path};
  auto file = MappedFile::open(path);
  if (!file) return age;  // told when it is merged
  age.date = profile::read_notes(file->bytes()).date();
  if (age.date != 0) return age;
  age.by_file = true;
  age.date = file_date(path).value_or(0);
  return age;
}

}  // namespace

Result<std::vector<InputAge>> weigh_by_age(Inputs& inputs, u64 half_life_days) {
  std::vector<InputAge> ages;
  u64 newest = 0;
  for (const auto& input : inputs) {
    if (input.path == "-")
      return fail("-: --half-life: standard input has no date: write it into a file first");
    ages.push_back(dated(input.path));
    newest = std::max(newest, ages.back().date);
  }
  Inputs kept;
  for (size_t i = 0; i < inputs.size(); ++i) {
    u64 age = ages[i].date ? newest - ages[i].date : 0;
    u64 weight = profile::decayed_weight(age, half_life_days * seconds_of_day);
    ages[i].weight = weight;
    if (weight)
      kept.push_back({std::move(inputs[i].path), multiply_saturated(inputs[i].weight, weight)});
  }
  inputs = std::move(kept);
  return ages;
}

}  // namespace pgokit::pipeline
