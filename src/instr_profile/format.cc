#include "instr_profile/format.h"

#include "base/huge_pages.h"
#include "instr_profile/indexed/read_indexed.h"
#include "instr_profile/memory/read_raw_memory.h"
#include "instr_profile/raw/read_raw.h"
#include "instr_profile/text/read_text.h"

namespace pgokit::instr_profile {

std::optional<Form> form_of(Bytes bytes) {
  if (is_indexed(bytes)) return Form::indexed;
  if (is_raw(bytes)) return Form::raw;
  if (is_text(bytes)) return Form::text;
  return std::nullopt;
}

bool looks_like_instr_text(Bytes bytes) {
  constexpr size_t looked_at = 1 << 16;
  if (!is_text(bytes)) return false;
  Facts facts;
  bool any = false;
  constexpr std::string_view enough = "enough";
  // The first function is complete, or what is wrong with it is behind its name.
  auto status = read_text(bytes.first(std::min(bytes.size(), looked_at)), facts,
                          [&](const Record&) -> Status {
                            any = true;
                            return fail("{}", enough);
                          });
  return any || (status && facts.kind != 0);
}

Status read(Bytes bytes, Facts& facts, const TakeRecord& take) {
  if (bytes.empty()) return fail("{}", problem::empty);
  prefer_huge_pages(bytes.size());
  auto form = form_of(bytes);
  if (form == Form::indexed) return read_indexed(bytes, facts, take);
  if (form == Form::raw) return read_raw(bytes, facts, take);
  if (form == Form::text) return read_text(bytes, facts, take);
  if (is_raw_memory(bytes)) return fail("{}: {}", problem::format, raw_memory_profile);
  return fail("{}", problem::format);
}

}  // namespace pgokit::instr_profile
