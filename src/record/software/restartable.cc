#include "record/software/restartable.h"

#include <sys/ptrace.h>

#include <array>
#include <cstring>

#include "base/cursor.h"

namespace pgokit::record {
namespace {

constexpr u64 announcement = 64;  // bytes of code before a sequence
constexpr u64 longest = 1 << 16;
constexpr std::array<u8, 4> signature = {0x53, 0x30, 0x05, 0x53};

struct Description {
  Le<u32> version, flags;
  Le<u64> start, length, abort;

  bool makes_sense() const {
    return version == 0 && flags < 8 && start >= announcement && length > 0 && length < longest &&
           abort - start >= length;
  }
  CodeRange range() const { return {start - announcement, start + length}; }
};
static_assert(sizeof(Description) == 32);

// Of linux/ptrace.h, which older systems do not have.
constexpr auto get_rseq_configuration = static_cast<__ptrace_request>(0x420f);
struct RseqConfiguration {
  u64 area;
  u32 area_size, signature, flags, padding;
};

}  // namespace

bool has_abort_handlers(Bytes code) {
  return !code.empty() &&
         memmem(code.data(), code.size(), signature.data(), signature.size()) != nullptr;
}

std::vector<CodeRange> find_sequences(Bytes data, const Mapping& code) {
  std::vector<CodeRange> ranges;
  auto in_code = [&](u64 address) { return address >= code.start && address < code.end; };
  for (; data.size() >= sizeof(Description); data = data.subspan(8)) {
    // Of all data, that of each process that is recorded: most is out with this.
    u64 start;
    std::memcpy(&start, data.data() + offsetof(Description, start), sizeof start);
    if (!in_code(start)) continue;
    Cursor in(data);
    auto one = in.get<Description>();
    if (one.makes_sense() && in_code(one.abort)) ranges.push_back(one.range());
  }
  return ranges;
}

std::optional<CodeRange> announced_sequence(TargetMemory& memory, pid_t tid) {
  RseqConfiguration configuration{};
  auto size = sizeof configuration;
  if (ptrace(get_rseq_configuration, tid, size, &configuration) <= 0 || !configuration.area)
    return std::nullopt;
  u64 at = 0;
  Description one;
  if (!memory.read(configuration.area + 8, &at, sizeof at) || at == 0) return std::nullopt;
  if (!memory.read(at, &one, sizeof one) || !one.makes_sense()) return std::nullopt;
  return one.range();
}

}  // namespace pgokit::record
