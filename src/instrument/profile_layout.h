#pragma once

// Layout of .mip files: see docs/formats/mip-profile.md.

#include "base/cursor.h"

namespace pgokit::instrument {

inline constexpr u64 profile_magic = 0x0a666f72702d690dull;  // 0d "i-prof" 0a
inline constexpr u16 profile_version = 0x0103;

struct FileHeader {
  Le<u64> magic;
  Le<u16> version, zero;
  Le<u32> crc;  // of all that follows
};

// Contents are padded to 8 bytes with zeros; unknown kinds are skipped.
struct Chunk {
  Le<u32> kind, entry_size;
  Le<u64> size;  // without the padding
};

enum ChunkKind : u32 {
  module_chunk = 1,  // its contents are chunks
  edges_chunk = 2,
  values_chunk = 3,
  build_id_chunk = 16,
  path_chunk,
  facts_chunk,
  functions_chunk,
  blocks_chunk,
  successors_chunk,
  names_chunk,
  ran_chunk,
  calls_chunk,
  first_chunk,
  executions_chunk,
  block_ran_chunk,
  order_ids_chunk,  // if a function has MIP_ORDER_LOG
  sites_chunk = 40,
  site_names_chunk,
  values_dropped_chunk,
  sources_chunk,           // functions as the source knows them, by name
  source_texts_chunk,      // their names
  function_sources_chunk,  // u32 per function: number of its source, from 1; 0: its symbol's name
  tables_chunk,            // of functions, by address
  table_names_chunk,
};

struct FileFacts {
  Le<u32> machine, zero;
  Le<u64> raw_address, dumps;
  Le<u64> dropped[4];
};

struct FileFunction {
  Le<u64> address, box;
  Le<u32> size, signature, kinds, flags, block_count, counter_count, successor_count, name_size;
};

struct FileBlock {
  Le<u64> address;
  Le<u32> counter, successor_count;
};

struct FileFirst {
  Le<u64> dumps, rank_sum, microseconds;
};

struct FileOrderId {
  Le<u32> module, function;
};

struct FileSite {
  Le<u64> address, raw;
  Le<u32> kind, function, line, column, name_size, number;
};

struct FileSource {
  Le<u64> checksum;
  Le<u32> name_size, zero;
};

struct FileTable {
  Le<u64> address, size;
  Le<u32> name_size, zero;
};

struct FileValue {
  Le<u32> module, site, to_module, zero;
  Le<u64> value, count;
};

struct FileEdge {
  Le<u32> from_module, to_module;
  Le<u64> from, to, samples, calls;
};

}  // namespace pgokit::instrument
