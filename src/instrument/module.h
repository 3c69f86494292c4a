#pragma once

// What instrumentation found out, program by program: which functions there are (from the map), and
// what their counters say (from dumps).
//
//   auto read = TRY(instrument::read_map(path, bytes));  // instrument/map.h: a Module without data
//   instrument::Profile profile;
//   profile.modules.push_back(std::move(read.module));
//   for (u32 f = 0; f < module.functions.size(); ++f)
//     use(module.name(module.functions[f]), module.data.calls[f]);
//
// A module without data is what `pgokit map` writes; merging adds data. Everything about functions
// is in columns by number of function, everything about counters in columns by number of counter.
// Source of truth: runtime/mip_format.h, mip_dump.h, docs/formats/mip.md.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/types.h"
#include "runtime/mip_dump.h"

namespace pgokit::instrument {

struct Function {
  u64 address = 0;  // as linked; never 0
  u64 box = 0;      // offset of its counters in the raw section
  u32 size = 0;     // 0: not known
  u32 signature = 0;
  u32 kinds = 0, flags = 0;
  u32 block_count = 0;    // listed or not
  u32 counter_count = 0;  // of MIP_BLOCK_COVERAGE and MIP_BLOCKS64
  u32 first_block = 0;    // into Module::blocks; block_count of them if has_blocks()
  u32 first_counter = 0;  // into the columns of counters
  u32 name = 0, name_size = 0;
  u32 first_site = 0, site_count = 0;      // into Module::sites
  u32 order_module = 0, order_number = 0;  // of MIP_ORDER_LOG, else 0: mip_order_id
  u32 source = none;                       // into Module::sources

  static constexpr u32 none = ~u32{0};

  bool has_blocks() const { return flags & MIP_BLOCK_LIST; }
  u64 box_size() const { return mip_box_size(kinds, counter_count); }
  bool operator==(const Function&) const = default;
};

// A function or block of a damaged map may cover all addresses; code does not.
inline constexpr u64 longest_code = 1 << 24;

struct Block {
  u64 address = 0;
  u32 counter = 0;  // of the function's, or mip_inferred
  u32 first_successor = 0, successor_count = 0;
  bool operator==(const Block&) const = default;
};

// A place where values are recorded: targets of a call, tables it goes through, sizes of copies.
struct Site {
  u64 address = 0;  // of the call
  u64 raw = 0;      // offset in the raw section
  u32 kind = 0;     // one of MIP_VALUES
  u32 function = 0;
  u32 line = MIP_NO_LINE, column = 0;  // as in mip_site_place
  u32 name = 0, name_size = 0;         // of the function it was written in; 0: the one it is in
  u32 number = 0;                      // of MIP_SITE_NUMBERS; 0: not known
  bool operator==(const Site&) const = default;
};

// A function as the source knows it, which code may have been inlined from.
struct Source {
  u32 name = 0, name_size = 0;  // "FILE;NAME" of a local function
  u64 checksum = 0;             // of its control flow in the source; 0: not known
  bool operator==(const Source&) const = default;
};

// A constant with functions in it, which calls go through: in C++ the table of a class.
struct Table {
  u64 address = 0;  // as linked; never 0
  u64 size = 0;
  u32 name = 0, name_size = 0;  // of its symbol; "FILE;NAME" of a local one
  bool operator==(const Table&) const = default;
};

// One value of a site, and how often it was recorded.
struct SiteValue {
  u32 module = 0, site = 0;
  u32 to_module = 0;  // that has the address `value`, as linked
  u64 value = 0;
  u64 count = 0;
  // In no module: the address is that of a process, or it is a size.
  static constexpr u32 nowhere = ~u32{0};
  bool operator==(const SiteValue&) const = default;
};

// First runs of a function, summed over the dumps in which it ran.
struct FirstRuns {
  u64 dumps = 0, rank_sum = 0, microseconds = 0;
  bool operator==(const FirstRuns&) const = default;
};

// Calls that were sampled. A module is one of the profile's; addresses are as linked.
struct Edge {
  u32 from_module = 0, to_module = 0;
  u64 from = 0;  // the return address
  u64 to = 0;    // the function called, or an address in its first instructions
  u64 samples = 0;
  u64 calls = 0;  // estimated: samples times the rate
  bool operator==(const Edge&) const = default;
};

// What is known of the counters. Sums stop at their largest value, so that the order of merging
// does not matter. Columns of kinds that no function has are zero.
struct Data {
  u64 dumps = 0;  // that were added, times their weights
  u64 dropped[MIP_DROPPED_COUNT] = {};
  // By function.
  std::vector<u64> ran;    // dumps in which it ran
  std::vector<u64> calls;  // of MIP_CALLS32, MIP_CALLS64, or of the first block
  std::vector<FirstRuns> first;
  // By counter.
  std::vector<u64> executions;  // MIP_BLOCKS64
  std::vector<u64> block_ran;   // dumps in which it ran
  // By site: what was recorded and not kept.
  std::vector<u64> values_dropped;
  bool operator==(const Data&) const = default;
};

// A function of a file that has no map, as the file's symbols name it.
struct Symbol {
  u64 address = 0;  // as linked
  std::string name;
  bool is_local = false;
};

// A program or library.
struct Module {
  std::string build_id;             // bytes; empty: not known
  std::string path;                 // where it was found
  u16 machine = 0;                  // of ELF; 0: not known
  u64 raw_address = 0;              // of the raw section, as linked
  std::vector<Function> functions;  // by address, then box
  std::vector<Block> blocks;
  std::vector<u32> successors;  // numbers of blocks in their function
  std::string names;
  std::vector<Site> sites;  // function by function
  std::string site_names;
  std::vector<Source>
      sources;  // by name, if they were noted: local functions, and those with a checksum
  std::string source_texts;
  std::vector<Table> tables;  // by address, if sites have them (MIP_TABLES)
  std::string table_names;
  std::vector<Symbol> symbols;  // by address; not in files: pipeline/library_names.h
  u64 counters = 0;             // of all functions
  Data data;

