// What is instrumented and how: options of the command line, carried to code generation in the
// module itself, so that a link with LTO, which has no such options, does what the compilation was
// told.
//
// A function that is to be instrumented has the attribute "pgokit" from the start of the pipeline
// on; functions that compilers make of it (clones, outlined parts of coroutines) inherit it.
#pragma once
#include <cstdint>
#include <optional>

#include "llvm/IR/Function.h"
#include "llvm/IR/Module.h"

namespace pgokit::plugin {

struct Settings {
  uint32_t kinds = 0;          // mip_kind
  bool minimal_blocks = true;  // count only the blocks from which the rest follows
  uint32_t minimum_size = 0;   // machine instructions
  bool atomic = false;         // counts of threads do not get lost
};

// Buffer and rate of MIP_EDGES: one per module, the largest of all modules of a link with LTO.
struct EdgeSettings {
  uint32_t rate = 0;
  uint32_t capacity = 0;
};

// Entries of the log of MIP_ORDER_LOG or MIP_ORDER_CALLS; likewise.
uint32_t order_capacity_of(const llvm::Module& module);

// By options: is any kind selected; writes attributes, module flags and the marker described
// in settings.cc.
bool tag_module(llvm::Module& module);

// Table of MIP_VALUES, likewise.
struct ValueSettings {
  uint32_t capacity = 0;
  uint32_t per_site = 0;
};

std::optional<Settings> settings_of(const llvm::Function& function);
EdgeSettings edge_settings_of(const llvm::Module& module);
ValueSettings value_settings_of(const llvm::Module& module);

// Removes the marker. Returns whether there was one.
bool remove_marker(llvm::Module& module);

}  // namespace pgokit::plugin
