#pragma once

// Raw files of one program, which differ in counts and addresses only: the second and all later ones
// are added up record by record, without a name being looked at.
//
//   RawLayout layout(part, functions);                // of the first, which was added as usual
//   if (auto file = layout.check(bytes)) batch.push_back(*std::move(file));
//   layout.add(batch, sum, threads, mismatch);
//
// A file is checked from end to end before anything of it is added.

#include <optional>
#include <vector>

#include "instr_profile/merge/sum.h"
#include "instr_profile/raw/addresses.h"
#include "instr_profile/raw/raw_part.h"

namespace pgokit::instr_profile {

struct RawFile {
  Bytes bytes;
  RawPart part;
  u64 slide = 0;                  // its addresses are so much higher than those of the first
  std::vector<size_t> values_at;  // of the records with sites
  u64 weight = 1;
  size_t input = 0;  // for messages
};

class RawLayout {
 public:
  // The file of `part` must stay open; `functions` are the numbers of its records in the sum, each
  // another one.
  RawLayout(const RawPart& part, std::vector<u32> functions);

  // Whether a file's first part can have a layout at all: the general way is for others.
  static bool is_simple(const RawPart& part);

  // Null where it is another program's, or anything is strange about it.
  std::optional<RawFile> check(Bytes file) const;

  using TakeFileMismatch = std::function<void(const RawFile&, Mismatch, std::string_view name)>;
  void add(std::span<const RawFile> files, Sum& sum, unsigned threads,
           const TakeFileMismatch& mismatch) const;

 private:
  struct Event {
    size_t file;
    u32 record;
    Mismatch what;
  };
  void add_records(std::span<const RawFile> files, size_t begin, size_t end, Sum& sum,
                   std::vector<Event>& events) const;
  bool check_values(RawFile& file) const;

  struct Place {
    size_t counters_at, bitmap_at;  // in their sections
  };
  RawPart part_;
  std::vector<u32> functions_;
  std::vector<Place> places_;
  std::vector<u32> with_values_;  // records
  Addresses addresses_;
};

}  // namespace pgokit::instr_profile