  std::string_view name(const Function& function) const {
    return std::string_view(names).substr(function.name, function.name_size);
  }
  std::span<const Block> blocks_of(const Function& function) const {
    if (!function.has_blocks()) return {};
    return std::span(blocks).subspan(function.first_block, function.block_count);
  }
  std::span<const u32> successors_of(const Block& block) const {
    return std::span(successors).subspan(block.first_successor, block.successor_count);
  }
  std::span<const Site> sites_of(const Function& function) const {
    return std::span(sites).subspan(function.first_site, function.site_count);
  }
  // Of the function that the site was written in.
  std::string_view name(const Site& site) const;
  std::string_view name(const Source& source) const {
    return std::string_view(source_texts).substr(source.name, source.name_size);
  }
  std::string_view name(const Table& table) const {
    return std::string_view(table_names).substr(table.name, table.name_size);
  }
  // With the file of local functions, where that was noted: what tells them apart.
  std::string_view source_name(const Function& function) const;
  std::string_view source_name(const Site& site) const;
  u64 checksum(std::string_view source_name) const;  // 0: not known
  // Where the block's code ends. Of functions in parts only the start is known: the next block's
  // or function's start, whichever comes first, is then its end.
  u64 block_end(const Function& function, u32 block) const;
  // The function that the address is in; null: none.
  const Function* find(u64 address) const;
  // The table that the address is in; null: none.
  const Table* find_table(u64 address) const;
  // That begins at the address; null: none is known.
  const Symbol* find_symbol(u64 address) const;
  u32 index_of(const Function& function) const {
    return static_cast<u32>(&function - functions.data());
  }
  u32 all_kinds() const;
  // Those that tell of every function whether it ran: a log that lost its start does not.
  u32 kinds_of_runs() const;
  // Its map has been read: not just known as the other end of a call.
  bool has_map() const { return !functions.empty(); }
  // `sources` as they were found, to one of each name, in order. Two different checksums of one
  // name tell nothing.
  void sort_sources();
  // Columns get their sizes.
  void make_columns();
};

struct Profile {
  std::vector<Module> modules;
  std::vector<Edge> edges;        // by their members
  std::vector<SiteValue> values;  // likewise

  // Of a build id; null: none.
  const Module* find(std::string_view build_id) const;
};

// "app", else what its build id begins with.
std::string display_name(const Module& module);
// "block counts, order"
std::string kind_names(u32 kinds);

}  // namespace pgokit::instrument
