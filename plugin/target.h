// The instructions that count, for one target. They are text in INLINEASM instructions: opcodes of
// targets are not among LLVM's public headers.
#pragma once
#include <memory>
#include <string>

#include "llvm/CodeGen/MachineFunction.h"

namespace pgokit::plugin {

enum class Update {
  mark,   // store the byte 0
  add32,  // add 1
  add64,
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

  // At a function's entry, before its prologue: counts down, at the end calls the run time.
  virtual void sample_edge(Block& entry, At at) = 0;

  // Whether labels may follow the last instruction of a block without hiding its jumps from later
  // passes.
  virtual bool label_may_end_block() const = 0;

  // Puts `text` there, in the line of what follows; `clobbers` are names of registers it destroys.
  void put(Block& block, At at, const std::string& text,
           llvm::ArrayRef<llvm::StringRef> clobbers = {});
  void put(Block& block, At at, const llvm::DebugLoc& line, const std::string& text,
           llvm::ArrayRef<llvm::StringRef> clobbers = {});

 protected:
  llvm::MCRegister reg(llvm::StringRef name) const;
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

// The text of INLINEASM gives '$' a meaning.
std::string escape_asm(llvm::StringRef text);

}  // namespace pgokit::plugin
