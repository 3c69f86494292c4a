#pragma once

// How translate() works: one translator makes one copy. What is common to all purposes is in
// translate.cc, how branches are made in branch_stubs.cc and window_stubs.cc.

#include <vector>

#include "record/x86/assembler.h"
#include "record/x86/instruction.h"
#include "record/x86/translate.h"

namespace pgokit::record {

class Translator {
 public:
  Translator(u64 original, Bytes bytes, const Place& place, CopyFor purpose);
  Translation run();

 private:
  struct Conditional {
    u32 fixup;
    Edge edge;
  };
  // What there was before an instruction.
  struct Begun {
    u32 code;
    size_t recoveries, accesses;
  };
  // Of a window that records, in place of being counted.
  struct RecordedBranch {
    u32 jump = 0;  // that leads there; 0: none
    u32 exit = 0;  // where it goes on
    u32 number = 0;
    bool rcx_saved = false;  // before the jump
    Edge edge;
  };
  // To a target whose copy is not linked yet.
  struct WayOut {
    u32 jump = 0;  // that leads there
    u64 slot = 0, target = 0;
    u32 full = 0;  // one with rcx saved, where the log is full or a pass over; 0: none
    u32 over = 0;  // one without, where a pass is over
    RecordedBranch recorded = {};
  };
  struct Constant {
    u32 fixup;
    u64 value;
  };

  bool step();
  void log_accesses(u64 from, Bytes raw);
  bool is_conditional() const;
  void retract(u64 from, Bytes raw, const Begun& begun);
  bool emit(u64 from, Bytes raw);
  bool put_moved(std::vector<u8> copy, u32 displacement, u64 next);
  bool emit_plain(Bytes raw);
  bool emit_short(u64 from, Bytes raw);
  void state_is(u64 original, bool rcx_saved);
  void state_is_behind(const Edge& edge, bool rcx_saved);
  void state_is_behind_indirect();
  void add_recovery(Recovery recovery);
  u32 add_edge(const Edge& edge);
  u64 add_exit(u64 target);
  void emit_taken(const Edge& edge, u64 return_address);
  bool load_target(Bytes raw);
  Edge indirect_edge() const;
  bool emit_indirect(u64 from, Bytes raw);
  void finish();
  void emit_system_call();
  void stop_clock();
  void start_clock();

  // Of all that counts.
  u32 leave_for(u64 target);
  void push_constant(u64 value);
  bool flags_die_at(u64 address) const;
  void emit_counted(const Edge& edge, u64 return_address);
  void emit_counter_raised(u32 counter);
  void emit_exit(u64 target);
  void emit_ways_out();
  void emit_logged(const Edge& edge, u64 return_address);
  void emit_room_left();
  void emit_indirect_logged(u32 number);
  void emit_target_saved();
  void emit_counted_indirect();
  void emit_way_in();
  void emit_pop_flags();

  // Of windows.
  static bool is_turn(const Edge& edge) { return edge.to <= edge.from; }
  u32 emit_turn();
  void emit_unless_counting(u32 number);
  void emit_windowed(const Edge& edge, u64 return_address);
  WayOut emit_counted_by_flags(const Edge& edge, u32 number);
  WayOut emit_counted_by_rcx(const Edge& edge, u32 number);
  void emit_recorded(WayOut& way, u32 full);

  Bytes bytes_;
  Place place_;
  bool whole_run_;
  bool logs_, logs_memory_;
  Assembler out_;
  Translation result_;
  std::vector<Conditional> conditionals_;
  std::vector<WayOut> ways_out_;
  std::vector<Constant> constants_;  // to lie behind the code
  CopyInstruction one_;
  u64 at_;
  u64 branch_ = 0;
  size_t count_ = 0;
  bool ended_ = false;
  bool stopped_ = false;
};

}  // namespace pgokit::record
