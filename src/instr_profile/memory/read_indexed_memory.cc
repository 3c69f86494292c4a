#include "instr_profile/memory/read_indexed_memory.h"

#include <algorithm>

#include "base/cursor.h"
#include "instr_profile/model/facts.h"

namespace pgokit::instr_profile {
namespace {

constexpr size_t frame_size = 17;
constexpr u64 version_with_callees = 4;
constexpr u32 unknown = ~u32{0};

// The frames of stacks in an array whose elements lead outwards (radix_array.h). Each element is on
// one path, at one distance from its end, so that it is looked at once.
class ArrayReader {
 public:
  ArrayReader(Bytes bytes, MemoryProfile& profile)
      : elements_(Cursor(bytes).array<Le<u32>>(bytes.size() / sizeof(u32))),
        node_of_(elements_.size(), unknown),
        profile_(profile) {}

  // The node of the stack that starts there.
  Result<u32> stack_at(u32 start) {
    if (start >= elements_.size()) return bad("a call stack at", start);
    u32 left = elements_[start], node = StackTree::root;
    path_.clear();
    for (size_t at = start; left > 0; --left) {
      ++at;
      if (at < elements_.size() && elements_[at] > most_forward) at += u32{0} - elements_[at];
      if (at >= elements_.size()) return bad("a call stack without an end at", start);
      if (node_of_[at] != unknown) {
        node = node_of_[at];
        if (profile_.stacks.depth(node) != left) return bad("a call stack of two depths at", start);
        break;
      }
      if (elements_[at] >= profile_.frames.size()) return bad("a frame", elements_[at]);
      path_.push_back(at);
    }
    for (; !path_.empty(); path_.pop_back())
      node = node_of_[path_.back()] = profile_.stacks.append(node, elements_[path_.back()]);
    return node;
  }

 private:
  // Beyond it, numbers are negative.
  static constexpr u32 most_forward = 0x7fffffff;

  static std::unexpected<Error> bad(std::string_view what, u64 value) {
    return fail("{}: the memory profile has {} {}", problem::malformed, what, value);
  }

  std::span<const Le<u32>> elements_;
  std::vector<u32> node_of_;  // by element
  MemoryProfile& profile_;
  std::vector<size_t> path_;
};

class Reader {
 public:
  explicit Reader(const MemorySection& section)
      : bytes_(as_bytes(section.bytes)), begin_(section.begin) {}

  Result<MemoryProfile> read() && {
    Cursor in(bytes_);
    version_ = in.get<u64>();
    TRY(version_ == 2 ? read_by_hash(in) : read_by_number(in));
    return std::move(profile_);
  }

 private:
  static std::unexpected<Error> bad(std::string_view what, u64 value) {
    return fail("{}: the memory profile has {} {:#x}", problem::malformed, what, value);
  }
  // From one offset in the file to another.
  Result<Bytes> between(u64 from, u64 to) const {
    if (from < begin_ || to < from || to - begin_ > bytes_.size()) return bad("a part at", from);
    return bytes_.subspan(from - begin_, to - from);
  }

  Status read_schema(Cursor& in) {
    for (u64 n = in.get<u64>(); n > 0 && in.ok(); --n) {
      u64 field = in.get<u64>();
      bool again = !fields_.empty() && field <= fields_.back();
      if (field == 0 || field > memory_fields || again) return bad("a field of number", field);
      fields_.push_back(static_cast<u32>(field));
      field_set_ |= u32{1} << field;
    }
    return in.ok() ? Status() : bad("fields past", bytes_.size());
  }

  // Entries of a table that lie before it: u16 number of those in a bucket; u64 hash, size of the
  // key (but for call stacks), size of the data, the key and the data. visit(key, data)
  template <class Visit>
  Status each_entry(u64 payload, u64 table, bool with_key_size, Visit visit) const {
    Cursor numbers(TRY(between(table, begin_ + bytes_.size())));
    numbers.skip(8);
    u64 entries = numbers.get<u64>();
    Cursor in(TRY(between(payload, table)));
    u32 left = 0;
    for (u64 i = 0; i < entries; ++i) {
      while (left == 0 && in.left() >= 2) left = in.get<u16>();
      if (left == 0) return bad("a table without its entry", i);
      --left;
      in.skip(8);
      if (with_key_size && in.get<u64>() != 8) return bad("a key of another size in entry", i);
      u64 size = in.get<u64>(), key = in.get<u64>();
      Bytes data = in.bytes(size);
      if (!in.ok()) return bad("an entry past its table, the size being", size);
      TRY(visit(key, data));
    }
    return {};
  }

