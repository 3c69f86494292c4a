#include "instr_profile/correlate/collector.h"

namespace pgokit::instr_profile {

void CorrelationWarnings::add(std::string text) {
  if (most == 0 || texts.size() < most)
    texts.push_back(std::move(text));
  else
    ++suppressed;
}

namespace {

Result<const object::Section*> section_named(const object::File& program, std::string_view name) {
  const auto* section = program.section(name);
  if (!section) return fail("unable to correlate profile: could not find section ({})", name);
  return section;
}

}  // namespace

Result<Bytes> section_contents(const object::File& program, std::string_view name) {
  const auto* section = TRY(section_named(program, name));
  return program.contents(*section);
}

Result<Collector> Collector::of(const object::File& program) {
  const auto* section = TRY(section_named(program, "__llvm_prf_cnts"));
  Collector collector;
  collector.begin_ = section->address;
  collector.end_ = section->address + section->size;
  return collector;
}

bool Collector::add(u64 name_hash, u64 hash, u64 counters, u32 count) {
  u64 at = counters - begin_;
  if (!places_.insert(at).second) return false;
  found_.functions.push_back(
      {.name_hash = name_hash, .hash = hash, .counters_at = at, .counters = count});
  return true;
}

Result<Correlation> Collector::finish() && {
  if (found_.functions.empty())
    return fail(
        "unable to correlate profile: could not find any profile data metadata in correlated file");
  return std::move(found_);
}

}  // namespace pgokit::instr_profile
