/* This module as a Mach-O file of 64 bits. Needs no libc, and no header of Apple's: the structures are
 * those of <mach-o/loader.h>. */
#include "core.h"

struct image_header {
  uint32_t magic, cpu, cpu_subtype, file_type, command_count, commands_size, flags, reserved;
};
struct command {
  uint32_t kind, size;
};
struct segment {
  struct command command;
  char name[16];
  uint64_t address, memory_size, offset, file_size;
};
struct uuid {
  struct command command;
  uint8_t bytes[16];
};

enum { SEGMENT_64 = 0x19, UUID = 0x1b };

/* The linker defines it, in each program and library. */
extern const struct image_header __dso_handle __attribute__((visibility("hidden")));

uint16_t pgokit_machine(void) {
#ifdef __aarch64__
  return 183;
#else
  return 62;
#endif
}

static const struct command* first_command(void) {
  return (const struct command*)(&__dso_handle + 1);
}

static const struct command* next(const struct command* command) {
  return (const struct command*)((const char*)command + command->size);
}

uint64_t pgokit_load_bias(void) {
  const struct command* each = first_command();
  for (uint32_t i = 0; i < __dso_handle.command_count; ++i, each = next(each)) {
    const struct segment* segment = (const struct segment*)each;
    if (each->kind == SEGMENT_64 && segment->offset == 0 && segment->file_size)
      return (uint64_t)(uintptr_t)&__dso_handle - segment->address;
  }
  return 0;
}

uint64_t pgokit_build_id(const uint8_t** bytes) {
  const struct command* each = first_command();
  for (uint32_t i = 0; i < __dso_handle.command_count; ++i, each = next(each)) {
    if (each->kind != UUID) continue;
    *bytes = ((const struct uuid*)each)->bytes;
    return sizeof((const struct uuid*)each)->bytes;
  }
  return 0;
}
