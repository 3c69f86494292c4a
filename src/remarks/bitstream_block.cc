#include "remarks/bitstream_block.h"

namespace pgokit::remarks {
namespace {

constexpr u64 end_block = 0, define_abbreviation = 2, unabbreviated = 3, first_abbreviation = 4;
using Encoding = Operand::Encoding;

bool has_width(Encoding encoding) {
  return encoding == Encoding::fixed || encoding == Encoding::vbr;
}

bool is_value(const Operand& operand) {
  return operand.encoding != Encoding::array && operand.encoding != Encoding::blob;
}

// Arrays are followed by the form of their elements and nothing else; so are blobs by nothing.
bool makes_sense(const Abbreviation& abbreviation) {
  if (abbreviation.empty() || !is_value(abbreviation[0])) return false;
  for (size_t i = 1; i < abbreviation.size(); ++i) {
    size_t after = abbreviation.size() - i - 1;
    if (abbreviation[i].encoding == Encoding::array)
      return after == 1 && is_value(abbreviation[i + 1]);
    if (abbreviation[i].encoding == Encoding::blob) return after == 0;
  }
  return true;
}

}  // namespace

std::optional<BlockHeader> enter_block(BitReader& in) {
  constexpr u64 widest = 32;
  BlockHeader block;
  block.id = in.vbr(8);
  u64 width = in.vbr(4);
  in.align();
  u64 words = in.fixed(32);
  block.contents = in.take(4 * words);
  if (!in.ok() || width < 2 || width > widest) return {};
  block.width = static_cast<u32>(width);
  return block;
}

bool BlockReader::next() {
  while (ok() && !in_.at_end()) {
    u64 number = in_.fixed(width_);
    if (number == end_block) return false;
    if (number == enter_block_number) {
      ok_ = enter_block(in_).has_value();
      continue;
    }
    if (number == define_abbreviation) {
      ok_ = define();
      continue;
    }
    count_ = 0;
    has_code_ = false;
    blob_ = {};
    if (number == unabbreviated) return ok_ = read_plain();
    u64 index = number - first_abbreviation;
    if (index < shared_.size()) return ok_ = read_abbreviated(shared_[index]);
    index -= shared_.size();
    if (index < own_.size()) return ok_ = read_abbreviated(own_[index]);
    ok_ = false;
  }
  return false;
}

bool BlockReader::define() {
  u64 count = in_.vbr(5);
  if (count > most_operands || define_in_->size() == most_abbreviations) return false;
  Abbreviation abbreviation;
  for (u64 i = 0; i < count; ++i) {
    Operand operand;
    if (in_.fixed(1)) {
      operand.value = in_.vbr(8);
    } else {
      u64 encoding = in_.fixed(3);
      if (encoding < 1 || encoding > static_cast<u64>(Encoding::blob)) return false;
      operand.encoding = static_cast<Encoding>(encoding);
      if (has_width(operand.encoding)) operand.value = in_.vbr(5);
      bool reads = operand.encoding == Encoding::vbr ? operand.value >= 2 && operand.value <= 32
                                                     : operand.value <= 64;
      if (!reads) return false;
    }
    abbreviation.push_back(operand);
  }
  if (!in_.ok() || !makes_sense(abbreviation)) return false;
  define_in_->push_back(std::move(abbreviation));
  return true;
}

bool BlockReader::read_plain() {
  constexpr u32 width = 6;
  put(in_.vbr(width));
  u64 count = in_.vbr(width);
  for (u64 i = 0; i < count && in_.ok(); ++i) put(in_.vbr(width));
  return in_.ok();
}

bool BlockReader::read_abbreviated(const Abbreviation& abbreviation) {
  for (size_t i = 0; i < abbreviation.size(); ++i) {
    const auto& operand = abbreviation[i];
    if (operand.encoding == Encoding::array) return read_array(abbreviation[i + 1]);
    if (operand.encoding == Encoding::blob) {
      u64 size = in_.vbr(6);
      in_.align();
      blob_ = in_.take(size);
      in_.align();
    } else {
      put(read_value(operand));
    }
  }
  return in_.ok();
}

// Elements of no bits would make a count run as long as it likes.
bool BlockReader::read_array(const Operand& element) {
  u64 count = in_.vbr(6);
  for (u64 i = 0; i < count && in_.ok(); ++i) {
    u64 before = in_.position();
    put(read_value(element));
    if (in_.position() == before) return false;
  }
  return in_.ok();
}

u64 BlockReader::read_value(const Operand& operand) {
  switch (operand.encoding) {
    case Encoding::literal:
      return operand.value;
    case Encoding::vbr:
      return in_.vbr(static_cast<u32>(operand.value));
    case Encoding::char6:
      return in_.fixed(6);
    default:
      return in_.fixed(static_cast<u32>(operand.value));
  }
}

void BlockReader::put(u64 value) {
  if (!has_code_) {
    code_ = value;
    has_code_ = true;
  } else if (count_ < most_values) {
    operands_[count_++] = value;
  }
}

}  // namespace pgokit::remarks
