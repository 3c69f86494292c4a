#include "dwarf/discriminator.h"

namespace pgokit::dwarf {
namespace {

// A component: 0 in one bit; else up to 5 bits of value, or up to 12 where bit 6 is set.
u32 first_component(u32 packed) {
  if (packed & 1) return 0;
  u32 value = packed >> 1;
  return value & 0x20 ? ((value >> 1) & 0xfe0) | (value & 0x1f) : value & 0x1f;
}

u32 without_first_component(u32 packed) {
  if (packed & 1) return packed >> 1;
  return packed >> (packed & 0x40 ? 14 : 7);
}

bool holds_probe(u32 packed) { return (packed & 7) == 7 && (packed & ~7u) != 0; }

// Then the number of the probe has 13 bits in place of 16.
bool holds_base_beside_probe(u32 packed) { return packed & (1u << 28); }

u32 base_beside_probe(u32 packed) {
  return holds_base_beside_probe(packed) ? packed >> 16 & 7 : packed >> 3 & 0xffff;
}

}  // namespace

u32 base_discriminator(u32 packed, Discriminators form) {
  if (form == Discriminators::whole) return packed;
  if (form == Discriminators::gcc) return packed & 0xff;
  return holds_probe(packed) ? base_beside_probe(packed) : first_component(packed);
}

u32 probe_of_discriminator(u32 packed) {
  return packed >> 3 & (holds_base_beside_probe(packed) ? 0x1fff : 0xffff);
}

u32 duplication_factor(u32 packed, Discriminators form) {
  if (form == Discriminators::whole) return 1;
  u32 factor = form == Discriminators::gcc ? packed >> 8 & 0x7f
                                           : first_component(without_first_component(packed));
  return factor ? factor : 1;
}

}  // namespace pgokit::dwarf
