/* Between the files of the run time. Nothing here needs libc. */
#ifndef PGOKIT_RUNTIME_CORE_H
#define PGOKIT_RUNTIME_CORE_H

#include <stddef.h>
#include <stdint.h>

#include "mip_format.h"
#include "pgokit.h"

/* Of this module; filled once by the hosted part, zero on bare metal. */
struct pgokit_identity {
  uint32_t pid, parent;
  uint32_t flags;       /* mip_dump_flags */
  uint64_t start_time;  /* nanoseconds since 1970 */
  uint64_t start_clock; /* pgokit_clock_ns() then */
  const char* path;
};

extern struct pgokit_identity pgokit_self;

struct pgokit_edge_table {
  struct mip_edge* buffer;
  uint32_t capacity;
  uint32_t rate;
};

extern struct pgokit_edge_table pgokit_edges;
extern uint64_t pgokit_dropped[MIP_DROPPED_COUNT];

/* Values of sites beyond the one that is in the site itself. Entries of one site are linked by
 * number, from 1. */
struct pgokit_value {
  uint64_t site; /* offset in the raw section; 0: unused */
  uint64_t value;
  uint64_t count;
  uint64_t before; /* what was counted, under other values, of the entries it took the place of */
  uint32_t next;
  uint16_t module;
  uint16_t zero;
};

struct pgokit_value_table {
  struct pgokit_value* entries;
  uint32_t capacity;
  uint32_t used; /* may be over the capacity */
  uint32_t per_site;
};

extern struct pgokit_value_table pgokit_values;

/* What values lie in, in the order of being seen. */
extern const struct mip_module* pgokit_modules;
extern uint32_t pgokit_module_count;
uint16_t pgokit_module_of(uint64_t address); /* its number; 0: not known. Hosted only. */

void pgokit_find_tables(void); /* edges and values */
uint32_t pgokit_value_count(void);
struct mip_target pgokit_target(uint32_t entry); /* its site is 0: unused */

struct pgokit_log { /* entries of 8 bytes, in a ring; `first` is the oldest */
  const uint64_t* entries;
  uint32_t capacity, first, count;
};

/* Of order_log.c, which is linked only where functions are logged; null until one is. */
struct pgokit_logging {
  struct pgokit_log (*log)(uint32_t payload_kind);
  uint32_t (*logged)(void); /* first runs, also those that are lost */
  void (*clear_bits)(void);
  void (*forget)(void);
};
extern const struct pgokit_logging* pgokit_logging;
uint32_t pgokit_first_runs(void);
uint32_t pgokit_time(void); /* as in mip_first_run */

char* pgokit_raw_begin(void);
size_t pgokit_raw_size(void);

/* Fills all but sequence and times. Offsets of payloads count from `first` on. */
enum { PGOKIT_MAX_PAYLOADS = 8 };
struct pgokit_record {
  struct mip_dump dump;
  struct mip_payload payloads[PGOKIT_MAX_PAYLOADS];
};
void pgokit_describe(struct pgokit_record* record);

/* Counters to their first values where the section alone tells them; 0 if done. */
int pgokit_refill(void);
void pgokit_forget_runs(void);    /* order, logs, edges and drops */
void pgokit_forget_records(void); /* marks and numbers of dumps */

void pgokit_release(void); /* in the child of a fork: no dump is being made */

/* CRC-32 of zlib: begins with UINT32_MAX, ends inverted. */
uint32_t pgokit_crc_add(uint32_t crc, const uint8_t* at, uint32_t size);

uint64_t pgokit_build_id(const uint8_t** bytes); /* its size, 0 if there is none */
uint64_t pgokit_load_bias(void);
uint64_t pgokit_wall_ns(void);

#endif
