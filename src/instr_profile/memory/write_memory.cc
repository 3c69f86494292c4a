#include "instr_profile/memory/write_memory.h"

#include <algorithm>
#include <concepts>
#include <numeric>

#include "base/blake3.h"
#include "base/cursor.h"
#include "instr_profile/memory/radix_array.h"
#include "instr_profile/model/chained_table.h"

namespace pgokit::instr_profile {
namespace {

constexpr u64 version_with_callees = 4;

class Writer {
 public:
  Writer(const MemoryProfile& profile, MemoryForm form) : profile_(profile), form_(form) {
    for (u32 field = 1; field <= memory_fields; ++field)
      if (form.fields >> field & 1) {
        fields_.push_back(field);
        block_size_ += memory_field(field).size;
      }
    for (const auto& frame : profile.frames) frame_ids_.push_back(frame.id());
    group(profile.allocs, allocs_);
    group(profile.call_sites, call_sites_);
  }

  std::string write() && {
    put(form_.version);
    if (form_.version == 2)
      write_by_hash();
    else
      write_by_number();
    return std::move(out_);
  }

 private:
  // Which of a list belong to each record.
  struct Groups {
    std::vector<u32> begin, members;
    std::span<const u32> of(u32 record) const {
      return std::span(members).subspan(begin[record], begin[record + 1] - begin[record]);
    }
  };
  template <class List>
  void group(const List& list, Groups& groups) const {
    groups.begin.resize(profile_.functions.size() + 1);
    for (const auto& one : list) ++groups.begin[one.record + 1];
    std::partial_sum(groups.begin.begin(), groups.begin.end(), groups.begin.begin());
    groups.members.resize(list.size());
    auto next = groups.begin;
    for (u32 i = 0; i < list.size(); ++i) groups.members[next[list[i].record]++] = i;
  }

  template <std::unsigned_integral Number>
  void put(Number value) {
    Le<Number> little(value);
    out_.append(reinterpret_cast<const char*>(&little), sizeof little);
  }
  void patch(size_t at, std::initializer_list<u64> offsets) {
    for (u64 offset : offsets) {
      Le<u64> little(offset);
      out_.replace(at, sizeof little, reinterpret_cast<const char*>(&little), sizeof little);
      at += sizeof little;
    }
  }

  void write_schema() {
    put(u64{fields_.size()});
    for (u32 field : fields_) put(u64{field});
  }

  // The entries by bucket, then the table, whose offset is returned.
  u64 write_table(std::span<const u64> hashes, auto write_entry) {
    ChainedTable table(hashes);
    std::vector<u64> offsets(table.size());
    for (size_t bucket = 0; bucket < table.size(); ++bucket) {
      if (table.is_empty(bucket)) continue;
      u16 length = 0;
      table.each_in(bucket, [&](u32) { ++length; });
      offsets[bucket] = out_.size();
      put(length);
      table.each_in(bucket, [&](u32 entry) {
        put(hashes[entry]);
        write_entry(entry);
      });
    }
    out_.append(7 & (8 - out_.size() % 8), '\0');
    u64 at = out_.size();
    put(u64{table.size()});
    put(u64{hashes.size()});
    for (u64 offset : offsets) put(offset);
    return at;
  }

  void write_frame(const MemoryFrame& frame) {
    put(frame.function);
    put(frame.line);
    put(frame.column);
    put(u8{frame.inlined});
  }

