#include "remarks/bitstream.h"

#include <limits>
#include <vector>

#include "base/cursor.h"
#include "base/printable.h"
#include "remarks/bitstream_block.h"

namespace pgokit::remarks {
namespace {

constexpr std::string_view magic = "RMRK";

enum Block : u64 { block_info = 0, meta_block = 8, remark_block = 9 };

enum Code : u64 {
  container_info = 1,
  remark_version,
  string_table,
  external_file,
  header,
  location,
  hotness,
  argument_with_location,
  argument
};

std::unexpected<Error> damaged() { return fail("the bitstream of remarks is damaged"); }

// Strings that each end in a NUL, by number.
class StringTable {
 public:
  Status read(Bytes table) {
    text_ = as_text(table);
    if (text_.size() > std::numeric_limits<u32>::max()) return damaged();
    starts_.clear();
    for (size_t at = 0; at < text_.size();) {
      starts_.push_back(static_cast<u32>(at));
      at = std::min(text_.find('\0', at), text_.size() - 1) + 1;
    }
    return {};
  }

  std::optional<std::string_view> at(u64 number) const {
    if (number >= starts_.size()) return {};
    auto rest = text_.substr(starts_[number]);
    return rest.substr(0, rest.find('\0'));
  }

 private:
  std::string_view text_;
  std::vector<u32> starts_;
};

class BitstreamReader {
 public:
  BitstreamReader(Bytes file, const Visitor& visit) : file_(file), visit_(visit) {}

  // The table of strings comes last, so blocks are passed over once before remarks are read.
  Status read() {
    TRY(each_block([&](const BlockHeader& block) -> Status {
      if (block.id == block_info) return read_block_info(block);
      return block.id == meta_block ? read_meta(block) : Status();
    }));
    return each_block([&](const BlockHeader& block) -> Status {
      return block.id == remark_block ? read_remark(block) : Status();
    });
  }

 private:
  template <class Visit>
  Status each_block(Visit visit) {
    BitReader in(file_);
    in.take(magic.size());
    while (!in.at_end()) {
      if (in.fixed(outer_width) != enter_block_number) return damaged();
      auto block = enter_block(in);
      if (!block) return damaged();
      TRY(visit(*block));
    }
    return {};
  }

  Status read_block_info(const BlockHeader& header) {
    constexpr u64 set_block = 1;
    const Abbreviations none;
    Abbreviations of_others;
    BlockReader block(header, none);
    block.define_in(of_others);
    while (block.next()) {
      if (block.code() != set_block || block.operands().empty()) continue;
      u64 id = block.operands()[0];
      of_others.clear();
      block.define_in(id == meta_block     ? meta_abbreviations_
                      : id == remark_block ? remark_abbreviations_
                                           : of_others);
    }
    return block.ok() ? Status() : damaged();
  }

  Status read_meta(const BlockHeader& header) {
    BlockReader block(header, meta_abbreviations_);
    while (block.next()) {
      auto values = block.operands();
      if (block.code() == string_table) TRY(strings_.read(block.blob()));
      if (block.code() == external_file)
        return fail("has no remarks, but the name of the file with them: {}",
                    printable_line(as_text(block.blob())));
      constexpr u64 last_container = 1, last_remark = 0;
      if (block.code() == container_info && !values.empty() && values[0] > last_container)
        return fail("container version {} of remarks is not known", values[0]);
      if (block.code() == remark_version && !values.empty() && values[0] > last_remark)
        return fail("version {} of remarks is not known", values[0]);
    }
    return block.ok() ? Status() : damaged();
  }

  Status read_remark(const BlockHeader& header) {
    remark_ = {};
    arguments_.clear();
    BlockReader block(header, remark_abbreviations_);
    while (block.next())
      if (!take(block.code(), block.operands())) return damaged();
    if (!block.ok() || remark_.function.data() == nullptr) return damaged();
    remark_.arguments = arguments_;
    visit_(remark_);
    return {};
  }

  bool take(u64 code, std::span<const u64> values) {
    switch (code) {
      case Code::header:
        return take_header(values);
      case location:
        return (remark_.at = location_of(values)).has_value();
      case Code::hotness:
        if (values.size() == 1) remark_.hotness = values[0];
        return values.size() == 1;
      case argument_with_location:
      case argument:
        return take_argument(values);
      default:
        return true;
    }
  }

  bool take_header(std::span<const u64> values) {
    if (values.size() != 4 || values[0] >= kinds) return false;
    remark_.kind = static_cast<Kind>(values[0]);
    return take_text(values[1], remark_.name) && take_text(values[2], remark_.pass) &&
           take_text(values[3], remark_.function);
  }

  bool take_argument(std::span<const u64> values) {
    if ((values.size() != 2 && values.size() != 5) || arguments_.size() == most_arguments)
      return false;
    auto& one = arguments_.emplace_back();
    if (!take_text(values[0], one.key) || !take_text(values[1], one.value)) return false;
    if (values.size() == 5) one.at = location_of(values.subspan(2));
    return values.size() == 2 || one.at;
  }

  std::optional<SourceLocation> location_of(std::span<const u64> values) const {
    SourceLocation at;
    if (values.size() != 3 || !take_text(values[0], at.file)) return {};
    at.line = static_cast<u32>(values[1]);
    at.column = static_cast<u32>(values[2]);
    return at;
  }

  bool take_text(u64 number, std::string_view& text) const {
    auto found = strings_.at(number);
    text = found.value_or(std::string_view());
    return found.has_value();
  }

  Bytes file_;
  const Visitor& visit_;
  Abbreviations meta_abbreviations_, remark_abbreviations_;
  StringTable strings_;
  Remark remark_;
  std::vector<Argument> arguments_;
};

}  // namespace

bool is_bitstream(Bytes file) { return as_text(file).starts_with(magic); }

Status each_of_bitstream(Bytes file, const Visitor& visit) {
  return BitstreamReader(file, visit).read();
}

}  // namespace pgokit::remarks
