/* Layouts shared by the plugin, the run time and the tool: sections of instrumented programs.
 * C11, no libc; also C++. docs/formats/mip.md draws them; dumps are in mip_dump.h.
 *
 * Numbers have the byte order of the program, which is little-endian on every target there is.
 * Structures of files are packed by their own layout: no padding, but no alignment either, so that
 * readers copy them (memcpy) instead of casting.
 *
 * Versions: the high byte changes when old readers must refuse, the low byte when something was
 * added that they may skip. */
#ifndef PGOKIT_MIP_FORMAT_H
#define PGOKIT_MIP_FORMAT_H

#include <stdint.h>

#define MIP_MAGIC 0x50494dfbu /* fb 'M' 'I' 'P' */
#define MIP_VERSION 0x0106u
#define MIP_RAW_SECTION "__llvm_mipraw"
#define MIP_MAP_SECTION "__llvm_mipmap"

/* Of Mach-O, with their segments. The linker keeps records of the map whose functions it keeps. */
#define MIP_MACH_O_RAW "__DATA," MIP_RAW_SECTION
#define MIP_MACH_O_MAP "__LLVM_MIP," MIP_MAP_SECTION ",regular,live_support"
/* Of a map whose records have MIP_RELATIVE. */
#define MIP_VERSION_RELATIVE 0x0200u

/* For the run time only, no part of files: what modules collect. */
#define MIP_MODULE_SECTION "__pgokit_modules"
struct mip_module_settings {
  uint32_t kinds;
  uint32_t edge_rate;
  uint32_t edge_capacity; /* entries of the buffer */
  int32_t runtime;        /* brings the run time into the link */
  int64_t edge_buffer;    /* its address minus that of this structure */
  int64_t value_buffer;   /* likewise: pgokit_value of the run time; 0: none */
  uint32_t value_capacity;
  uint32_t values_per_site;
};

/* Also for the run time only. Buffers of logs, once in a linked program, of mip_order_id and of
 * mip_order_call; the section is the buffer. (Names have 16 characters in Mach-O.) */
#define MIP_ORDER_LOG_SECTION "__mip_order_log"
#define MIP_ORDER_CALLS_SECTION "__mip_order_call"

/* The bits of MIP_ORDER_LOG. The functions of a module of the compiler are numbered from 0; each
 * line has the bits of the next ones, so that the address of a bit tells which function it belongs
 * to. */
#define MIP_ORDER_BITS_SECTION "__mip_order_bits"
#define MIP_ORDER_LINE_BITS 192
struct mip_order_line {
  uint32_t module;                       /* id, never 0 */
  uint32_t first;                        /* number of the function of the first bit */
  uint8_t bits[MIP_ORDER_LINE_BITS / 8]; /* 1: it has run */
};

enum mip_file_type { MIP_TYPE_RAW = 1, MIP_TYPE_MAP = 2 };

/* What is collected, of a function (map record), a module (section header) or a dump. */
enum mip_kind {
  MIP_COVERAGE = 0x1,       /* u8: 0xff never ran, 0 ran */
  MIP_BLOCK_COVERAGE = 0x2, /* u8 per counter: 0xff never ran, 0 ran */
  MIP_CALLS32 = 0x4,        /* u32: calls, wraps */
  MIP_ORDER = 0x8,          /* mip_first_run */
  MIP_CALLS64 = 0x10,       /* u64: calls */
  MIP_BLOCKS64 = 0x20,      /* u64 per counter: executions */
  MIP_EDGES = 0x40,         /* nothing in the box; payload MIP_PAYLOAD_EDGES */
  MIP_TARGETS = 0x80,       /* mip_site per indirect call: what was called */
  MIP_ORDER_LOG = 0x100,    /* nothing in the box; payload MIP_PAYLOAD_ORDER_LOG */
  MIP_ORDER_CALLS = 0x200,  /* always with MIP_COVERAGE; payload MIP_PAYLOAD_ORDER_CALLS */
  MIP_TABLES = 0x400,       /* mip_site per call through a table of functions: which table */
  MIP_SIZES = 0x800,        /* mip_site per copy or fill of unknown size: how many bytes */
  MIP_VALUES = MIP_TARGETS | MIP_TABLES | MIP_SIZES,
  MIP_ALL_KINDS = 0xfff
};

