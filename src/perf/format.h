#pragma once

// The numbers of the perf.data format: record types, sample fields, event attributes.
// Source of truth: include/uapi/linux/perf_event.h of the kernel for what the kernel writes, and
// tools/perf/lib/include/perf/event.h for types from 64 on. docs/formats/perf-data.md draws it.

#include <string_view>

#include "base/cursor.h"
#include "base/types.h"

namespace pgokit::perf {

// First 8 bytes of a recording, in the byte order of the machine that wrote it.
inline constexpr u64 magic = 0x32454c4946524550;  // "PERFILE2"

enum class RecordType : u32 {
  none = 0,
  mmap = 1,
  lost = 2,
  comm = 3,
  exit = 4,
  throttle = 5,
  unthrottle = 6,
  fork = 7,
  read = 8,
  sample = 9,
  mmap2 = 10,
  aux = 11,
  itrace_start = 12,
  lost_samples = 13,
  context_switch = 14,
  switch_cpu_wide = 15,
  namespaces = 16,
  ksymbol = 17,
  bpf_event = 18,
  cgroup = 19,
  text_poke = 20,
  aux_output_hw_id = 21,
  last_of_kernel = 63,
  attr = 64,
  event_type = 65,
  tracing_data = 66,
  build_id = 67,
  finished_round = 68,
  id_index = 69,
  auxtrace_info = 70,
  auxtrace = 71,
  auxtrace_error = 72,
  thread_map = 73,
  cpu_map = 74,
  stat_config = 75,
  stat = 76,
  stat_round = 77,
  event_update = 78,
  time_conv = 79,
  feature = 80,
  compressed = 81,
  finished_init = 82,
  compressed2 = 83,
  bpf_metadata = 84,
  first_of_simpleperf = 32768,
};

// "SAMPLE", "MMAP2", ... as perf calls them; empty for types that are not known.
std::string_view record_type_name(RecordType type);

struct RecordHeader {
  Le<u32> type;
  Le<u16> misc;
  Le<u16> size;  // of the whole record, this header included
};

// RecordHeader::misc
namespace misc {
inline constexpr u16 mode_mask = 7;
inline constexpr u16 kernel = 1;
inline constexpr u16 user = 2;
inline constexpr u16 hypervisor = 3;
inline constexpr u16 guest_kernel = 4;
inline constexpr u16 guest_user = 5;
inline constexpr u16 exact_ip = 1 << 14;       // SAMPLE: the instruction itself, without skid
inline constexpr u16 mmap_data = 1 << 13;      // MMAP: not executable
inline constexpr u16 comm_exec = 1 << 13;      // COMM: because of exec()
inline constexpr u16 mmap_build_id = 1 << 14;  // MMAP2: a build id in place of device and inode
inline constexpr u16 build_id_size = 1 << 15;  // BUILD_ID: the byte behind the id is its size
}  // namespace misc

// Attr::sample_type: which fields a sample has
namespace field {
inline constexpr u64 ip = 1 << 0;
inline constexpr u64 tid = 1 << 1;
inline constexpr u64 time = 1 << 2;
inline constexpr u64 addr = 1 << 3;
inline constexpr u64 read = 1 << 4;
inline constexpr u64 callchain = 1 << 5;
inline constexpr u64 id = 1 << 6;
inline constexpr u64 cpu = 1 << 7;
inline constexpr u64 period = 1 << 8;
inline constexpr u64 stream_id = 1 << 9;
inline constexpr u64 raw = 1 << 10;
inline constexpr u64 branch_stack = 1 << 11;
inline constexpr u64 regs_user = 1 << 12;
inline constexpr u64 stack_user = 1 << 13;
inline constexpr u64 weight = 1 << 14;
inline constexpr u64 data_src = 1 << 15;
inline constexpr u64 identifier = 1 << 16;
inline constexpr u64 transaction = 1 << 17;
inline constexpr u64 regs_intr = 1 << 18;
inline constexpr u64 phys_addr = 1 << 19;
inline constexpr u64 aux = 1 << 20;
inline constexpr u64 cgroup = 1 << 21;
inline constexpr u64 data_page_size = 1 << 22;
inline constexpr u64 code_page_size = 1 << 23;
inline constexpr u64 weight_struct = 1 << 24;
}  // namespace field

// Attr::read_format
namespace read_format {
inline constexpr u64 enabled = 1;
inline constexpr u64 running = 2;
inline constexpr u64 id = 4;
inline constexpr u64 group = 8;
inline constexpr u64 lost = 16;
}  // namespace read_format

// Attr::branch_sample_type
namespace branch {
inline constexpr u64 user = 1 << 0;
inline constexpr u64 kernel = 1 << 1;
inline constexpr u64 any = 1 << 3;
inline constexpr u64 any_call = 1 << 4;
inline constexpr u64 any_return = 1 << 5;
inline constexpr u64 call_stack = 1 << 11;
inline constexpr u64 type_save = 1 << 16;
inline constexpr u64 hw_index = 1 << 17;
inline constexpr u64 counters = 1 << 19;  // a u64 for each entry follows them
}  // namespace branch

// Sample::data_src: what an access to memory was, as far as that is known. More bits tell where the
// data were found.
namespace data_src {
inline constexpr u64 load = 2, store = 4;  // both: read and written by one instruction
inline constexpr u64 locked = u64{2} << 24;
// The levels of caches, snoops, the TLB, where the data were found and what blocked it: not known.
inline constexpr u64 levels_unknown =
    u64{1} << 5 | u64{1} << 19 | u64{1} << 26 | u64{15} << 33 | u64{1} << 40;
inline constexpr u64 no_access = 1 | u64{1} << 24 | levels_unknown;
}  // namespace data_src

// Attr::type: whose events `config` numbers
namespace event_type {
inline constexpr u32 hardware = 0;
inline constexpr u32 software = 1;
inline constexpr u32 raw = 4;
}  // namespace event_type

// Attr::flags, the bit field of perf_event_attr
namespace attr_flag {
inline constexpr u64 inherit = 1 << 1;
inline constexpr u64 exclude_user = 1 << 4;
inline constexpr u64 exclude_kernel = 1 << 5;
inline constexpr u64 exclude_hv = 1 << 6;
inline constexpr u64 mmap = 1 << 8;
inline constexpr u64 comm = 1 << 9;
inline constexpr u64 freq = 1 << 10;
inline constexpr u64 enable_on_exec = 1 << 12;
inline constexpr u64 task = 1 << 13;
inline constexpr u64 mmap_data = 1 << 17;
inline constexpr u64 sample_id_all = 1 << 18;
inline constexpr u64 exclude_guest = 1 << 20;
inline constexpr u64 mmap2 = 1 << 23;
inline constexpr u64 comm_exec = 1 << 24;
inline constexpr u64 build_id = u64(1) << 34;
}  // namespace attr_flag

// Features of the file header, by bit number.
namespace feature {
inline constexpr u32 tracing_data = 1;
inline constexpr u32 build_id = 2;
inline constexpr u32 hostname = 3;
inline constexpr u32 osrelease = 4;
inline constexpr u32 version = 5;
inline constexpr u32 arch = 6;
inline constexpr u32 nrcpus = 7;
inline constexpr u32 cpudesc = 8;
inline constexpr u32 cpuid = 9;
inline constexpr u32 total_mem = 10;
inline constexpr u32 cmdline = 11;
inline constexpr u32 event_desc = 12;
inline constexpr u32 branch_stack = 15;
inline constexpr u32 sample_time = 21;
inline constexpr u32 dir_format = 24;
inline constexpr u32 compressed = 27;
inline constexpr u32 branch_counts = 240;  // of pgokit (branch_counts.h); perf has 33
inline constexpr u32 branch_contexts = 241;
inline constexpr u32 bits = 256;
}  // namespace feature

// The part of perf_event_attr that pgokit uses.
struct Attr {
  u32 type = 0;  // 0 hardware, 1 software, 2 tracepoint, 3 cache, 4 raw, from 6 on: a PMU
  u64 config = 0;
  u64 period = 0;  // or the frequency, where flags has attr_flag::freq
  u64 sample_type = 0;
  u64 read_format = 0;
  u64 flags = 0;
  u64 branch_sample_type = 0;
  u64 regs_user = 0;
  u32 stack_user = 0;
  u64 regs_intr = 0;
  u32 size = 0;  // as stored; the writer stores 112 or 120 whatever it says

  bool has(u64 sample_field) const { return (sample_type & sample_field) != 0; }
  // Its samples are accesses to memory, and tell nothing of branches.
  bool only_of_memory() const {
    return has(field::addr) && has(field::data_src) && !has(field::branch_stack);
  }
};

// Newest first in a sample; addresses are those of the running process.
struct BranchEntry {
  Le<u64> from, to, flags;

  bool mispredicted() const { return flags & 1; }
  bool predicted() const { return flags & 2; }
  u32 cycles() const { return (flags >> 4) & 0xffff; }  // since the entry before; 0: not known
  u32 type() const { return (flags >> 20) & 15; }
  bool wrong_path() const { return ((flags >> 24) & 3) == 1; }
  bool not_taken() const { return (flags >> 33) & 1; }  // only Arm SPE samples such branches
};

// Values above this one in a call chain tell whose addresses follow.
inline constexpr u64 first_context_marker = u64(-4095);
inline constexpr u64 kernel_context_marker = u64(-128);
inline constexpr u64 user_context_marker = u64(-512), deferred_user_context_marker = u64(-640);
constexpr bool is_user_context_marker(u64 address) {
  return address == user_context_marker || address == deferred_user_context_marker;
}

}  // namespace pgokit::perf
