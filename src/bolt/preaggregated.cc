#include "bolt/preaggregated.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "base/parse_number.h"
#include "base/printable.h"

namespace pgokit::bolt {
namespace {

class Writer {
 public:
  Writer(std::string_view build_id, const report::TakeText& take)
      : prefix_(build_id.empty() ? "" : std::string(build_id) + ':'), out_(take) {}
  ~Writer() { out_.flush(); }

  void line(char kind, std::initializer_list<BinaryAddr> addresses,
            std::initializer_list<u64> counts) {
    out_.text(kind);
    for (auto address : addresses) {
      bool outside = address == samples::external;
      out_.text(' ');
      if (!outside) out_.text(prefix_);
      char digits[16];
      auto end = std::to_chars(digits, std::end(digits), outside ? 0 : address.value, 16).ptr;
      out_.text({digits, static_cast<size_t>(end - digits)});
    }
    for (u64 count : counts) {
      out_.text(' ');
      out_.decimal(count);
    }
    out_.text('\n');
  }
  report::TextBuffer& out() { return out_; }

 private:
  std::string prefix_;
  report::TextBuffer out_;
};

class Words {
 public:
  explicit Words(std::string_view line) : rest_(line) {}
  std::string_view next() {
    rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t\r"), rest_.size()));
    auto word = rest_.substr(0, rest_.find_first_of(" \t\r"));
    rest_.remove_prefix(word.size());
    return word;
  }

 private:
  std::string_view rest_;
};

struct Form {
  char kind;
  u8 addresses, counts;
};
constexpr Form forms[] = {{'T', 3, 1}, {'R', 3, 1}, {'B', 2, 2}, {'F', 2, 1},
                          {'f', 2, 1}, {'r', 2, 1}, {'S', 1, 1}};

class Reader {
 public:
  explicit Reader(std::string_view build_id) : build_id_(build_id) {}

  bool take(std::string_view line) {
    Words words(line);
    auto kind = words.next();
    if (kind == "E") {
      auto event = words.next();
      read.events.emplace_back(event);
      return !event.empty() && words.next().empty();
    }
    const auto* form =
        kind.size() == 1 ? std::ranges::find(forms, kind[0], &Form::kind) : std::end(forms);
    if (form == std::end(forms)) return false;
    std::array<BinaryAddr, 3> at{};
    std::array<u64, 2> count{};
    for (size_t i = 0; i < form->addresses; ++i)
      if (!address(words.next(), at[i])) return false;
    for (size_t i = 0; i < form->counts; ++i)
      if (!parse_number(words.next(), count[i])) return false;
    if (!words.next().empty()) return false;
    add(form->kind, at, count);
    return true;
  }

  Preaggregated read;

 private:
  bool address(std::string_view word, BinaryAddr& at) const {
    size_t colon = word.find(':');
    bool elsewhere = colon != word.npos && word.substr(0, colon) != build_id_;
    if (colon != word.npos) word.remove_prefix(colon + 1);
    auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), at.value, 16);
    if (word.empty() || error != std::errc() || end != word.data() + word.size()) return false;
    if (elsewhere || at.value == 0) at = samples::external;
    return true;
  }

  void add(char kind, const std::array<BinaryAddr, 3>& at, const std::array<u64, 2>& count) {
    auto& traces = read.traces;
    switch (kind) {
      case 'S':
        return read.addresses.push_back({at[0], count[0]});
      case 'B':
        if (count[1]) traces.mispredicted.push_back({at[0], at[1], count[1]});
        return traces.list.push_back({at[0], at[1], unknown, count[0]});
      case 'T':
        return traces.list.push_back({at[0], at[1], at[2], count[0]});
      case 'R': {
        bool outside = at[0] == samples::external;
        if (!outside) traces.returns.push_back(at[0]);
        return traces.list.push_back({outside ? external_return : at[0], at[1], at[2], count[0]});
      }
      default:
        BinaryAddr origin = kind == 'F'   ? no_branch
                            : kind == 'f' ? external_origin
                                          : external_return;
        return traces.list.push_back({origin, at[0], at[1], count[0]});
    }
  }

  std::string_view build_id_;
};

}  // namespace

void write_preaggregated(const Traces& traces, std::string_view build_id,
                         const report::TakeText& take) {
  Writer writer(build_id, take);
  for (const auto& trace : traces.list) {
    if (trace.branch == external_return)
      writer.line('r', {trace.from, trace.to}, {trace.count});
    else if (trace.branch == external_origin)
      writer.line('f', {trace.from, trace.to}, {trace.count});
    else if (trace.branch == no_branch)
      writer.line('F', {trace.from, trace.to}, {trace.count});
    else if (trace.to == unknown)
      writer.line('B', {trace.branch, trace.from}, {trace.count, 0});
    else
      writer.line('T', {trace.branch, trace.from, trace.to}, {trace.count});
  }
  // T has no place for them.
  for (const auto& branch : traces.mispredicted)
    writer.line('B', {branch.from, branch.to}, {0, branch.count});
}

void write_preaggregated(const std::vector<AddressCount>& counts,
                         const std::vector<std::string>& events, std::string_view build_id,
                         const report::TakeText& take) {
  Writer writer(build_id, take);
  for (const auto& event : events) {
    writer.out().text("E ");
    writer.out().text(event);
    writer.out().text('\n');
  }
  for (const auto& one : counts)
    if (one.address != samples::external) writer.line('S', {one.address}, {one.count});
}

Result<Preaggregated> read_preaggregated(std::string_view text, std::string_view build_id) {
  Reader reader(build_id);
  for (u64 number = 1; !text.empty(); ++number) {
    auto line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    ++reader.read.lines;
    if (!reader.take(line))
      return fail("line {} is no pre-aggregated trace (T, R, B, F, f, r, S or E): {}", number,
                  printable(line.substr(0, 60)));
  }
  reader.read.traces.normalize();
  auto& events = reader.read.events;
  std::ranges::sort(events);
  auto repeated = std::ranges::unique(events);
  events.erase(repeated.begin(), repeated.end());
  return std::move(reader.read);
}

}  // namespace pgokit::bolt
