#include "pipeline/foreign_formats.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>

#include "base/cursor.h"
#include "instr_profile/format.h"
#include "instr_profile/memory/read_raw_memory.h"
#include "perf/script.h"
#include "report/json.h"

namespace pgokit::pipeline {
namespace {

using perf::script_detail::parse_decimal;
using perf::script_detail::parse_hex;

constexpr size_t most_words = 16;

struct Words {
  std::array<std::string_view, most_words> list;
  size_t count = 0;
};

Words words_of(std::string_view line) {
  Words words;
  while (words.count < most_words) {
    size_t start = line.find_first_not_of(" \t\r");
    if (start == line.npos) break;
    line.remove_prefix(start);
    words.list[words.count++] = line.substr(0, line.find_first_of(" \t\r"));
    line.remove_prefix(words.list[words.count - 1].size());
  }
  return words;
}

bool is_hex(std::string_view word) {
  u64 value;
  return parse_hex(word, value);
}

bool is_decimal(std::string_view word) {
  u64 value;
  return parse_decimal(word, value);
}

// "1 main 2a 1 work 0 3 120": kind, name and offset of both ends, mispredictions, count; or one
// end and a count, without branches.
bool is_fdata(const Words& words) {
  const auto& w = words.list;
  auto is_end = [&](size_t i) { return w[i].size() == 1 && w[i] <= "5" && is_hex(w[i + 2]); };
  if (words.count == 1) return w[0] == "boltedcollection" || w[0] == "no_lbr";
  if (words.count == 2) return w[0] == "no_lbr";
  if (words.count == 4) return is_end(0) && is_decimal(w[3]);
  return words.count == 8 && is_end(0) && is_end(3) && is_decimal(w[6]) && is_decimal(w[7]);
}

// "B 4010a0 401200 12 0", "F X:4010a0 4010b0 7": addresses, perhaps behind the build id of a file.
bool is_preaggregated(const Words& words) {
  const auto& w = words.list;
  if (words.count < 3 || w[0].size() > 2 || !std::string_view("BFTfRSEr").contains(w[0][0]))
    return false;
  if (words.count == 3 && !w[0].starts_with('S') && !w[0].starts_with('E')) return false;
  for (size_t i = 1; i < words.count; ++i)
    if (!is_hex(w[i].substr(w[i].rfind(':') + 1))) return false;
  return true;
}

// Of the first lines that are not empty: all are so.
bool all_lines(std::string_view text, bool (*is)(const Words&)) {
  constexpr size_t enough = 20;
  size_t seen = 0;
  for (perf::Lines lines(text); !lines.at_end() && seen < enough; lines.advance()) {
    auto words = words_of(lines.line());
    if (words.count == 0) continue;
    if (!is(words)) return false;
    ++seen;
  }
  return seen > 0;
}

// "... 401010 main+0x10 (/bin/app) => 401020 work+0x0 (/bin/app)"
bool is_branch_trace(std::string_view text) {
  constexpr size_t enough = 1 << 16;
  text = text.substr(0, enough);
  return text.contains(" => ") && text.contains(" (");
}

std::string_view without_blanks(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
  return text;
}

bool is_html(std::string_view text) {
  std::string begin(without_blanks(text).substr(0, 14));
  std::ranges::transform(begin, begin.begin(), [](unsigned char c) { return std::tolower(c); });
  return begin == "<!doctype html" || begin.starts_with("<html");
}

// Empty: it is no JSON.
std::string_view json_kind(std::string_view text) {
  auto rest = without_blanks(text);
  if ((!rest.starts_with('{') && !rest.starts_with('[')) || !report::is_json(text)) return {};
  if (text.contains(key_of_explanation))
    return "JSON of 'pgokit explain', not a recording or profile: 'pgokit report' shows it with "
           "--explanation, beside one of these";
  if (text.contains(key_of_measurement))
    return "JSON of 'pgokit measure', not a recording or profile: 'pgokit report' shows it with "
           "--measurement, beside one of these";
  return "JSON, not a recording or profile: give the file that it was made of";
}

bool is_text(std::string_view text) { return !text.substr(0, 4096).contains('\0'); }

}  // namespace

std::string_view foreign_format(Bytes bytes) {
  auto text = as_text(bytes);
  if (text.starts_with("adcg") || text.starts_with("oncg"))
    return "counters of gcc's -fprofile-generate (.gcda, .gcno): -fprofile-use reads them";
  if (instr_profile::is_raw_memory(bytes)) return instr_profile::raw_memory_profile;
  if (!is_text(text)) return {};
  if (is_html(text))
    return "an HTML page, not a recording or profile: give the files that it was made of (pages of "
           "pgokit report tell them under Commands)";
  if (auto what = json_kind(text); !what.empty()) return what;
  if (text.starts_with("---") && text.substr(0, 4096).contains("profile-version:"))
    return "a profile for BOLT (YAML), which llvm-bolt -data reads: a profile for clang is made "
           "from the recording";
  if (all_lines(text, is_fdata))
    return "a profile for BOLT (fdata), which llvm-bolt -data reads: a profile for clang is made "
           "from the recording";
  if (all_lines(text, is_preaggregated))
    return "pre-aggregated branches for perf2bolt -pa: a profile for clang is made from the "
           "recording";
  if (is_branch_trace(text))
    return "a trace of single branches (perf script --itrace=b), not of samples with branch "
           "stacks: make these with perf inject --itrace=i1000il64 --strip from the recording";
  return {};
}

}  // namespace pgokit::pipeline
