#include "instr_profile/indexed/write_indexed.h"

#include <algorithm>
#include <bit>

#include "base/cursor.h"
#include "base/function_name.h"
#include "instr_profile/indexed/layout.h"
#include "instr_profile/model/in_order.h"
#include "instr_profile/model/summary.h"
#include "instr_profile/model/value_data.h"

namespace pgokit::instr_profile {
namespace {

// A chained hash table as LLVM fills it: it has 64 buckets at first and doubles them when three
// quarters are full, an entry becomes the first of its bucket, and at last the number of buckets is
// made to fit. Each time buckets are filled anew their entries turn round, so that the steps are
// taken as they are there.
class Buckets {
 public:
  explicit Buckets(std::span<const u64> hashes) : hashes_(hashes), next_(hashes.size(), nothing) {
    first_.assign(64, nothing);
    for (u32 entry = 0; entry < hashes.size(); ++entry) {
      if (4 * (u64{entry} + 1) >= 3 * first_.size()) resize(first_.size() * 2);
      put_first(entry);
    }
    size_t n = hashes.size();
    size_t fitting = n <= 2 ? 1 : std::bit_ceil(n * 4 / 3 + 1);
    if (fitting != first_.size()) resize(fitting);
  }

  size_t size() const { return first_.size(); }
  template <class Visit>
  void each_in(size_t bucket, Visit visit) const {
    for (u32 entry = first_[bucket]; entry != nothing; entry = next_[entry]) visit(entry);
  }

 private:
  void put_first(u32 entry) {
    u32& first = first_[hashes_[entry] & (first_.size() - 1)];
    next_[entry] = std::exchange(first, entry);
  }
  void resize(size_t buckets) {
    auto old = std::exchange(first_, std::vector<u32>(buckets, nothing));
    for (u32 entry : old)
      while (entry != nothing) {
        u32 following = next_[entry];
        put_first(entry);
        entry = following;
      }
  }

  std::span<const u64> hashes_;
  std::vector<u32> first_, next_;
};

class Writer {
 public:
  Writer(const Profile& profile, bool sparse) : profile_(profile) {
    NameId last{nothing};
    for (u32 i : in_order(profile, sparse)) {
      auto name = profile.functions[i].name;
      if (name != last) names_.push_back(name);
      last = name;
    }
  }

  std::string write() && {
    bool contexts = profile_.kind & Kind::context_sensitive;
    // What is known only at last is patched in.
    out_.reserve(expected_size());
    out_.assign(header::size(newest_indexed_version), '\0');
    out_.replace(0, indexed_magic.size(), indexed_magic);
    patch(header::version, newest_indexed_version | (profile_.kind & Kind::of_version));
    size_t summary_at = out_.size();
    out_.append((contexts ? 2 : 1) * summary_size, '\0');
    write_table();
    write_binary_ids();
    patch(header::vtable_names, out_.size());
    put(0);
    if (profile_.kind & Kind::temporal) write_traces();
    write_summary(summary_at, summary_);
    if (contexts) write_summary(summary_at + summary_size, context_summary_);
    return std::move(out_);
  }

 private:
  static constexpr size_t summary_fields = 6, cutoffs = std::size(summary_cutoffs),
                          summary_size = 8 * (2 + summary_fields + 3 * cutoffs);

  // A file that grows by doubling would be there twice.
  size_t expected_size() const {
    constexpr size_t of_name = 2 + 24 + 3 * 8, of_function = 24;
    size_t size = 4096;
    for (auto name : names_) {
      size += of_name + profile_.names.text(name).size();
      for (u32 at = profile_.first_of_name(name); at != nothing;
           at = profile_.functions[at].next_of_name) {
        auto record = profile_.record(at);
        size += of_function + 8 * (record.counters.size() + record.bitmap.size()) +
                encoded_size(record.values);
      }
    }
    return size;
  }
  void put(u64 value) {
    Le<u64> little(value);
    out_.append(reinterpret_cast<const char*>(&little), sizeof little);
  }
  void put16(u16 value) {
    Le<u16> little(value);
    out_.append(reinterpret_cast<const char*>(&little), sizeof little);
  }
  void patch(size_t at, u64 value) {
    Le<u64> little(value);
    std::memcpy(out_.data() + at, &little, sizeof little);
  }
  void align() { out_.append(7 & (8 - out_.size() % 8), '\0'); }