/* Begins both sections; once per linked program. `kinds` and `module_hash` are those of the module
 * that gave the header; what is true of a function is in its map record. */
struct mip_section_header {
  uint32_t magic;
  uint16_t version;
  uint16_t type; /* mip_file_type */
  uint32_t kinds;
  uint32_t module_hash;
  uint32_t zero;
  uint32_t data_offset; /* 24 */
};

/* First run of a function: ordered by `sequence` within one module of one process (1, 2, ...; 0 is
 * never), `time` in microseconds since the start in the dump, at most UINT32_MAX. */
struct mip_first_run {
  uint32_t sequence;
  uint32_t time;
};

#define MIP_FUNCTION_MAGIC 0x464d50fbu /* fb 'P' 'M' 'F' */

enum mip_function_flags {
  MIP_MINIMAL_BLOCKS =
      0x1, /* not every block has a counter: mip_block.counter says what to infer */
  MIP_BLOCK_ADDRESSES =
      0x2,           /* block addresses are a u64 array, offsets are 0 (the function is in parts) */
  MIP_NO_SIZE = 0x4, /* function_size is 0 as it is not known: ask the symbol table */
  MIP_BLOCK_LIST = 0x8,    /* blocks and successors are listed */
  MIP_SOURCE_NAME = 0x10,  /* a local function: its name in the source is behind all else */
  MIP_CHECKSUM = 0x20,     /* no function, but the checksum of one in the source */
  MIP_SITE_NUMBERS = 0x40, /* sites have numbers in the source, behind the name in the source */
  MIP_OWN_CHECKSUM = 0x80, /* its checksum in the source is behind all else */
  MIP_TABLE = 0x100,       /* no function, but a table of functions */
  MIP_RELATIVE = 0x200     /* its addresses count from the start of the record */
};

/* A function of the map. Behind it: if MIP_BLOCK_LIST, block_count mip_block, then successor_count
 * u32 (indexes of blocks, block by block); if MIP_BLOCK_ADDRESSES also, block_count u64; then
 * name_size bytes of name; if MIP_ORDER_LOG also, mip_order_id; if MIP_VALUES, mip_site_list; if
 * MIP_SOURCE_NAME, a u32 and so many bytes of name; if MIP_SITE_NUMBERS, a u32 per site: which
 * one it is, from 1, of those of its kind in the function that its line belongs to; 0: not known.
 * Calls and the tables that they go through have the same numbers; last, if MIP_OWN_CHECKSUM, a u64.
 * With MIP_CHECKSUM there is only the name, and a u64 behind it; with MIP_TABLE the name, and
 * mip_table behind it. Such records have address 0, so that older readers skip them.
 *
 * With MIP_RELATIVE all addresses count from the record's own, as where the map is loaded (Mach-O):
 * nothing of it is to be relocated. raw_start is 0: where the section lies, the file tells; raw_box
 * and raw_sites are 0 if nothing is counted.
 *
 * The name in the source is "FILE;NAME" of a local function, with FILE as the compiler was given
 * it, else that of the symbol. */
struct mip_function {
  uint32_t magic;
  uint32_t record_size; /* all of it, from magic to the last byte of the name */
  uint64_t raw_start;   /* address of the raw section */
  uint64_t raw_box;     /* address of the function's box in it */
  uint64_t address;     /* of the function; 0: the linker dropped it */
  uint32_t function_size;
  uint32_t signature;       /* of the control flow graph */
  uint32_t kinds;           /* mip_kind, decides the box */
  uint32_t flags;           /* mip_function_flags */
  uint32_t block_count;     /* machine blocks, also where none is listed */
  uint32_t counter_count;   /* of MIP_BLOCK_COVERAGE and MIP_BLOCKS64 */
  uint32_t successor_count; /* of all blocks together, 0 without MIP_BLOCK_LIST */
  uint32_t name_size;
};

