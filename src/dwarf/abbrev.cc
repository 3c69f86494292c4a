#include "dwarf/abbrev.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "dwarf/constants.h"

namespace pgokit::dwarf {
namespace {

// Compilers use some twenty attributes on an entry. More would make every use of the table slow.
constexpr u32 most_attributes = 256;

constexpr u64 smallest_table = 6;  // one kind of entry without attributes, and the end

constexpr u64 most_fixed_bytes = u64{1} << 28;  // of one step; further ones start a new step

bool is_known(u16 attribute) {
  switch (attribute) {
    case attr::abstract_origin:
    case attr::addr_base:
    case attr::call_column:
    case attr::call_file:
    case attr::call_line:
    case attr::comp_dir:
    case attr::const_value:
    case attr::decl_line:
    case attr::dwo_name:
    case attr::entry_pc:
    case attr::gnu_addr_base:
    case attr::gnu_discriminator:
    case attr::gnu_dwo_id:
    case attr::gnu_dwo_name:
    case attr::gnu_ranges_base:
    case attr::high_pc:
    case attr::language:
    case attr::linkage_name:
    case attr::location:
    case attr::low_pc:
    case attr::mips_linkage_name:
    case attr::name:
    case attr::producer:
    case attr::ranges:
    case attr::rnglists_base:
    case attr::specification:
    case attr::stmt_list:
    case attr::str_offsets_base:
      return true;
    default:
      return false;
  }
}

SkipStep::Kind variable_kind(u16 f) {
  switch (f) {
    case form::udata:
    case form::sdata:
    case form::ref_udata:
    case form::strx:
    case form::addrx:
    case form::loclistx:
    case form::rnglistx:
    case form::gnu_addr_index:
    case form::gnu_str_index:
      return SkipStep::leb;
    case form::string:
      return SkipStep::text;
    case form::block1:
      return SkipStep::block1;
    case form::block2:
      return SkipStep::block2;
    case form::block4:
      return SkipStep::block4;
    case form::block:
    case form::exprloc:
      return SkipStep::block;
    default:
      return SkipStep::slow;
  }
}

}  // namespace

int fixed_size(u16 f, FormSizes sizes) {
  switch (f) {
    case form::flag_present:
    case form::implicit_const:
      return 0;
    case form::data1:
    case form::ref1:
    case form::flag:
    case form::strx1:
    case form::addrx1:
      return 1;
    case form::data2:
    case form::ref2:
    case form::strx2:
    case form::addrx2:
      return 2;
    case form::strx3:
    case form::addrx3:
      return 3;
    case form::data4:
    case form::ref4:
    case form::ref_sup4:
    case form::strx4:
    case form::addrx4:
      return 4;
    case form::data8:
    case form::ref8:
    case form::ref_sup8:
    case form::ref_sig8:
      return 8;
    case form::data16:
      return 16;
    case form::addr:
      return sizes.address;
    case form::ref_addr:
      return sizes.ref_addr();
    case form::strp:
    case form::line_strp:
    case form::sec_offset:
    case form::strp_sup:
    case form::gnu_ref_alt:
    case form::gnu_strp_alt:
      return sizes.offset;
    default:
      return -1;
  }
}

AbbrevTable AbbrevTable::read(Bytes bytes, FormSizes sizes) {
  AbbrevTable table;
  Cursor in(bytes);
  while (u64 code = in.uleb128())
    if (!table.read_declaration(in, code, sizes)) return {};
  if (!in.ok()) return {};
  return table;
}

bool AbbrevTable::read_declaration(Cursor& in, u64 code, FormSizes sizes) {
  Abbrev abbrev;
  u64 entry_tag = in.uleb128();
  abbrev.tag = static_cast<u16>(std::min<u64>(entry_tag, 0xffff));
  abbrev.has_children = in.get<u8>() != 0;
  abbrev.specs = static_cast<u32>(specs_.size());
  while (true) {
    u64 attribute = in.uleb128(), f = in.uleb128();
    if (!in.ok() || !attribute != !f) return false;
    if (!attribute) break;
    if (specs_.size() - abbrev.specs == most_attributes) return false;
    // What does not fit is unknown, and no number that is known.
    AttributeSpec spec{static_cast<u16>(std::min<u64>(attribute, 0xffff)),
                       static_cast<u16>(std::min<u64>(f, 0xffff))};
    int size = fixed_size(spec.form, sizes);
    if (size > 0 && size <= 8) spec.size = static_cast<u8>(size);
    spec.known = is_known(spec.attribute);
    if (spec.form == form::implicit_const) constants_[specs_.size()] = in.sleb128();
    if (spec.attribute == attr::low_pc || spec.attribute == attr::ranges) abbrev.has_code = true;
    if (spec.attribute == attr::linkage_name) has_linkage_names_ = true;
    specs_.push_back(spec);
  }
  if (entry_tag == 0) return false;
  abbrev.spec_count = static_cast<u32>(specs_.size()) - abbrev.specs;
  plan(abbrev, sizes);

  auto position = static_cast<u32>(abbrevs_.size());
  if (position == 0) first_code_ = code;
  if (dense_ == position && code == first_code_ + dense_)
    ++dense_;
  else
    sparse_.try_emplace(code, position);
  abbrevs_.push_back(abbrev);
  return true;
}

void AbbrevTable::plan(Abbrev& abbrev, FormSizes sizes) {
  abbrev.steps = static_cast<u32>(steps_.size());
  u64 bytes = 0;
  auto end_step = [&](SkipStep::Kind kind) {
    steps_.emplace_back(bytes, kind);
    bytes = 0;
  };
  for (u32 i = abbrev.specs; i < specs_.size(); ++i) {
    u16 f = specs_[i].form;
    if (int size = fixed_size(f, sizes); size >= 0) {
      bytes += size;
      if (bytes < most_fixed_bytes) continue;
    }
    SkipStep::Kind kind = bytes < most_fixed_bytes ? variable_kind(f) : SkipStep::slow;
    if (kind == SkipStep::slow) {  // the whole entry, attribute by attribute
      steps_.resize(abbrev.steps);
      bytes = 0;
      end_step(SkipStep::slow);
      break;
    }
    end_step(kind);
  }
  end_step(SkipStep::done);
}

const Abbrev* AbbrevTable::find_sparse(u64 code) const {
  auto found = sparse_.find(code);
  return found == sparse_.end() ? nullptr : &abbrevs_[found->second];
}

const AbbrevTable& AbbrevTables::Slot::get() const {
  std::call_once(once_, [this] { table_ = AbbrevTable::read(bytes_, sizes_); });
  return table_;
}

std::vector<const AbbrevTables::Slot*> AbbrevTables::add(Bytes section,
                                                         const std::vector<Use>& uses) {
  std::vector<u64> starts;
  starts.reserve(uses.size());
  for (const auto& use : uses) starts.push_back(use.offset);
  std::ranges::sort(starts);

  std::map<std::tuple<u64, u16, u8, u8>, const Slot*> known;
  std::vector<const Slot*> result;
  result.reserve(uses.size());
  for (const auto& use : uses) {
    u64 begin = std::min<u64>(use.offset, section.size());
    auto next = std::ranges::upper_bound(starts, use.offset);
    u64 end = next == starts.end() ? section.size() : std::min<u64>(*next, section.size());
    if (end - begin < smallest_table) begin = end = section.size();  // all empty ones are one
    const Slot*& slot = known[{begin, use.sizes.version, use.sizes.address, use.sizes.offset}];
    if (!slot) {
      auto made = std::make_unique<Slot>();
      made->sizes_ = use.sizes;
      made->bytes_ = section.subspan(begin, end - begin);
      slot = made.get();
      slots_.push_back(std::move(made));
    }
    result.push_back(slot);
  }
  return result;
}

}  // namespace pgokit::dwarf
