#include "instr_profile/indexed/write_indexed.h"

#include <algorithm>
#include <concepts>

#include "base/cursor.h"
#include "base/function_name.h"
#include "instr_profile/indexed/layout.h"
#include "instr_profile/model/chained_table.h"
#include "instr_profile/model/in_order.h"
#include "instr_profile/model/memory_section.h"
#include "instr_profile/model/summary.h"
#include "instr_profile/model/value_data.h"

namespace pgokit::instr_profile {
namespace {

class Writer {
 public:
  Writer(const Profile& profile, bool sparse, const report::TakeText& take)
      : profile_(profile), take_(take) {
    sort_binary_ids();
    NameId last{nothing};
    for (u32 i : in_order(profile, sparse)) {
      auto name = profile.functions[i].name;
      if (name != last) names_.push_back(name);
      last = name;
    }
  }

  // What the header tells of later sections is found by a first walk over the functions, so that
  // no more than a piece of the file is ever in memory.
  void write() && {
    for (auto name : names_) {
      payload_size_ += name_head_size + profile_.names.text(name).size() + functions_size(name);
      each_function(name, [&](const Record& record) { summary_of(record).add(record); });
    }
    ChainedTable buckets(hashes_of_names());
    for (size_t bucket = 0; bucket < buckets.size(); ++bucket)
      payload_size_ += buckets.is_empty(bucket) ? 0 : sizeof(u16);
    write_header(buckets.size());
    write_summary(summary_);
    if (has_contexts()) write_summary(context_summary_);
    write_table(buckets);
    if (has_memory()) put(memory_);
    write_binary_ids();
    put(u64{0});  // bytes of names of virtual tables
    if (has_traces()) write_traces();
    flush();
  }

 private:
  static constexpr size_t summary_fields = 6, cutoffs = std::size(summary_cutoffs),
                          summary_size = 8 * (2 + summary_fields + 3 * cutoffs);
  static constexpr size_t name_head_size = 24, piece_size = 1 << 18;

  bool has_contexts() const { return profile_.kind & Kind::context_sensitive; }
  bool has_memory() const { return profile_.kind & Kind::memory; }
  bool has_traces() const { return profile_.kind & Kind::temporal; }

  size_t at() const { return written_ + out_.size(); }
  void put(std::string_view text) {
    out_.append(text);
    if (out_.size() >= piece_size) flush();
  }
  template <std::unsigned_integral Number>
  void put(Number value) {
    Le<Number> little(value);
    put({reinterpret_cast<const char*>(&little), sizeof little});
  }
  void flush() {
    take_(out_);
    written_ += out_.size();
    out_.clear();
  }
  void align() { out_.append(7 & (8 - at() % 8), '\0'); }

  template <class Visit>
  void each_function(NameId name, Visit visit) const {
    for (u32 at = profile_.first_of_name(name); at != nothing;
         at = profile_.functions[at].next_of_name)
      visit(profile_.record(at));
  }
  u64 functions_size(NameId name) const {
    constexpr u64 numbers = 3;
    u64 size = 0;
    each_function(name, [&](const Record& record) {
      size += 8 * (numbers + record.counters.size() + record.bitmap.size()) +
              encoded_size(record.values);
    });
    return size;
  }
  Summary& summary_of(const Record& record) {
    return is_context_sensitive(record.hash) ? context_summary_ : summary_;
  }
  std::span<const u64> hashes_of_names() {
    hashes_.reserve(names_.size());
    for (auto name : names_) hashes_.push_back(function_guid(profile_.names.text(name)));
    return hashes_;
  }

  void write_header(size_t buckets) {
    u64 table = (header::size(newest_indexed_version) + (has_contexts() ? 2 : 1) * summary_size +
                 payload_size_ + 7) &
                ~u64{7};
    u64 end = table + 16 + 8 * buckets, memory = end;
    if (has_memory()) {
      memory_ = memory_bytes(memory);
      end += memory_.size();
    }
    u64 binary_ids = end, vtable_names = binary_ids + 8 + binary_ids_size();
    put(indexed_magic);
    put(newest_indexed_version | (profile_.kind & Kind::of_version));
    put(u64{0});
    put(u64{0});  // kind of hash
    put(table);
    put(has_memory() ? memory : 0);
    put(binary_ids);
    put(has_traces() ? vtable_names + 8 : 0);
    put(vtable_names);
  }

