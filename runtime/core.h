/* Between the files of the run time. Nothing here needs libc. */
#ifndef PGOKIT_RUNTIME_CORE_H
#define PGOKIT_RUNTIME_CORE_H

#include <elf.h>
#include <stddef.h>
#include <stdint.h>

#include "mip_dump.h"
#include "pgokit.h"

#if UINTPTR_MAX > UINT32_MAX
typedef Elf64_Ehdr pgokit_elf_header;
typedef Elf64_Phdr pgokit_elf_segment;
typedef Elf64_Nhdr pgokit_elf_note;
#else
typedef Elf32_Ehdr pgokit_elf_header;
typedef Elf32_Phdr pgokit_elf_segment;
typedef Elf32_Nhdr pgokit_elf_note;
#endif

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

#define PGOKIT_WEAK_HIDDEN __attribute__((weak, visibility("hidden")))
extern const struct mip_module_settings __start___pgokit_modules[] PGOKIT_WEAK_HIDDEN;
extern const struct mip_module_settings __stop___pgokit_modules[] PGOKIT_WEAK_HIDDEN;

/* What a kind collects outside of the raw section. A file that has one tells it here; so a program
 * is linked with what its kinds need, and nothing else. */
struct pgokit_source {
  uint32_t payload_kind, entry_size;
  uint32_t (*count)(void);                /* entries, used or not */
  int (*entry)(uint32_t index, void* to); /* 0: it is not used */
  void (*forget)(void);                   /* may be null */
};
#define PGOKIT_SOURCE(source)                            \
  static const struct pgokit_source* const source##_here \
      __attribute__((section("__pgokit_sources"), used, retain)) = &(source)
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

uint64_t pgokit_build_id(const uint8_t** bytes); /* its size, 0 if there is none */
uint64_t pgokit_load_bias(void);
uint64_t pgokit_wall_ns(void);

#endif
