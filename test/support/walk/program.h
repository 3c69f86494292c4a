#pragma once

// The machine code of one program as a random walk needs it: flat arrays over all instructions of
// all functions.
//
//   Program program = TRY(Program::read(elf));
//   u32 branch = program.next_branch[i];        // where straight code from instruction i ends

#include <string>
#include <vector>

#include "base/result.h"
#include "isa/decoder.h"
#include "object/file.h"

namespace pgokit::walk {

constexpr u32 nowhere = ~u32{0};

struct Function {
  std::string name;
  u32 first = 0, end = 0;           // instructions
  std::vector<u32> switch_targets;  // where an indirect jump may go; empty: only out
};

class Program {
 public:
  static Result<Program> read(const object::File& file);

  // By address ascending, functions one after the other.
  std::vector<u64> address;
  std::vector<u8> length;
  std::vector<isa::Flow> flow;
  std::vector<u32> target;       // of direct branches: instruction, or nowhere if outside
  std::vector<u32> next_branch;  // the branch that ends the straight code, nowhere if none does
  std::vector<u32> cost_to_ret;  // how dear the cheapest way out of the function is
  std::vector<u32> function_of;
  std::vector<Function> functions;
  u32 main = nowhere;  // function
  u64 external = 0;    // an address behind all of the program's

  size_t size() const { return address.size(); }
  u32 at(u64 wanted) const;  // the instruction at an address, or nowhere

 private:
  void decode_function(std::string name, u64 start, Bytes code, const isa::Decoder& decoder);
  void link();
  void find_next_branches(const Function& function);
  void find_costs(const Function& function);
  void find_switch_targets();
  u32 cost_after(u32 i, const Function& function) const;

  std::vector<u64> target_address_;
};

}  // namespace pgokit::walk