  void write_table() {
    std::vector<u64> hashes;
    hashes.reserve(names_.size());
    for (auto name : names_) hashes.push_back(function_guid(profile_.names.text(name)));
    Buckets buckets(hashes);
    std::vector<u64> offsets(buckets.size());
    for (size_t bucket = 0; bucket < buckets.size(); ++bucket) {
      u16 length = 0;
      buckets.each_in(bucket, [&](u32) { ++length; });
      if (length == 0) continue;
      offsets[bucket] = out_.size();
      put16(length);
      buckets.each_in(bucket, [&](u32 entry) {
        put(hashes[entry]);
        write_name(names_[entry]);
      });
    }
    align();
    patch(header::table, out_.size());
    put(buckets.size());
    put(names_.size());
    for (u64 offset : offsets) put(offset);
  }

  void write_name(NameId name) {
    auto text = profile_.names.text(name);
    put(text.size());
    size_t size_at = out_.size();
    put(0);
    out_.append(text);
    size_t begin = out_.size();
    functions_.clear(), hashes_.clear();
    for (u32 at = profile_.first_of_name(name); at != nothing;
         at = profile_.functions[at].next_of_name) {
      functions_.push_back(at);
      hashes_.push_back(profile_.functions[at].hash);
    }
    if (functions_.size() == 1)
      write_function(profile_.record(functions_[0]));
    else
      for (u32 i : hash_table_order(hashes_)) write_function(profile_.record(functions_[i]));
    patch(size_at, out_.size() - begin);
  }

  void write_function(const Record& record) {
    (is_context_sensitive(record.hash) ? context_summary_ : summary_).add(record);
    put(record.hash);
    put(record.counters.size());
    for (u64 count : record.counters) put(count);
    put(record.bitmap.size());
    for (u8 byte : record.bitmap) put(byte);
    append_values(record.values, out_);
  }

  void write_binary_ids() {
    auto ids = profile_.binary_ids;
    std::ranges::sort(ids);
    auto rest = std::ranges::unique(ids);
    ids.erase(rest.begin(), rest.end());
    patch(header::binary_ids, out_.size());
    size_t size_at = out_.size();
    put(0);
    for (const auto& id : ids) {
      put(id.size());
      out_.append(id);
      out_.append(7 & (8 - id.size() % 8), '\0');
    }
    patch(size_at, out_.size() - size_at - 8);
  }

  void write_traces() {
    patch(header::traces, out_.size());
    put(profile_.traces.size());
    put(profile_.traces_seen);
    for (const auto& trace : profile_.traces) {
      put(trace.weight);
      put(trace.functions.size());
      for (u64 function : trace.functions) put(function);
    }
  }

  void write_summary(size_t at, Summary& summary) {
    auto next = [&](u64 value) {
      patch(at, value);
      at += 8;
    };
    next(summary_fields);
    next(cutoffs);
    for (u64 value : {summary.functions, summary.counters, summary.largest_entry,
                      summary.largest_count, summary.largest_inner, summary.total})
      next(value);
    for (auto [cutoff, min_count, counters] : summary.at(summary_cutoffs))
      next(cutoff), next(min_count), next(counters);
  }

  const Profile& profile_;
  std::vector<NameId> names_;  // in order
  std::string out_;
  std::vector<u32> functions_;
  std::vector<u64> hashes_;
  Summary summary_, context_summary_;
};

}  // namespace

std::string write_indexed(const Profile& profile, bool sparse) {
  return Writer(profile, sparse).write();
}

}  // namespace pgokit::instr_profile
