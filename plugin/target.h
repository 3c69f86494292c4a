// The instructions that count, for one target. They are text in INLINEASM instructions: opcodes of
// targets are not among LLVM's public headers.
#pragma once
#include <memory>
#include <string>

#include "llvm/CodeGen/LivePhysRegs.h"
#include "llvm/CodeGen/MachineFunction.h"

namespace pgokit::plugin {

enum class Update {
  mark,   // store the byte 0
  add32,  // add 1
  add64,
  atomic_add32,  // as one step, whatever other threads do
  atomic_add64,
};

// Something to be recorded each time an instruction runs.
struct Recorded {
  uint32_t kind = 0;                     // one of MIP_VALUES
  llvm::MachineInstr* before = nullptr;  // where the value is there
  llvm::MachineInstr* call = nullptr;
  llvm::MCRegister value;  // none: in memory, where the call gets it from
};

// `place` is a symbol of the raw section, possibly with +offset. All code is put at `at`, where
// nothing of the block but labels has run, except where flags or registers are free only later in
// the block.
class Target {
 public:
  using Block = llvm::MachineBasicBlock;
  using At = Block::iterator;

  // Null for targets that there is no code for.
  static std::unique_ptr<Target> create(llvm::MachineFunction& function);

  explicit Target(llvm::MachineFunction& function);
  virtual ~Target() = default;

  virtual void update(Block& block, At at, Update update, const std::string& place) = 0;

  // At a function's entry, before its prologue: calls the run time if the u32 at `place` is 0.
  virtual void first_run(Block& entry, At at, const std::string& place) = 0;

  // Likewise if the bit `mask` of the byte at `place` is 0, or if the byte is not.
  virtual void log_id(Block& entry, At at, const std::string& place, uint8_t mask) = 0;
  virtual void log_call(Block& entry, At at, const std::string& place) = 0;

  // At a function's entry, before its prologue: counts down, at the end calls the run time.
  virtual void sample_edge(Block& entry, At at) = 0;

  // What there is to record about an instruction, by `kinds`.
  virtual void find_values(llvm::MachineInstr& call, uint32_t kinds,
                           llvm::SmallVectorImpl<Recorded>& found) const = 0;

  // `site` is a mip_site of the raw section. False: there is no register for it.
  virtual bool record(const Recorded& recorded, const std::string& site) = 0;

  // Puts `text` there, in the line of what follows; `clobbers` are names of registers it destroys.
  void put(Block& block, At at, const std::string& text,
           llvm::ArrayRef<llvm::StringRef> clobbers = {});
  void put(Block& block, At at, const llvm::DebugLoc& line, const std::string& text,
           llvm::ArrayRef<llvm::StringRef> clobbers = {});

 protected:
  llvm::MCRegister reg(llvm::StringRef name) const;
  llvm::StringRef opcode(const llvm::MachineInstr& instruction) const;
  // In front of the instruction.
  void find_live(const llvm::MachineInstr& before, llvm::LivePhysRegs& live) const;
  // The instruction in front of `use`, in its block, that sets the register last; null: none.
  static llvm::MachineInstr* setter(llvm::MachineInstr& use, llvm::MCRegister reg,
                                    const llvm::TargetRegisterInfo& registers);
  // Whether any instruction from `from` on up to `to` changes the register.
  static bool changes(llvm::MachineInstr& from, const llvm::MachineInstr& to, llvm::MCRegister reg,
                      const llvm::TargetRegisterInfo& registers);
  // Whether it is an indirect call of the source. Of a choice between functions the compiler may
  // make direct calls, as this one of `callee`. Copies and fills are numbered too.
  static bool is_numbered(const llvm::MachineInstr& call, llvm::StringRef callee);
  // Of an operand; empty: it is none.
  static llvm::StringRef symbol_of(const llvm::MachineOperand& operand);
  // What of a symbol the linker is asked for: its address, or where, from the linker's table of
  // addresses, it or its entry lies (-mcmodel=large in position-independent code).
  enum class Asked { address, offset, entry };
  // The symbol of which that is put into a register; empty: there is none.
  virtual llvm::StringRef linkers_symbol(const llvm::MachineInstr& set, Asked asked) const = 0;
  // Likewise of what is in the register in front of `use`, from wherever that is come to, as where a
  // load is moved out of a loop.
  llvm::StringRef linkers_symbol_in(const llvm::MachineInstr& use, llvm::MCRegister value,
                                    Asked asked) const;
  // The copy or fill of a size that is not constant, of which `size` has the number of bytes. What is
  // called is a symbol of an operand, or else `loaded`, of which a register has the address.
  void find_size(llvm::MachineInstr& call, llvm::StringRef size, llvm::StringRef loaded,
                 llvm::SmallVectorImpl<Recorded>& found) const;
  // `load` gets what is called from a table that `base` points to.
  static void add_table(llvm::MachineInstr& load, llvm::MachineInstr& call, llvm::MCRegister base,
                        const llvm::TargetRegisterInfo& registers,
                        llvm::SmallVectorImpl<Recorded>& found);
  bool live_in(const Block& block, llvm::MCRegister reg) const;
  std::string local_label();  // unlike any other of the module
  bool thread_locals_of_program()
      const;  // their distance from the thread pointer is known when linked

  llvm::MachineFunction& function_;

 private:
  uint32_t labels_ = 0;
};

std::unique_ptr<Target> make_x86(llvm::MachineFunction& function);
std::unique_ptr<Target> make_aarch64(llvm::MachineFunction& function);
std::unique_ptr<Target> make_arm(llvm::MachineFunction& function);

// The text of INLINEASM gives '$' a meaning.
std::string escape_asm(llvm::StringRef text);

}  // namespace pgokit::plugin
