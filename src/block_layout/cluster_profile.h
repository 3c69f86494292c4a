#pragma once

// A layout as the two files that clang and lld read: docs/formats/propeller.md has their syntax.
//
//   ClusterProfile written = write_clusters(program, counts, layout, {});
//   written.clusters;        // -fbasic-block-sections=list=FILE, version 1
//   written.symbol_order;    // --symbol-ordering-file=FILE
//
// Static functions that share a name are told apart by their source file ("m" lines), which debug
// information tells. Where it does not, they are left out: clang would give the blocks of one to the
// other.
//
// Source of truth: llvm/lib/CodeGen/BasicBlockSectionsProfileReader.cpp; test/propeller compiles and
// links with clang 22 and lld 22.

#include <string>
#include <string_view>

#include "block_layout/layout.h"

namespace pgokit::block_layout {

struct ClusterOptions {
  bool all_modules = false;  // "m" lines for all functions whose source file is known
  LayoutOptions layout;
};

struct ClusterProfile {
  std::string clusters, symbol_order;
  u64 functions = 0;  // that are in them
  u64 nameless = 0;   // no symbol, or none that can be on a line
  u64 ambiguous = 0;  // left out: others have the same name
};

// Functions of the program are loaded.
ClusterProfile write_clusters(const program::Program& program, const BlockCounts& counts,
                              const ProgramLayout& layout, const ClusterOptions& options);

// Whether a file is the part for clang of such a pair: of version 0 or 1, told by its first lines.
bool is_cluster_profile(std::string_view text);

}  // namespace pgokit::block_layout
