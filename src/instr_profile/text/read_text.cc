#include "instr_profile/text/read_text.h"

#include <algorithm>
#include <cctype>
#include <charconv>

#include "base/cursor.h"
#include "base/function_name.h"
#include "base/parse_number.h"

namespace pgokit::instr_profile {
namespace {

constexpr size_t looked_at = 8;

// With a prefix (0x, 0b, 0o, or 0 for octal) where the base is open.
template <class Number>
bool parse_any_base(std::string_view text, Number& value) {
  auto lower = [](char c) { return static_cast<char>(c | 0x20); };
  int base = 10;
  if (text.size() > 1 && text[0] == '0') {
    char letter = lower(text[1]);
    base = letter == 'x' ? 16 : letter == 'b' ? 2 : 8;
    bool has_letter = base != 8 || letter == 'o';
    text.remove_prefix(has_letter ? 2 : 1);
  }
  return parse_number(text, value, base);
}

bool equals_ignoring_case(std::string_view a, std::string_view b) {
  return std::ranges::equal(
      a, b, [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

std::string_view trimmed(std::string_view text) {
  constexpr const char* blanks = " \t\n\v\f\r";
  size_t begin = text.find_first_not_of(blanks);
  if (begin == text.npos) return {};
  return text.substr(begin, text.find_last_not_of(blanks) - begin + 1);
}

struct Flag {
  std::string_view name;
  u64 set, clear = 0;
};
constexpr Flag flags[] = {{"ir", Kind::ir},
                          {"fe", Kind::frontend},
                          {"csir", Kind::ir | Kind::context_sensitive},
                          {"entry_first", Kind::entry_first},
                          {"not_entry_first", 0, Kind::entry_first},
                          {"instrument_loop_entries", Kind::loop_entries},
                          {"single_byte_coverage", Kind::byte_coverage}};

class Reader {
 public:
  Reader(std::string_view text, Facts& facts) : begin_(text.data()), rest_(text), facts_(facts) {
    advance();
  }

  Status read(const TakeRecord& take) {
    TRY(read_flags());
    while (!at_end_) TRY(read_record(take));
    return {};
  }

 private:
  void advance() {
    do {
      at_end_ = rest_.empty();
      if (at_end_) return;
      size_t end = std::min(rest_.find('\n'), rest_.size());
      line_ = rest_.substr(0, end);
      rest_.remove_prefix(std::min(end + 1, rest_.size()));
      if (line_.ends_with('\r')) line_.remove_suffix(1);
    } while (line_.empty() || line_.starts_with('#'));
  }

  std::string place() const {
    auto offset = static_cast<size_t>((at_end_ ? rest_.data() : line_.data()) - begin_);
    return fmt::format("offset {:#x}", offset);
  }
  std::unexpected<Error> truncated() const { return fail("{} ({})", problem::truncated, place()); }
  std::unexpected<Error> malformed(std::string_view what) const {
    constexpr size_t shown = 60;
    return fail("{}: {} ({}: '{}')", problem::malformed, what, place(), line_.substr(0, shown));
  }

  template <class Number>
  Status number(Number& value, std::string_view what) {
    if (at_end_) return truncated();
    if (!parse_number(line_, value)) return malformed(what);
    advance();
    return {};
  }
  template <class Number>
  Status number_of_any_base(Number& value, std::string_view text, std::string_view what) {
    if (at_end_) return truncated();
    if (!parse_any_base(text, value)) return malformed(what);
    advance();
    return {};
  }

  Status read_flags() {
    for (; !at_end_ && line_.starts_with(':'); advance()) {
      auto name = line_.substr(1);
      if (equals_ignoring_case(name, "temporal_prof_traces")) {
        facts_.kind |= Kind::temporal;
        TRY(read_traces());
        continue;
      }
      const auto* flag = std::ranges::find_if(
          flags, [&](const Flag& known) { return equals_ignoring_case(name, known.name); });
      if (flag == std::end(flags))
        return fail("{} ({}: '{}')", problem::header, place(), line_.substr(0, 60));
      facts_.kind = (facts_.kind | flag->set) & ~flag->clear;
    }
    return {};
  }

  // Leaves the last line of them to be advanced over.
  Status read_traces() {
    u32 traces = 0;
    advance();
    TRY(number_of_any_base(traces, line_, "number of traces is invalid"));
    if (at_end_) return truncated();
    if (!parse_any_base(line_, facts_.traces_seen)) return malformed("number of traces is invalid");
    for (u32 i = 0; i < traces; ++i) {
      Trace trace;
      advance();
      TRY(number_of_any_base(trace.weight, line_, "weight of a trace is invalid"));
      if (at_end_) return truncated();
      std::string_view names = line_;
      while (!names.empty()) {
        size_t comma = std::min(names.find(','), names.size());
        auto name = names.substr(0, comma);
        if (!name.empty()) trace.functions.push_back(function_guid(trimmed(name)));
        names.remove_prefix(std::min(comma + 1, names.size()));
      }
      facts_.traces.push_back(std::move(trace));
    }
    return {};
  }

  Status read_record(const TakeRecord& take) {
    Record record{.name = line_};
    if (facts_.wants_names) facts_.names.add(record.name);
    advance();
    TRY(number_of_any_base(record.hash, line_, "function hash is not a valid integer"));
    u64 counters = 0;
    TRY(number(counters, "number of counters is not a valid integer"));
    if (counters == 0)
      return fail("{}: number of counters is zero ({})", problem::malformed, place());
    counters_.clear();
    for (u64 i = 0; i < counters; ++i) {
      counters_.emplace_back();
      TRY(number(counters_.back(), "count is invalid"));
    }
    TRY(read_bitmap());
    TRY(read_values());
    record.counters = counters_;
    record.bitmap = bitmap_;
    if (!values_.empty()) record.values = &values_;
    return take(record);
  }

  Status read_bitmap() {
    bitmap_.clear();
    if (at_end_ || !line_.starts_with('$')) return {};
    u64 bytes = 0;
    TRY(number_of_any_base(bytes, trimmed(line_.substr(1)),
                           "number of bitmap bytes is not a valid integer"));
    for (u64 i = 0; i < bytes; ++i) {
      bitmap_.emplace_back();
      TRY(number_of_any_base(bitmap_.back(), line_, "bitmap byte is not a valid integer"));
    }
    return {};
  }

  // A number where the next function's name would be says that there are values.
  Status read_values() {
    values_.clear();
    u32 kinds = 0;
    if (at_end_ || !parse_number(line_, kinds)) return {};
    if (kinds == 0 || kinds > value_kinds) return malformed("number of value kinds is invalid");
    advance();
    u32 last_kind = 0;
    for (u32 i = 0; i < kinds; ++i) {
      u32 kind = 0, sites = 0;
      if (!at_end_ && parse_number(line_, kind) &&
          (kind >= value_kinds || (i && kind <= last_kind)))
        return malformed("value kind is invalid");
      TRY(number(kind, "value kind is invalid"));
      TRY(number(sites, "number of value sites is invalid"));
      for (u32 site = 0; site < sites; ++site) TRY(read_site(static_cast<ValueKind>(kind)));
      values_.sites[kind] = sites;
      last_kind = kind;
    }
    return {};
  }

  Status read_site(ValueKind kind) {
    u16 values = 0;
    TRY(number(values, "number of values is invalid"));
    values_.sizes.emplace_back(values);
    for (u16 i = 0; i < values; ++i) {
      if (at_end_) return truncated();
      size_t colon = line_.rfind(':');
      auto what = line_.substr(0, colon);
      ValueCount value{};
      bool good = colon != line_.npos && parse_number(line_.substr(colon + 1), value.count);
      if (kind == ValueKind::memop_size) {
        good = good && parse_number(what, value.value);
      } else if (what != external_symbol) {
        value.value = function_guid(what);
        if (facts_.wants_names) facts_.names.add(value.value, what);
      }
      if (!good) return malformed("value is invalid");
      values_.values.emplace_back(value);
      advance();
    }
    return {};
  }

  const char* begin_;
  std::string_view rest_, line_;
  bool at_end_ = false;
  Facts& facts_;
  std::vector<u64> counters_;
  std::vector<u8> bitmap_;
  SiteValues values_;
};

}  // namespace

bool is_text(Bytes bytes) {
  return std::ranges::all_of(bytes.first(std::min(bytes.size(), looked_at)), [](u8 c) {
    return (c >= ' ' && c <= '~') || (c >= '\t' && c <= '\r');
  });
}

Status read_text(Bytes bytes, Facts& facts, const TakeRecord& take) {
  return Reader(as_text(bytes), facts).read(take);
}

}  // namespace pgokit::instr_profile
