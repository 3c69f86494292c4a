/* The structures of ELF files of this machine. */
#ifndef PGOKIT_RUNTIME_ELF_TYPES_H
#define PGOKIT_RUNTIME_ELF_TYPES_H

#include <elf.h>
#include <stdint.h>

#if UINTPTR_MAX > UINT32_MAX
typedef Elf64_Ehdr pgokit_elf_header;
typedef Elf64_Phdr pgokit_elf_segment;
typedef Elf64_Nhdr pgokit_elf_note;
#else
typedef Elf32_Ehdr pgokit_elf_header;
typedef Elf32_Phdr pgokit_elf_segment;
typedef Elf32_Nhdr pgokit_elf_note;
#endif

#endif
