/* Counters and what is common to all kinds. Needs no libc. */
#include "core.h"

PGOKIT_SECTION(char, raw, MIP_RAW_SECTION);
PGOKIT_SECTION(const struct pgokit_source* const, sources, PGOKIT_SOURCES);

struct pgokit_identity pgokit_self;
uint64_t pgokit_dropped[MIP_DROPPED_COUNT];
uint32_t pgokit_first_runs;
uint32_t pgokit_edge_rate;

__attribute__((weak)) uint64_t pgokit_clock_ns(void) { return 0; }

char* pgokit_raw_begin(void) { return raw_begin; }
size_t pgokit_raw_size(void) { return (size_t)(raw_end - raw_begin); }

static uint32_t kinds_of_modules(void) {
  uint32_t kinds = 0;
  for (const struct mip_module_settings* each = pgokit_modules_begin; each < pgokit_modules_end;
       ++each) {
    kinds |= each->kinds;
  }
  return kinds;
}

uint32_t pgokit_source_count(void) { return (uint32_t)(sources_end - sources_begin); }

const struct pgokit_source* pgokit_source(uint32_t number) { return sources_begin[number]; }

uint32_t pgokit_time(void) {
  if (!pgokit_self.start_clock)
    pgokit_self.start_clock = pgokit_clock_ns(); /* before constructors */
  const uint64_t passed = (pgokit_clock_ns() - pgokit_self.start_clock) / 1000;
  return passed < UINT32_MAX ? (uint32_t)passed : UINT32_MAX;
}

int pgokit_refill(void) {
  const uint32_t kinds = kinds_of_modules(), bytes = MIP_COVERAGE | MIP_BLOCK_COVERAGE;
  const uint32_t elsewhere = MIP_EDGES | MIP_ORDER_LOG | MIP_ORDER_CALLS;
  if (kinds & bytes && kinds & ~bytes & ~elsewhere) return 1;
  const char value = kinds & bytes ? -1 : 0;
  volatile char* at = pgokit_raw_begin();
  for (size_t i = sizeof(struct mip_section_header); i < pgokit_raw_size(); ++i) at[i] = value;
  return 0;
}

void pgokit_forget_runs(void) {
  for (uint32_t i = 0; i < pgokit_source_count(); ++i) {
    if (pgokit_source(i)->forget) pgokit_source(i)->forget();
  }
  for (int i = 0; i < MIP_DROPPED_COUNT; ++i) pgokit_dropped[i] = 0;
  pgokit_first_runs = 0;
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
