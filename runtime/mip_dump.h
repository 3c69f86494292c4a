/* The file of raw dumps, which the run time writes and the tool reads. C11, no libc; also C++.
 * docs/formats/mip.md draws it. */
#ifndef PGOKIT_MIP_DUMP_H
#define PGOKIT_MIP_DUMP_H

#include "mip_format.h"

#define MIP_DUMP_MAGIC 0x0a70696d6f67700dull /* 0d "pgomip" 0a */
#define MIP_DUMP_VERSION 0x0100u

enum mip_dump_flags {
  MIP_DUMP_CONTINUOUS = 0x1, /* a mapped file, as the process left it: the checksum is 0 */
  MIP_DUMP_FORKED = 0x2,     /* counts since the fork from `parent` */
  MIP_DUMP_NO_BUILD_ID = 0x4
};

enum {
  MIP_DROPPED_EDGES,
  MIP_DROPPED_TARGETS,
  MIP_DROPPED_ORDER,
  MIP_DROPPED_OTHER,
  MIP_DROPPED_COUNT
};

/* The last four bytes of a record are the CRC-32 (zlib's) of all before them. */
#define MIP_DUMP_CRC_SIZE 4

/* One module of one process at one time. Files are such records one behind the other. Dumps are
 * cumulative: of records with equal build_id, raw_address, pid and start_time the one of the
 * highest sequence holds all. */
struct mip_dump {
  uint64_t magic;
  uint16_t version;
  uint16_t machine;    /* e_machine of ELF */
  uint32_t flags;      /* mip_dump_flags */
  uint64_t total_size; /* of the record with all payloads, a multiple of 8 */
  uint32_t zero;
  uint32_t payload_count; /* mip_payload behind this header */
  uint32_t kinds;         /* of the section header */
  uint32_t module_hash;
  uint64_t raw_address; /* of the raw section, as linked */
  uint64_t raw_size;
  uint64_t load_bias; /* address in the process minus address as linked */
  uint32_t pid;
  uint32_t parent;        /* of a fork, else 0 */
  uint32_t sequence;      /* of the dumps of this module in this process, from 1 */
  uint32_t build_id_size; /* at most 32 */
  uint64_t start_time;    /* nanoseconds since 1970, of the process, or of the fork or the reset */
  uint64_t dump_time;
  uint64_t edge_rate; /* one of so many calls was sampled */
  uint64_t dropped[MIP_DROPPED_COUNT];
  uint8_t build_id[32];
};

enum mip_payload_kind {
  MIP_PAYLOAD_RAW = 1,        /* the raw section, raw_size bytes */
  MIP_PAYLOAD_PATH = 2,       /* path of the module, no NUL; may be empty */
  MIP_PAYLOAD_EDGES = 3,      /* mip_edge */
  MIP_PAYLOAD_MODULES = 4,    /* mip_module: what else was loaded, to name addresses outside */
  MIP_PAYLOAD_TARGETS = 5,    /* mip_target: further values of sites */
  MIP_PAYLOAD_ORDER_LOG = 6,  /* mip_order_id */
  MIP_PAYLOAD_MARKS = 7,      /* mip_mark: what the program said about its phases */
  MIP_PAYLOAD_ORDER_CALLS = 8 /* mip_order_call */
};

/* Readers skip kinds that they do not know. */
struct mip_payload {
  uint32_t kind;
  uint32_t entry_size; /* entries may grow at their end */
  uint64_t offset;     /* from the start of the record */
  uint64_t size;
};

/* A sampled call. Addresses are the process's; samples times mip_dump.edge_rate estimates calls. */
struct mip_edge {
  uint64_t return_address; /* behind the call instruction; 0 is an unused entry */
  uint64_t callee;         /* in the first instructions of the function called */
  uint64_t samples;
};

/* A first run, in the order in which they were; those that no longer fit are counted as
 * MIP_DROPPED_ORDER. 0: it was just being noted. */
struct mip_order_call {
  int32_t
      return_address; /* into the function's first instructions, minus the raw section's address */
  uint32_t time;      /* as in mip_first_run */
};

struct mip_module {
  uint64_t start, end, bias;
  uint32_t build_id_size;
  uint32_t zero;
  uint8_t build_id[32];
  char name[64]; /* the end of its path; all of it used or ended by NUL */
};

/* A value that was recorded `count` times and is not counted in its site. Addresses are the
 * process's. */
struct mip_target {
  uint64_t site; /* offset of its mip_site in the raw section; 0 is an unused entry */
  uint64_t value;
  uint64_t count;
  uint32_t module; /* number in MIP_PAYLOAD_MODULES, from 1: the module the value was in when it was
                      first seen; 0: in this one, or not known */
  uint32_t zero;
};

struct mip_mark {
  uint64_t number;   /* as given by the program */
  uint32_t sequence; /* functions that had run */
  uint32_t time;     /* as in mip_first_run */
};

#endif
