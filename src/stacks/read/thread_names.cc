#include "stacks/read/thread_names.h"

#include <algorithm>

namespace pgokit::stacks {
namespace {

struct Told {
  u64 time;
  u32 tid, parent;  // parent: of a fork
  NameId name;
  bool is_fork;
};

std::vector<Told> told_by(const perf::Recording& recording, Names& names) {
  std::vector<Told> all;
  perf::ReadCounts unreadable;
  recording.for_each_other([&](const perf::Record& record) {
    perf::Comm comm;
    perf::Fork fork;
    if (record.type == perf::RecordType::comm && recording.parser().comm(record, comm, unreadable))
      all.push_back({comm.by.time, comm.tid, 0, names.intern(comm.name), false});
    if (record.type == perf::RecordType::fork && recording.parser().fork(record, fork, unreadable))
      all.push_back({fork.time, fork.tid, fork.parent_tid, {}, true});
  });
  std::ranges::stable_sort(all, {}, &Told::time);
  return all;
}

}  // namespace

ThreadNames::ThreadNames(const perf::Recording& recording, Names& names) {
  threads_[0].push_back({0, names.intern("swapper")});
  for (const auto& told : told_by(recording, names)) {
    auto name = told.name;
    if (told.is_fork) {
      const auto* inherited = find(told.parent, told.time);
      if (!inherited) continue;
      name = *inherited;
    }
    threads_[told.tid].push_back({told.time, name});
  }
}

// A thread that was there before the recording has its first name from the beginning.
const NameId* ThreadNames::find(u32 tid, u64 time) const {
  auto thread = threads_.find(tid);
  if (thread == threads_.end()) return nullptr;
  const auto& named = thread->second;
  auto next = std::ranges::upper_bound(named, time, {}, &Named::time);
  return &(next == named.begin() ? named.front() : next[-1]).name;
}

}  // namespace pgokit::stacks
