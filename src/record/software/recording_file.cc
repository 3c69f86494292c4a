#include "record/software/recording_file.h"

#include <algorithm>

#include "perf/software_event.h"
#include "record/system/clock.h"

namespace pgokit::record {
namespace {

constexpr u64 context_user = u64(-512);  // PERF_CONTEXT_USER: addresses of the program follow

// An event of its own, which counts nothing for the kernel: perf knows no other for what is sampled
// like this.
perf::Writer::Event make_access_event(const RecordingFile::Settings& settings) {
  using namespace perf;
  constexpr u64 dummy = 9;
  auto event = software_event(settings.period_ns, settings.callchain);
  event.name = "memory-accesses:u";
  event.attr.config = dummy;
  event.attr.period = settings.accesses;
  // With call chains, though they are only the instruction: llvm-profgen takes what perf script
  // prints of a sample without for a frame of the next one.
  event.attr.sample_type &= ~field::branch_stack;
  event.attr.branch_sample_type = 0;
  return event;
}

}  // namespace

Result<RecordingFile> RecordingFile::create(const Settings& settings) {
  std::vector<perf::Writer::Event> events{
      perf::software_event(settings.period_ns, settings.callchain)};
  if (settings.accesses) {
    events.push_back(make_access_event(settings));
    events[0].ids = {id_of_branches}, events[1].ids = {id_of_accesses};
    // perf script prints a field only if all events have it.
    using namespace perf;
    for (auto& event : events)
      event.attr.sample_type |= field::identifier | field::addr | field::data_src;
  }
  RecordingFile recording(TRY(perf::Writer::create(settings.path, std::move(events))), settings);
  describe_machine(recording.writer_.features(), settings.command);
  return recording;
}

u32 RecordingFile::number_of(pid_t id) {
  if (!reproducible_) return static_cast<u32>(id);
  return numbers_.try_emplace(id, static_cast<u32>(numbers_.size()) + 1).first->second;
}

perf::RecordId RecordingFile::now(pid_t pid, pid_t tid) {
  u64 time = reproducible_ ? ++records_ : monotonic_ns();
  return {.pid = number_of(pid), .tid = number_of(tid), .time = time, .id = id_};
}

void RecordingFile::comm(pid_t pid, pid_t tid, bool exec) {
  writer_.comm(now(pid, tid), comm_of(pid, tid), exec);
}

// A file of data is none to look into.
const std::vector<u8>& RecordingFile::build_id(pid_t tid, const Mapping& mapping) {
  static const std::vector<u8> none;
  if (!mapping.executable) return none;
  if (auto known = build_ids_.find(mapping); known != build_ids_.end()) return known->second;
  auto& id = build_ids_[FileKey::of(mapping)];
  id = build_id_of(tid, mapping);
  auto& listed = writer_.features().build_ids;
  bool is_listed = std::ranges::any_of(
      listed, [&](const auto& one) { return one.path == mapping.path && one.id == id; });
  if (!id.empty() && !is_listed) listed.push_back({.path = mapping.path, .id = id});
  return id;
}

void RecordingFile::mapped(pid_t pid, pid_t tid, const Mapping& mapping) {
  u32 protection =
      (mapping.readable ? 1U : 0) | (mapping.writable ? 2U : 0) | (mapping.executable ? 4U : 0);
  writer_.mmap2(now(pid, pid), {.start = mapping.start,
                                .size = mapping.size(),
                                .file_offset = mapping.offset,
                                .path = mapping.path.empty() ? "//anon" : mapping.path,
                                .build_id = build_id(tid, mapping),
                                .protection = protection,
                                .map_flags = mapping.shared ? 1U : 2U});
}

void RecordingFile::forked(pid_t pid, pid_t tid, pid_t parent_pid, pid_t parent_tid) {
  writer_.fork(now(pid, tid), number_of(parent_pid), number_of(parent_tid));
}

void RecordingFile::exited(pid_t pid, pid_t tid) {
  writer_.exit(now(pid, tid), number_of(pid), number_of(pid));
  numbers_.erase(tid);
}

// A mark that perf and llvm-profgen read over: hardware alone has exact addresses, and no software
// event of the kernel's has branch stacks (unwind/hybrid_recording.cc).
void RecordingFile::sample(pid_t pid, pid_t tid, const Sample& sample) {
  branches_.clear();
  for (size_t i = sample.taken.size(); i-- > 0;)
    branches_.push_back({.from = sample.taken[i].from, .to = sample.taken[i].to, .flags = u64{0}});
  chain_.assign(1, context_user);
  chain_.insert(chain_.end(), sample.chain.begin(), sample.chain.end());
  writer_.sample({.id = now(pid, tid),
                  .ip = sample.ip,
                  .data_src = perf::data_src::no_access,
                  .period = sample.period_ns,
                  .exact_ip = sample.whole_chain,
                  .callchain = chain_,
                  .branches = branches_});
}

void RecordingFile::access(pid_t pid, pid_t tid, const MemoryAccess& access, u64 address,
                           u64 count) {
  using namespace perf::data_src;
  auto id = now(pid, tid);
  id.id = id_of_accesses;
  u64 source = levels_unknown | (access.load ? load : 0) | (access.store ? store : 0) |
               (access.locked ? locked : 0);
  const u64 chain[] = {context_user, access.from};
  writer_.sample({.id = id,
                  .ip = access.from,
                  .addr = address,
                  .data_src = source,
                  .period = count,
                  .exact_ip = true,
                  .event = 1,
                  .callchain = chain});
}

void RecordingFile::branch_counts(perf::BranchCounts counts, const std::vector<FileKey>& files) {
  if (counts.branches.empty()) return;
  for (size_t n = 0; n < files.size(); ++n)
    if (auto known = build_ids_.find(files[n]); known != build_ids_.end())
      counts.files[n].build_id = known->second;
  writer_.features().branch_counts = perf::encode(counts);
}

void RecordingFile::branch_contexts(const perf::BranchContexts& contexts,
                                    const perf::BranchCounts& counts) {
  if (counts.branches.empty()) return;
  writer_.features().branch_contexts = perf::encode(contexts, counts);
}

Status RecordingFile::commit() { return writer_.commit(); }

}  // namespace pgokit::record
