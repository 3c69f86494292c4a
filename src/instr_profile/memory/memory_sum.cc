#include "instr_profile/memory/memory_sum.h"

#include "base/cursor.h"
#include "instr_profile/memory/read_indexed_memory.h"
#include "instr_profile/model/facts.h"

namespace pgokit::instr_profile {

Status MemorySum::add(const MemorySection& section) {
  if (section.bytes.empty()) return {};
  bool adds = !section.is_empty && !empty();
  if (adds) {
    auto profile = TRY(read_indexed_memory(section));
    TRY(read_alone());
    if (!profile.accessed_data.empty() && !sum_->accessed_data.empty())
      return fail("a profile of accessed data, as one before it has; they are not added up");
    sum_->add(profile);
  } else if (!section.is_empty || !any_) {
    sum_.reset();
    alone_ = {std::string(section.bytes), section.begin, section.is_empty};
  }
  any_ = true;
  return {};
}

Status MemorySum::add(const MemoryProfile& profile) {
  TRY(read_alone());
  any_ = true;
  sum_->add(profile);
  return {};
}

// From here on there are several.
Status MemorySum::read_alone() {
  if (sum_) return {};
  MemoryProfile sum;
  if (!alone_.is_empty)
    sum.add(TRY(read_indexed_memory({alone_.bytes, alone_.begin, alone_.is_empty})));
  sum_.emplace(std::move(sum));
  alone_ = {};
  return {};
}

Result<Profile::Memory> MemorySum::finish(const MemoryFormWanted& wanted) && {
  if (!sum_ && !wanted.version && !wanted.all_fields) return std::move(alone_);
  TRY(read_alone());
  MemoryForm form;
  if (wanted.version) form.version = *wanted.version;
  if (wanted.all_fields) form.fields = all_memory_fields;
  return Profile::Memory{write_memory(*sum_, form), 0, sum_->empty()};
}

}  // namespace pgokit::instr_profile
