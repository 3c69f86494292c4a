#include <elf.h>

#include <algorithm>

#include "isa/decoder.h"
#include "record/software/window.h"

namespace pgokit::record {
namespace {

struct SingleStepState : EngineState {
  u64 last = 0;  // the instruction that the thread is at
};

u64& last_of(Thread& thread) {
  if (!thread.engine) thread.engine = std::make_unique<SingleStepState>();
  return static_cast<SingleStepState&>(*thread.engine).last;
}

class SingleStepEngine : public WindowEngine {
 public:
  u32 most_branches(u32 depth) const override { return 2 * depth; }

  Progressed begin(Thread& thread, const Registers& regs, u32 branches) override {
    if (!can_go_on(thread, regs.rip)) return Progressed::impossible;
    thread.window = {};
    thread.window.running = true;
    thread.window.branches = branches;
    last_of(thread) = regs.rip;
    return step(thread);
  }

  Progressed stopped(Thread& thread, Stop stop) override {
    auto& window = thread.window;
    ++window.stops;
    if (stop.event() != 0) return step(thread);
    siginfo_t info;
    if (!get_signal(thread.tid, info) || !get_registers(thread.tid, window.regs))
      return step(thread);
    if (info.si_signo != SIGTRAP || info.si_code != TRAP_TRACE) return finish(thread);
    thread.deliver = 0;
    u64& last = last_of(thread);
    auto one = decode(thread, last);
    if (isa::ends_range(one.flow) && window.regs.rip != last + one.length)
      window.taken.push_back({last, window.regs.rip, kind_of(one.flow), one.length});
    last = window.regs.rip;
    if (window.taken.size() == window.branches || !can_go_on(thread, last)) return finish(thread);
    return step(thread);
  }

  void pass_over(Thread& thread) override { step(thread); }

 private:
  isa::Instruction decode(Thread& thread, u64 pc) {
    return decoder_.decode(thread.space->code_at(pc), pc);
  }

  static EdgeKind kind_of(isa::Flow flow) {
    if (isa::is_call(flow)) return EdgeKind::call;
    return flow == isa::Flow::ret ? EdgeKind::ret : EdgeKind::jump;
  }

  bool can_go_on(Thread& thread, u64 pc) {
    auto one = decode(thread, pc);
    return one.ok() && one.flow != isa::Flow::other;
  }

  static Progressed step(Thread& thread) {
    resume(thread.tid, Resume::one_instruction);
    return Progressed::running;
  }

  static Progressed finish(Thread& thread) {
    thread.window.running = false;
    return Progressed::finished;
  }

  isa::Decoder decoder_ = *isa::Decoder::for_machine(EM_X86_64, isa::LockPrefix::with_instruction);
};

}  // namespace

std::unique_ptr<WindowEngine> make_single_step_engine() {
  return std::make_unique<SingleStepEngine>();
}

}  // namespace pgokit::record