/* A function of MIP_ORDER_LOG: module of the compiler, and number of the function in it. Also an
 * entry of the payload: functions in the order of their first runs, a ring whose oldest entries may
 * be gone (MIP_DROPPED_ORDER tells how many). Module 0: the function was just being noted. */
struct mip_order_id {
  uint32_t module;
  uint32_t function;
};

/* Where a table of functions is, whose name is that of its symbol, "FILE;NAME" if it is local. */
struct mip_table {
  uint64_t address; /* 0: the linker dropped it */
  uint64_t size;
};

/* The sites of a function. Behind it: site_count mip_site_place, then text_size bytes of names. */
struct mip_site_list {
  uint64_t raw_sites; /* address of its mip_site in the raw section, one behind the other */
  uint32_t site_count;
  uint32_t text_size;
};

/* Where values are recorded. Its line belongs to the function that the code was written in, which
 * may have been inlined and is named as in the source. */
struct mip_site_place {
  uint64_t address; /* of the call */
  uint32_t kind;    /* one of MIP_VALUES */
  uint32_t line;    /* after that of the function's name; MIP_NO_LINE: not known */
  uint32_t column;
  uint32_t name_size; /* of that function; 0: the one that the site is in */
};
#define MIP_NO_LINE 0xffffffffu

/* A site in the raw section. `hits` counts all that was recorded: hits - taken belong to `value`,
 * of those taken the rows of MIP_PAYLOAD_TARGETS have what was kept, and the rest was dropped. */
struct mip_site {
  uint64_t value; /* what came last, or comes most */
  uint64_t hits;
  uint64_t taken;
  uint32_t more;   /* of the run time */
  uint16_t module; /* of the value: number in MIP_PAYLOAD_MODULES, from 1; 0: see mip_target */
  uint8_t lock;    /* of the run time */
  uint8_t zero;
};

/* In the order of the code; block 0 is the entry. */
struct mip_block {
  uint32_t offset;  /* from the function's address */
  uint32_t counter; /* index, or mip_inferred */
  uint32_t successor_count;
};

/* mip_inferred: */
#define MIP_FROM_SUCCESSORS 0xffffffffu   /* coverage: ran if a successor ran */
#define MIP_FROM_PREDECESSORS 0xfffffffeu /* coverage: ran if a predecessor ran */
#define MIP_FROM_FLOW 0xfffffffdu         /* counts: what flows in flows out */

/* Offsets of fields in a box: 8-byte fields first, then 4, then 1, so that nothing is padded. */
static inline uint32_t mip_calls64_offset(void) { return 0; }
static inline uint32_t mip_blocks64_offset(uint32_t kinds) { return kinds & MIP_CALLS64 ? 8 : 0; }
static inline uint64_t mip_order_offset(uint32_t kinds, uint32_t counters) {
  return mip_blocks64_offset(kinds) + (kinds & MIP_BLOCKS64 ? 8 * (uint64_t)counters : 0);
}
static inline uint64_t mip_calls32_offset(uint32_t kinds, uint32_t counters) {
  return mip_order_offset(kinds, counters) + (kinds & MIP_ORDER ? 8 : 0);
}
static inline uint64_t mip_coverage_offset(uint32_t kinds, uint32_t counters) {
  return mip_calls32_offset(kinds, counters) + (kinds & MIP_CALLS32 ? 4 : 0);
}
static inline uint64_t mip_block_coverage_offset(uint32_t kinds, uint32_t counters) {
  return mip_coverage_offset(kinds, counters) + (kinds & MIP_COVERAGE ? 1 : 0);
}
static inline uint64_t mip_box_size(uint32_t kinds, uint32_t counters) {
  return mip_block_coverage_offset(kinds, counters) + (kinds & MIP_BLOCK_COVERAGE ? counters : 0);
}

/* FNV-1a over 32-bit numbers: the signature is this over block_count, then for each block its
 * number of successors and their indexes. */
#define MIP_SIGNATURE_START 0x811c9dc5u
static inline uint32_t mip_signature_add(uint32_t signature, uint32_t number) {
  return (signature ^ number) * 0x01000193u;
}

#endif
