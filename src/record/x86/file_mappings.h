#pragma once

// Code with which a stopped thread maps parts of a file and stops again, without a stop for each
// system call of that (software/inject.h).
//
//   auto calls = code_to_map(site, saved, {mark_signal, mark, blocked}, "/proc/1/fd/3", mappings);
//   memory.write(site, calls.code) ...         // the thread is set going with its registers there
//
// It stops by the signal of copies (software/stop_mark.h) at `stop`. Set going there, it gives all
// registers and the blocked signals the values they had, and jumps to where the thread was: that is
// what it does without a recorder. No flag is changed.

#include <span>
#include <string_view>
#include <vector>

#include "base/types.h"
#include "record/x86/registers.h"

namespace pgokit::record {

struct FileMapping {
  u64 address, size;
  u32 protection;
  u32 offset;
  bool anonymous = false;  // not of the file
};

struct MappingCalls {
  std::vector<u8> code;
  u64 stop = 0;
};

struct StopWanted {
  int signal;
  Bytes mark;   // the signal's siginfo_t
  u64 blocked;  // signals, after it
};

// Room that the code takes at most, with a few mappings.
inline constexpr size_t mapping_site_size = 1024;

MappingCalls code_to_map(u64 site, const Registers& saved, const StopWanted& stop,
                         std::string_view path, std::span<const FileMapping> mappings);

// Of a thread at `stop`: how many of the mappings were made, and the result of the last call.
inline u64 made_of_mappings(const Registers& regs) { return regs.rbp; }
inline u64 last_result(const Registers& regs) { return regs.rbx; }

}  // namespace pgokit::record
