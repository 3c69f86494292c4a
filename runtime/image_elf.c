/* This module as an ELF file. Needs no libc. */
#include "core.h"
#include "elf_types.h"

extern const pgokit_elf_header __ehdr_start __attribute__((weak, visibility("hidden")));

uint16_t pgokit_machine(void) { return &__ehdr_start ? __ehdr_start.e_machine : 0; }

static const pgokit_elf_segment* program_headers(uint32_t* count) {
  const pgokit_elf_header* header = &__ehdr_start;
  if (!header || header->e_ident[0] != 0x7f || header->e_phentsize != sizeof(pgokit_elf_segment))
    return *count = 0, NULL;
  *count = header->e_phnum;
  return (const pgokit_elf_segment*)((const char*)header + header->e_phoff);
}

uint64_t pgokit_load_bias(void) {
  uint32_t count;
  const pgokit_elf_segment* each = program_headers(&count);
  for (; count; --count, ++each) {
    if (each->p_type == PT_LOAD && each->p_offset == 0)
      return (uint64_t)(uintptr_t)&__ehdr_start - each->p_vaddr;
  }
  return 0;
}

static uint64_t id_in_notes(const char* at, uint64_t size, const uint8_t** bytes) {
  while (size >= sizeof(pgokit_elf_note)) {
    const pgokit_elf_note* note = (const pgokit_elf_note*)at;
    const uint64_t name = (note->n_namesz + 3u) & ~(uint64_t)3,
                   description = (note->n_descsz + 3u) & ~(uint64_t)3;
    const uint64_t whole = sizeof *note + name + description;
    if (whole > size) return 0;
    const char* text = at + sizeof *note;
    if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 && text[0] == 'G' &&
        text[1] == 'N' && text[2] == 'U') {
      *bytes = (const uint8_t*)text + name;
      return note->n_descsz < 32 ? note->n_descsz : 32;
    }
    at += whole, size -= whole;
  }
  return 0;
}

uint64_t pgokit_build_id(const uint8_t** bytes) {
  uint32_t count;
  const pgokit_elf_segment* each = program_headers(&count);
  const uint64_t bias = pgokit_load_bias();
  for (; count; --count, ++each) {
    if (each->p_type != PT_NOTE) continue;
    const uint64_t size =
        id_in_notes((const char*)(uintptr_t)(bias + each->p_vaddr), each->p_memsz, bytes);
    if (size) return size;
  }
  return 0;
}
