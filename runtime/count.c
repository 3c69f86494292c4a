/* Counting: what instrumented code calls, and the first values of counters. Needs no libc. */
#include "core.h"

#define WEAK_HIDDEN __attribute__((weak, visibility("hidden")))

extern char __start___llvm_mipraw[] WEAK_HIDDEN;
extern char __stop___llvm_mipraw[] WEAK_HIDDEN;
extern const struct mip_module_settings __start___pgokit_modules[] WEAK_HIDDEN;
extern const struct mip_module_settings __stop___pgokit_modules[] WEAK_HIDDEN;

struct pgokit_identity pgokit_self;
uint64_t pgokit_dropped[MIP_DROPPED_COUNT];
const struct pgokit_logging* pgokit_logging;

static uint32_t first_runs;

__attribute__((weak)) uint64_t pgokit_clock_ns(void) { return 0; }

char* pgokit_raw_begin(void) { return __start___llvm_mipraw; }
size_t pgokit_raw_size(void) { return (size_t)(__stop___llvm_mipraw - __start___llvm_mipraw); }

static uint32_t kinds_of_modules(void) {
  uint32_t kinds = 0;
  for (const struct mip_module_settings* each = __start___pgokit_modules;
       each < __stop___pgokit_modules; ++each) {
    kinds |= each->kinds;
  }
  return kinds;
}

/* The first buffer serves all. */
struct pgokit_edge_table pgokit_edges;

/* Also the first one. */
struct pgokit_value_table pgokit_values;

const struct mip_module* pgokit_modules;
uint32_t pgokit_module_count;

static void find_values(const struct mip_module_settings* module) {
  if (!module->value_capacity || pgokit_values.capacity) return;
  pgokit_values.entries =
      (struct pgokit_value*)((uintptr_t)module + (uintptr_t)module->value_buffer);
  pgokit_values.per_site = module->values_per_site;
  __atomic_store_n(&pgokit_values.capacity, module->value_capacity, __ATOMIC_RELEASE);
}

uint32_t pgokit_value_count(void) {
  const uint32_t used = __atomic_load_n(&pgokit_values.used, __ATOMIC_RELAXED);
  return used < pgokit_values.capacity ? used : pgokit_values.capacity;
}

struct mip_target pgokit_target(uint32_t entry) {
  const struct pgokit_value* from = &pgokit_values.entries[entry];
  return (struct mip_target){from->site, from->value, from->count, from->module, 0};
}

void pgokit_find_tables(void) {
  for (const struct mip_module_settings* each = __start___pgokit_modules;
       each < __stop___pgokit_modules; ++each) {
    find_values(each);
    if (!each->edge_capacity || pgokit_edges.capacity) continue;
    pgokit_edges.buffer = (struct mip_edge*)((uintptr_t)each + (uintptr_t)each->edge_buffer);
    pgokit_edges.rate = each->edge_rate ? each->edge_rate : 1;
    __atomic_store_n(&pgokit_edges.capacity, each->edge_capacity, __ATOMIC_RELEASE);
  }
}

/* ---- what instrumented code calls, from entry.c ---- */

uint32_t pgokit_time(void) {
  if (!pgokit_self.start_clock)
    pgokit_self.start_clock = pgokit_clock_ns(); /* before constructors */
  const uint64_t passed = (pgokit_clock_ns() - pgokit_self.start_clock) / 1000;
  return passed < UINT32_MAX ? (uint32_t)passed : UINT32_MAX;
}

__attribute__((used)) void pgokit_first_run(struct mip_first_run* run) {
  if (__atomic_load_n(&run->sequence, __ATOMIC_RELAXED)) return;
  /* First the number: the clock of a bare program may itself be instrumented. */
  const uint32_t number = __atomic_add_fetch(&first_runs, 1, __ATOMIC_RELAXED);
  __atomic_store_n(&run->sequence, number, __ATOMIC_RELAXED);
  run->time = pgokit_time();
}

/* A table with few probes: what does not fit is counted as dropped. Two threads may claim one entry
 * each for one edge; readers add them. */