  Result<u32> read_frame(Bytes bytes) {
    Cursor in(bytes);
    MemoryFrame frame{in.get<u64>(), in.get<u32>(), in.get<u32>(), in.get<u8>() != 0};
    if (!in.ok()) return bad("a frame of size", bytes.size());
    profile_.frames.push_back(frame);
    return static_cast<u32>(profile_.frames.size() - 1);
  }

  Status read_by_hash(Cursor& in) {
    u64 records = in.get<u64>(), frames = in.get<u64>(), frame_table = in.get<u64>();
    u64 stacks = in.get<u64>(), stack_table = in.get<u64>();
    TRY(read_schema(in));
    tsl::robin_map<u64, u32> frame_of, stack_of;
    TRY(each_entry(frames, frame_table, true, [&](u64 id, Bytes data) -> Status {
      frame_of.emplace(id, TRY(read_frame(data)));
      return {};
    }));
    TRY(each_entry(stacks, stack_table, false, [&](u64 id, Bytes data) -> Status {
      u32 node = StackTree::root;
      auto ids = Cursor(data).array<Le<u64>>(data.size() / sizeof(u64));
      for (size_t i = ids.size(); i > 0; --i) {
        auto frame = frame_of.find(ids[i - 1]);
        if (frame == frame_of.end()) return bad("no frame", ids[i - 1]);
        node = profile_.stacks.append(node, frame->second);
      }
      stack_of.emplace(id, node);
      return {};
    }));
    return read_records<u64>(begin_ + in.position(), records, [&](u64 id) -> Result<u32> {
      auto node = stack_of.find(id);
      if (node == stack_of.end()) return bad("no call stack", id);
      return node->second;
    });
  }

  Status read_by_number(Cursor& in) {
    u64 stacks = in.get<u64>(), records = in.get<u64>(), table = in.get<u64>(), accessed = 0;
    if (version_ >= version_with_callees) {
      accessed = in.get<u64>();
      in.skip(u64{8} * in.get<u32>());  // the summary
    }
    TRY(read_schema(in));
    Bytes frames = TRY(between(begin_ + in.position(), stacks));
    for (; frames.size() >= frame_size; frames = frames.subspan(frame_size))
      (void)TRY(read_frame(frames.first(frame_size)));
    ArrayReader array(TRY(between(stacks, records)), profile_);
    TRY(read_records<u32>(records, table, [&](u32 start) { return array.stack_at(start); }));
    if (accessed) profile_.accessed_data = as_text(TRY(between(accessed, begin_ + bytes_.size())));
    return {};
  }

  template <class StackNumber>
  Status read_records(u64 payload, u64 table, auto stack_of) {
    return each_entry(payload, table, true, [&](u64 function, Bytes data) -> Status {
      u32 record = profile_.record(function);
      Cursor in(data);
      for (u64 n = in.get<u64>(); n > 0 && in.ok(); --n) {
        u32 stack = profile_.add_stack(TRY(stack_of(in.get<StackNumber>())));
        values_.clear();
        for (u32 field : fields_)
          values_.push_back(memory_field(field).size == 4 ? in.get<u32>() : in.get<u64>());
        if (in.ok())
          profile_.allocs.push_back({record, stack, profile_.add_block(field_set_, values_)});
      }
      for (u64 n = in.get<u64>(); n > 0 && in.ok(); --n) {
        MemoryProfile::CallSite site{record, 0, static_cast<u32>(profile_.callees.size())};
        site.stack = profile_.add_stack(TRY(stack_of(in.get<StackNumber>())));
        auto callees = in.array<Le<u64>>(version_ >= version_with_callees ? in.get<u64>() : 0);
        site.callees = static_cast<u32>(callees.size());
        profile_.callees.insert(profile_.callees.end(), callees.begin(), callees.end());
        if (in.ok()) profile_.call_sites.push_back(site);
      }
      return in.ok() ? Status() : bad("an entry that is cut short, function", function);
    });
  }

  Bytes bytes_;
  u64 begin_;
  u64 version_ = 0;
  std::vector<u32> fields_;
  u32 field_set_ = 0;
  std::vector<u64> values_;
  MemoryProfile profile_;
};

}  // namespace

Result<MemoryProfile> read_indexed_memory(const MemorySection& section) {
  return Reader(section).read();
}

}  // namespace pgokit::instr_profile
