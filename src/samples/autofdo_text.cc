#include "samples/autofdo_text.h"

#include <algorithm>
#include <functional>

#include "samples/program_match.h"
#include "samples/raw_lines.h"

namespace pgokit::samples {
namespace {

constexpr std::string_view comment = "//", build_id_comment = "// build_id: ";

bool is_comment(const RawLines& lines) {
  return lines.trimmed().empty() || lines.trimmed().starts_with(comment);
}

std::string_view without_end(std::string_view line) {
  while (line.ends_with('\r') || line.ends_with(' ')) line.remove_suffix(1);
  return line;
}

// "address:count".
bool parse_address(std::string_view line, u64& address, u64& count) {
  size_t colon = line.find(':');
  return colon != line.npos && parse_number(line.substr(0, colon), address, 16) &&
         parse_number(without_end(line.substr(colon + 1)), count);
}

Status read_addresses(RawLines& lines, u64& number) {
  if (lines.at_end() || !parse_number(lines.trimmed(), number)) return lines.broken();
  lines.advance();
  for (u64 left = number; left > 0; --left, lines.advance()) {
    u64 address = 0, count = 0;
    if (lines.at_end() || !parse_address(lines.trimmed(), address, count)) return lines.broken();
  }
  return {};
}

// The lines that name the program, behind its counts.
void read_comments(RawLines& lines, AutofdoCounts& into) {
  for (; !lines.at_end() && is_comment(lines); lines.advance()) {
    auto line = without_end(lines.trimmed());
    if (line.starts_with(build_id_comment)) {
      line.remove_prefix(build_id_comment.size());
      if (line.starts_with("0x")) line.remove_prefix(2);
      into.build_id = line;
    } else if (line.size() > comment.size() + 1) {
      into.path = line.substr(comment.size() + 1);
    }
  }
}

// Build ids may be filled up with zeros to 20 bytes.
bool is_same_build(std::string_view a, std::string_view b) {
  if (a.size() > b.size()) std::swap(a, b);
  return b.starts_with(a) && b.find_first_not_of('0', a.size()) == b.npos;
}

bool is_known_build(std::string_view id) { return id.find_first_not_of('0') != id.npos; }

using Place = std::function<BinaryAddr(u64 offset)>;

// By simpleperf.
Place from_first_segment(const object::File& file) {
  u64 base = file.segments().empty() ? 0 : file.segments().front().address;
  return [base](u64 offset) { return BinaryAddr{offset + base}; };
}

// By AutoFDO's tools.
Place in_file(const object::File& file) {
  return [&file](u64 offset) {
    for (const auto& segment : file.segments())
      if (segment.executable && offset - segment.offset < segment.file_size)
        return BinaryAddr{offset - segment.offset + segment.address};
    return external;
  };
}

Counts place(const Counts& offsets, const Place& address_of) {
  auto address = [&](BinaryAddr offset) {
    return offset == external ? external : address_of(offset.value);
  };
  Counts counts;
  for (const auto& range : offsets.ranges) {
    auto start = address(range.start), last = address(range.last);
    if (start != external && last != external) counts.ranges.push_back({start, last, range.count});
  }
  for (const auto& branch : offsets.branches)
    counts.branches.push_back({address(branch.from), address(branch.to), branch.count});
  normalize(counts);
  return counts;
}

i64 branches_from_branches(const Counts& counts, const program::CodeMap& code) {
  return std::ranges::count_if(counts.branches, [&](const BranchCount& branch) {
    auto from = code.index_of(branch.from);
    return from != program::no_code && code.is_instruction(from) && code.is_transfer(from);
  });
}

}  // namespace

bool looks_like_autofdo_text(std::string_view text) {
  RawLines lines(text);
  while (!lines.at_end() && is_comment(lines)) lines.advance();
  u64 ranges = 0, number = 0;
  if (lines.at_end() || !parse_number(without_end(lines.trimmed()), ranges)) return false;
  lines.advance();
  auto is_range = [&] {
    auto line = lines.trimmed();
    return line.contains('-') && line.contains(':') && !line.contains("->");
  };
  for (; ranges > 0 && !lines.at_end() && is_range(); --ranges) lines.advance();
  if (ranges > 0 || lines.at_end() || !parse_number(lines.trimmed(), number)) return false;
  lines.advance();
  if (lines.at_end()) return false;
  u64 address = 0, count = 0;
  if (number > 0) return parse_address(lines.trimmed(), address, count);
  // No addresses: a raw profile ends here, or goes on with the ranges of another block.
  if (!parse_number(lines.trimmed(), number)) return is_comment(lines);
  lines.advance();
  return lines.at_end() || lines.trimmed().contains("->") || is_comment(lines);
}

Result<std::vector<AutofdoCounts>> read_autofdo_text(std::string_view text) {
  std::vector<AutofdoCounts> all;
  RawLines lines(text);
  while (!lines.at_end() && is_comment(lines)) lines.advance();
  if (lines.at_end()) return lines.broken();
  auto address = [&](u64 offset) { return offset == 0 ? external : BinaryAddr{offset}; };
  while (!lines.at_end()) {
    auto& one = all.emplace_back();
    TRY(read_raw_block(lines, "-", [&](u64 start, u64 last, u64 count) {
      one.counts.ranges.push_back({address(start), address(last), count});
    }));
    TRY(read_addresses(lines, one.addresses));
    TRY(read_raw_block(lines, "->", [&](u64 from, u64 to, u64 count) {
      one.counts.branches.push_back({address(from), address(to), count});
    }));
    read_comments(lines, one);
    normalize(one.counts);
  }
  return all;
}

Result<Counts> autofdo_counts_of(std::vector<AutofdoCounts> all, std::string_view name,
                                 std::string_view build_id, bool ignore_build_id) {
  Counts counts;
  bool found = false;
  std::string other_build, others;
  u64 addresses = 0;
  for (auto& one : all) {
    bool known = is_known_build(one.build_id) && is_known_build(build_id);
    bool same = known && is_same_build(one.build_id, build_id);
    bool named = one.path.empty() || file_name(one.path) == name;
    if (all.size() == 1) named = true;
    if (!same && !named) {
      others += fmt::format("{}{}", others.empty() ? "" : ", ", one.path);
      continue;
    }
    if (known && !same && !ignore_build_id) {
      other_build = one.build_id;
      continue;
    }
    found = true;
    addresses += one.addresses;
    merge(counts, one.counts);
  }
  if (!found && !other_build.empty())
    return fail(
        "it was made with another build of {}: build id {}, this program has {}; give the program "
        "that was recorded, or --ignore-build-id if its code is the same",
        name, other_build, build_id);
  if (!found) return fail("has no counts of {}, but of {}", name, others);
  if (counts.ranges.empty() && counts.branches.empty() && addresses > 0)
    return fail(
        "has sampled addresses only, of samples without branch stacks: give the recording itself, "
        "with --allow-ip");
  return counts;
}

Counts placed_autofdo_counts(const Counts& offsets, const program::Program& program) {
  auto simpleperf = place(offsets, from_first_segment(program.file()));
  auto autofdo = place(offsets, in_file(program.file()));
  bool better = branches_from_branches(autofdo, program.code()) >
                branches_from_branches(simpleperf, program.code());
  return better ? autofdo : simpleperf;
}

}  // namespace pgokit::samples