static void count_edge(uint64_t return_address, uint64_t callee) {
  const uint32_t capacity = pgokit_edges.capacity;
  uint64_t hash = (return_address ^ callee << 32 ^ callee >> 8) * 0x9e3779b97f4a7c15u;
  hash ^= hash >> 32;
  for (uint32_t probe = 0; probe < 8; ++probe) {
    struct mip_edge* edge = &pgokit_edges.buffer[(hash + probe) % capacity];
    uint64_t found = __atomic_load_n(&edge->return_address, __ATOMIC_RELAXED);
    if (!found && __atomic_compare_exchange_n(&edge->return_address, &found, return_address, 0,
                                              __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
      __atomic_store_n(&edge->callee, callee, __ATOMIC_RELAXED);
      found = return_address;
    }
    if (found == return_address && __atomic_load_n(&edge->callee, __ATOMIC_RELAXED) == callee) {
      __atomic_add_fetch(&edge->samples, 1, __ATOMIC_RELAXED);
      return;
    }
  }
  __atomic_add_fetch(&pgokit_dropped[MIP_DROPPED_EDGES], 1, __ATOMIC_RELAXED);
}

/* Returns the number of calls to the next sample: at random around the rate, so that
 * loops of calls do not always show the same one. */
__attribute__((used)) int32_t pgokit_sample_edge(uint64_t return_address, uint64_t callee,
                                                 uint32_t* seed) {
  if (!__atomic_load_n(&pgokit_edges.capacity, __ATOMIC_ACQUIRE)) pgokit_find_tables();
  if (!pgokit_edges.capacity) return INT32_MAX;
  if (*seed) {
    count_edge(return_address, callee);
  } else {
    *seed = (uint32_t)((uintptr_t)seed >> 4) * 2654435761u |
            1; /* the first call of a thread only starts it */
  }
  *seed ^= *seed << 13, *seed ^= *seed >> 17, *seed ^= *seed << 5;
  const uint32_t rate = pgokit_edges.rate;
  return (int32_t)(rate > 1 ? *seed % (2 * rate - 1) : 0);
}

uint32_t pgokit_first_runs(void) {
  return __atomic_load_n(&first_runs, __ATOMIC_RELAXED) +
         (pgokit_logging ? pgokit_logging->logged() : 0);
}

int pgokit_refill(void) {
  const uint32_t kinds = kinds_of_modules(), bytes = MIP_COVERAGE | MIP_BLOCK_COVERAGE;
  const uint32_t elsewhere = MIP_EDGES | MIP_ORDER_LOG | MIP_ORDER_CALLS;
  if (kinds & bytes && kinds & ~bytes & ~elsewhere) return 1;
  const char value = kinds & bytes ? -1 : 0;
  volatile char* at = pgokit_raw_begin();
  for (size_t i = sizeof(struct mip_section_header); i < pgokit_raw_size(); ++i) at[i] = value;
  if (pgokit_logging) pgokit_logging->clear_bits();
  return 0;
}

void pgokit_forget_runs(void) {
  for (uint32_t i = 0; i < pgokit_edges.capacity; ++i) {
    pgokit_edges.buffer[i] = (struct mip_edge){0, 0, 0};
  }
  for (uint32_t i = 0; i < pgokit_value_count(); ++i) {
    pgokit_values.entries[i] = (struct pgokit_value){0, 0, 0, 0, 0, 0, 0};
  }
  pgokit_values.used = 0;
  for (int i = 0; i < MIP_DROPPED_COUNT; ++i) pgokit_dropped[i] = 0;
  first_runs = 0;
  if (pgokit_logging) pgokit_logging->forget();
}

uint32_t pgokit_crc_add(uint32_t crc, const uint8_t* at, uint32_t size) {
  static const uint32_t table[16] = {0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac,
                                     0x76dc4190, 0x6b6b51f4, 0x4db26158, 0x5005713c,
                                     0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c,
                                     0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c};
  for (; size; --size) {
    crc ^= *at++;
    crc = crc >> 4 ^ table[crc & 15];
    crc = crc >> 4 ^ table[crc & 15];
  }
  return crc;
}
