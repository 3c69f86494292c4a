/* Between the files of the run time. Nothing here needs libc. */
#ifndef PGOKIT_RUNTIME_CORE_H
#define PGOKIT_RUNTIME_CORE_H

#include <stddef.h>
#include <stdint.h>

#include "mip_dump.h"
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

extern uint64_t pgokit_dropped[MIP_DROPPED_COUNT];
extern uint32_t pgokit_first_runs;
extern uint32_t pgokit_edge_rate; /* 0: no calls are sampled */

/* Declares NAME_begin and NAME_end: where a section of this module lies. Both are equal where it has
 * none. */
#ifdef __APPLE__
#define PGOKIT_BOUND(type, name, symbol) extern type name[] __asm__(symbol)
#define PGOKIT_SECTION(type, name, section)                          \
  PGOKIT_BOUND(type, name##_begin, "section$start$__DATA$" section); \
  PGOKIT_BOUND(type, name##_end, "section$end$__DATA$" section)
#define PGOKIT_KEPT(section_name) __attribute__((section("__DATA," section_name), used))
#else
#define PGOKIT_BOUND(type, name, symbol) \
  extern type name[] __asm__(symbol) __attribute__((weak, visibility("hidden")))
#define PGOKIT_SECTION(type, name, section)             \
  PGOKIT_BOUND(type, name##_begin, "__start_" section); \
  PGOKIT_BOUND(type, name##_end, "__stop_" section)
#define PGOKIT_KEPT(section_name) __attribute__((section(section_name), used, retain))
#endif

PGOKIT_SECTION(const struct mip_module_settings, pgokit_modules, MIP_MODULE_SECTION);

/* What a kind collects outside of the raw section. A file that has one tells it here; so a program
 * is linked with what its kinds need, and nothing else. */
struct pgokit_source {
  uint32_t payload_kind, entry_size;
  uint32_t (*count)(void);                /* entries, used or not */
  int (*entry)(uint32_t index, void* to); /* 0: it is not used */
  void (*forget)(void);                   /* may be null */
};
#define PGOKIT_SOURCES "__pgokit_sources"
#define PGOKIT_SOURCE(source) \
  static const struct pgokit_source* const source##_here PGOKIT_KEPT(PGOKIT_SOURCES) = &(source)
uint32_t pgokit_source_count(void);
const struct pgokit_source* pgokit_source(uint32_t number);

uint16_t pgokit_module_of(uint64_t address); /* the number of its entry in MODULES; 0: not known */

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
void pgokit_forget_runs(void);    /* what sources have, first runs and drops */
void pgokit_forget_records(void); /* marks and numbers of dumps */

void pgokit_release(void); /* in the child of a fork: no dump is being made */

/* CRC-32 of zlib: begins with UINT32_MAX, ends inverted. */
uint32_t pgokit_crc_add(uint32_t crc, const uint8_t* at, uint32_t size);

uint64_t pgokit_wall_ns(void);

/* Of the file that this module is, as it lies in memory: image_elf.c or image_mach_o.c. */
uint16_t pgokit_machine(void);                   /* e_machine of ELF */
uint64_t pgokit_build_id(const uint8_t** bytes); /* its size, 0 if there is none */
uint64_t pgokit_load_bias(void);

#endif
