#include "bolt/jump_tables.h"

#include <algorithm>

#include "base/cursor.h"
#include "object/relocations.h"
#include "program/stubs.h"

namespace pgokit::bolt {
namespace {

// Types of relocations by what they hold, of x86-64 and AArch64.
bool is_absolute(u16 machine, u32 type) {
  if (machine == EM_AARCH64) return type == R_AARCH64_ABS64 || type == R_AARCH64_ABS32;
  return type == R_X86_64_64 || type == R_X86_64_32 || type == R_X86_64_32S;
}
bool is_relative(u16 machine, u32 type) {
  return machine == EM_X86_64 && (type == R_X86_64_PC32 || type == R_X86_64_PC64);
}

bool is_skipped(std::string_view section) {
  return section == ".plt" || section == ".got.plt" || section == ".eh_frame" ||
         section == ".gcc_except_table";
}

}  // namespace

JumpTables::JumpTables(const object::File& file, const Functions& functions)
    : file_(file), functions_(functions) {
  if (functions.has_relocations()) read_relocations(file);
}

void JumpTables::read_relocations(const object::File& file) {
  auto dynamic = program::dynamic_places(file);
  auto symbols = file.symbols();
  auto is_code = [&](u64 section) {
    return section < file.sections().size() && file.sections()[section].executable;
  };
  for (const auto& section : file.sections()) {
    if (!section.loaded || is_skipped(section.name)) continue;
    for (const auto& one : object::Relocations(file).of(section)) {
      if (one.symbol >= symbols.size() || !is_code(symbols[one.symbol].section)) continue;
      if (std::ranges::binary_search(dynamic, one.offset)) continue;
      bool relative = is_relative(file.machine(), one.type);
      if (relative && !section.executable) relative_places_.push_back(one.offset);
      if (!is_absolute(file.machine(), one.type)) continue;
      u64 address = symbols[one.symbol].address + static_cast<u64>(one.addend);
      if (!section.executable) absolute_places_.push_back(one.offset);
      references_.push_back({address, section.executable, one.offset});
    }
  }
  std::ranges::sort(relative_places_);
  std::ranges::sort(absolute_places_);
  std::ranges::sort(references_, {}, &Reference::address);
}

bool JumpTables::may_be_entry(u64 place, bool relative) const {
  if (!functions_.has_relocations()) return true;
  return std::ranges::binary_search(relative ? relative_places_ : absolute_places_, place);
}

const object::Section* JumpTables::data_at(u64 address) const {
  for (const auto& section : file_.sections())
    if (section.loaded && section.holds == object::Holds::bytes && !section.executable &&
        !section.thread_local_data && address - section.address < section.contents.size())
      return &section;
  return nullptr;
}

JumpTables::Reading::Reading(const JumpTables& tables, const FunctionCode::Table& table, u64 next,
                             const Function& function)
    : tables_(tables),
      table_(table),
      function_(function),
      at_(table.address),
      section_(tables.data_at(table.address)) {
  end_ = section_ ? section_->address + section_->contents.size() : 0;
  if (u64 end = tables.functions_.object_end(at_)) end_ = std::min(end_, end);
  if (next) end_ = std::min(end_, next);
}

bool JumpTables::Reading::read(u64& target) {
  u64 size = table_.relative ? 4 : 8;
  if (entries_left_-- == 0 || end_ < size || at_ > end_ - size ||
      !tables_.may_be_entry(at_, table_.relative))
    return false;
  Cursor in(section_->contents.subspan(at_ - section_->address, size));
  target = table_.relative ? table_.address + static_cast<u64>(i64{in.get<i32>()}) : in.get<u64>();
  at_ += size;
  return true;
}

bool JumpTables::Reading::next(u64& target) {
  while (read(target)) {
    if (target == function_.address + function_.size) {
      special = true;  // what cannot be reached
      continue;
    }
    if (target == function_.address) return special = true;
    const auto* holder = tables_.functions_.find(target);
    bool related = holder && holder->holds(target) &&
                   (holder->address == function_.address ||
                    (holder->family && holder->family == function_.family));
    if (!related) return false;
    ++targets;
    return true;
  }
  return false;
}

bool JumpTables::looks_like(const FunctionCode::Table& table, const Function& function) const {
  Reading reading(*this, table, 0, function);
  for (u64 target; reading.next(target);)
    if (reading.targets + reading.special >= 2 && reading.targets) return true;
  return reading.targets + reading.special >= 2;
}

}  // namespace pgokit::bolt