  // In version 2 stacks are known by their hashes, later by where they are.
  template <class StackNumber>
  u64 write_records(const std::vector<StackNumber>& number_of_stack) {
    bool with_callees = form_.version >= version_with_callees;
    return write_table(profile_.functions, [&](u32 record) {
      auto allocs = allocs_.of(record), sites = call_sites_.of(record);
      u64 size = 16 + allocs.size() * (sizeof(StackNumber) + block_size_) +
                 sites.size() * (sizeof(StackNumber) + (with_callees ? 8 : 0));
      if (with_callees)
        for (u32 site : sites) size += u64{8} * profile_.call_sites[site].callees;
      put(u64{8});
      put(size);
      put(profile_.functions[record]);
      put(u64{allocs.size()});
      for (u32 i : allocs) {
        put(number_of_stack[profile_.allocs[i].stack]);
        write_block(profile_.allocs[i].block);
      }
      put(u64{sites.size()});
      for (u32 i : sites) {
        const auto& site = profile_.call_sites[i];
        put(number_of_stack[site.stack]);
        if (!with_callees) continue;
        put(u64{site.callees});
        for (u32 c = 0; c < site.callees; ++c) put(profile_.callees[site.first_callee + c]);
      }
    });
  }

  void write_block(u32 block) {
    for (u32 field : fields_) {
      u64 value = profile_.value(block, field);
      if (memory_field(field).size == 4)
        put(static_cast<u32>(value));
      else
        put(value);
    }
  }

  void write_by_hash() {
    size_t offsets = out_.size();
    for (int i = 0; i < 5; ++i) put(u64{0});
    write_schema();
    std::vector<u64> id_of_stack(profile_.stacks.size()), ids;
    for (u32 node : profile_.used_stacks) ids.push_back(id_of_stack[node] = id_of(node));
    u64 records = write_records(id_of_stack);
    u64 frames = out_.size();
    u64 frame_table = write_table(frame_ids_, [&](u32 frame) {
      put(u64{8});
      put(u64{17});
      put(frame_ids_[frame]);
      write_frame(profile_.frames[frame]);
    });
    u64 stacks = out_.size();
    u64 stack_table = write_table(ids, [&](u32 i) {
      u32 node = profile_.used_stacks[i];
      put(u64{8} * profile_.stacks.depth(node));
      put(ids[i]);
      profile_.stacks.each_frame(node, [&](u32 frame) { put(frame_ids_[frame]); });
    });
    patch(offsets, {records, frames, frame_table, stacks, stack_table});
  }

  u64 id_of(u32 node) {
    hashed_.clear();
    profile_.stacks.each_frame(node, [&](u32 frame) { hashed_.emplace_back(frame_ids_[frame]); });
    return blake3_u64({reinterpret_cast<const u8*>(hashed_.data()), 8 * hashed_.size()});
  }

  void write_by_number() {
    size_t offsets = out_.size();
    for (int i = 0; i < 3; ++i) put(u64{0});
    if (form_.version >= version_with_callees) {
      put(u64{0});
      write_summary();
    }
    write_schema();
    RadixArray array(profile_.stacks, profile_.used_stacks, frame_ids_);
    for (u32 frame : array.frame_order()) write_frame(profile_.frames[frame]);
    u64 stacks = out_.size();
    for (u32 element : array.elements()) put(element);
    u64 records = out_.size();
    u64 table = write_records(array.starts());
    patch(offsets, {stacks, records, table});
    if (form_.version < version_with_callees || profile_.accessed_data.empty()) return;
    patch(offsets + 3 * sizeof(u64), {out_.size()});
    out_ += profile_.accessed_data;
  }

  void write_summary() {
    auto summary = summary_of(profile_);
    put(u32{6});
    for (u64 value : {summary.contexts, summary.cold, summary.hot, summary.largest_cold,
                      summary.largest_warm, summary.largest_hot})
      put(value);
  }

  const MemoryProfile& profile_;
  MemoryForm form_;
  std::vector<u32> fields_;
  size_t block_size_ = 0;
  std::vector<u64> frame_ids_;
  Groups allocs_, call_sites_;
  std::vector<Le<u64>> hashed_;
  std::string out_;
};

}  // namespace

std::string write_memory(const MemoryProfile& profile, MemoryForm form) {
  return Writer(profile, form).write();
}

}  // namespace pgokit::instr_profile