  std::string memory_bytes(u64 offset) const {
    return moved(profile_.memory.bytes, profile_.memory.begin, offset);
  }

  void write_table(const ChainedTable& buckets) {
    std::vector<u64> offsets(buckets.size());
    for (size_t bucket = 0; bucket < buckets.size(); ++bucket) {
      if (buckets.is_empty(bucket)) continue;
      u16 length = 0;
      buckets.each_in(bucket, [&](u32) { ++length; });
      offsets[bucket] = at();
      put(length);
      buckets.each_in(bucket, [&](u32 entry) {
        put(hashes_[entry]);
        write_name(names_[entry]);
      });
    }
    align();
    put(u64{buckets.size()});
    put(u64{names_.size()});
    for (u64 offset : offsets) put(offset);
  }

  void write_name(NameId name) {
    auto text = profile_.names.text(name);
    put(u64{text.size()});
    put(functions_size(name));
    put(text);
    functions_.clear(), function_hashes_.clear();
    for (u32 at = profile_.first_of_name(name); at != nothing;
         at = profile_.functions[at].next_of_name) {
      functions_.push_back(at);
      function_hashes_.push_back(profile_.functions[at].hash);
    }
    if (functions_.size() == 1)
      write_function(profile_.record(functions_[0]));
    else
      for (u32 i : hash_table_order(function_hashes_))
        write_function(profile_.record(functions_[i]));
  }

  void write_function(const Record& record) {
    put(record.hash);
    put(u64{record.counters.size()});
    for (u64 count : record.counters) put(count);
    put(u64{record.bitmap.size()});
    for (u8 byte : record.bitmap) put(u64{byte});
    append_values(record.values, out_);
  }

  void sort_binary_ids() {
    binary_ids_ = profile_.binary_ids;
    std::ranges::sort(binary_ids_);
    auto rest = std::ranges::unique(binary_ids_);
    binary_ids_.erase(rest.begin(), rest.end());
  }
  u64 binary_ids_size() const {
    u64 size = 0;
    for (const auto& id : binary_ids_) size += 8 + ((id.size() + 7) & ~size_t{7});
    return size;
  }
  void write_binary_ids() {
    put(binary_ids_size());
    for (const auto& id : binary_ids_) {
      put(u64{id.size()});
      put(id);
      out_.append(7 & (8 - id.size() % 8), '\0');
    }
  }

  void write_traces() {
    put(u64{profile_.traces.size()});
    put(profile_.traces_seen);
    for (const auto& trace : profile_.traces) {
      put(trace.weight);
      put(u64{trace.functions.size()});
      for (u64 function : trace.functions) put(function);
    }
  }

  void write_summary(Summary& summary) {
    put(u64{summary_fields});
    put(u64{cutoffs});
    for (u64 value : {summary.functions, summary.counters, summary.largest_entry,
                      summary.largest_count, summary.largest_inner, summary.total})
      put(value);
    for (auto [cutoff, min_count, counters] : summary.at(summary_cutoffs))
      put(u64{cutoff}), put(min_count), put(counters);
  }

  const Profile& profile_;
  const report::TakeText& take_;
  std::vector<NameId> names_;  // in order
  std::vector<u64> hashes_;    // of these
  std::vector<std::string> binary_ids_;
  std::string memory_;
  std::string out_;
  size_t written_ = 0;  // before it
  u64 payload_size_ = 0;
  std::vector<u32> functions_;
  std::vector<u64> function_hashes_;
  Summary summary_, context_summary_;
};

}  // namespace

void write_indexed(const Profile& profile, bool sparse, const report::TakeText& take) {
  Writer(profile, sparse, take).write();
}

std::string write_indexed(const Profile& profile, bool sparse) {
  std::string bytes;
  write_indexed(profile, sparse, [&](std::string_view piece) { bytes += piece; });
  return bytes;
}

}  // namespace pgokit::instr_profile
