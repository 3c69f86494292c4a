#include "perf/branch_counts.h"

#include "base/saturated.h"
#include "perf/count_coding.h"

namespace pgokit::perf {
namespace {

// The first one does not tell the uncertainty. That of parts of runs is the third, so that nobody who
// knows only the others takes them for whole ones.
constexpr u64 version = 2, version_of_parts = 3;

void write_limits(CountEncoder& out, const std::vector<BranchCounts::Limit>& list) {
  u64 before = 0;
  out.number(list.size());
  for (const auto& one : list) out.place(one.at, before), out.number(one.count);
}

std::vector<BranchCounts::Limit> read_limits(CountDecoder& in, size_t files) {
  std::vector<BranchCounts::Limit> list;
  u64 before = 0;
  for (u64 n = in.number(); n > 0 && in.ok(); --n) {
    auto at = in.place(before, files);
    list.push_back({at, in.number()});
  }
  return list;
}

}  // namespace

std::string encode(const BranchCounts& counts) {
  CountEncoder out;
  out.number(counts.part_of_run ? version_of_parts : version);
  out.number(counts.scale);
  out.number(counts.windows.number), out.number(counts.windows.uncertainty);
  out.number(counts.files.size());
  for (const auto& file : counts.files) out.bytes(file.path), out.bytes(as_text(file.build_id));
  u64 from = 0, to = 0;
  out.number(counts.branches.size());
  for (const auto& branch : counts.branches) {
    out.place(branch.from, from), out.place(branch.to, to);
    out.number(branch.count);
  }
  write_limits(out, counts.begun), write_limits(out, counts.ended);
  return out.take();
}

u64 BranchCounts::uncounted_stretches() const {
  u64 sum = 0;
  if (!of_all()) return sum;
  for (const auto& limit : ended)
    if (limit.at.file == Place::nowhere) sum = add_saturated(sum, limit.count);
  return sum;
}

Result<BranchCounts> decode_branch_counts(Bytes bytes) {
  BranchCounts counts;
  CountDecoder in(bytes);
  u64 found = in.number();
  if (found == 0 || found > version_of_parts)
    return fail("its branch counts are of version {}, which this pgokit does not know", found);
  counts.part_of_run = found == version_of_parts;
  counts.scale = in.number(), counts.windows.number = in.number();
  if (found > 1) counts.windows.uncertainty = in.number();
  for (u64 n = in.number(); n > 0 && in.ok(); --n) {
    auto path = as_text(in.bytes());
    counts.files.push_back({path, in.bytes()});
  }
  u64 from = 0, to = 0;
  size_t files = counts.files.size();
  for (u64 n = in.number(); n > 0 && in.ok(); --n) {
    auto source = in.place(from, files), target = in.place(to, files);
    counts.branches.push_back({source, target, in.number()});
  }
  counts.begun = read_limits(in, files), counts.ended = read_limits(in, files);
  if (!in.ok() || counts.scale == 0) return fail("its branch counts are damaged");
  return counts;
}

}  // namespace pgokit::perf
