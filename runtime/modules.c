/* Which programs and libraries values lie in, noted when a value is first seen: the library may be
 * unloaded when the dump is made. Nothing here is called in a loop, and nothing allocates, waits or
 * is unsafe in signal handlers. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>

#include "core.h"
#include "elf_types.h"

#ifdef DLFO_STRUCT_HAS_EH_DBASE /* glibc 2.35 */

/* Not there: a static program, or an older libc where this was built with a newer one. */
#pragma weak _dl_find_object

static struct mip_module modules[64];
static uint32_t module_count;
static char busy;

static uint32_t count_modules(void) { return __atomic_load_n(&module_count, __ATOMIC_ACQUIRE); }

static int module_at(uint32_t index, void* to) {
  *(struct mip_module*)to = modules[index];
  return 1;
}

static const struct pgokit_source module_source = {MIP_PAYLOAD_MODULES, sizeof(struct mip_module),
                                                   count_modules, module_at, NULL};
PGOKIT_SOURCE(module_source);

static void copy_name(char* to, uint64_t room, const char* path) {
  uint64_t size = 0;
  while (path && path[size]) ++size;
  if (size > room) path += size - room, size = room;
  for (uint64_t i = 0; i < size; ++i) to[i] = path[i];
}

static void find_build_id(const pgokit_elf_note* note, uint64_t size, struct mip_module* module) {
  while (size >= sizeof *note) {
    const uint64_t name = (note->n_namesz + 3u) & ~(uint64_t)3;
    const uint64_t whole = sizeof *note + name + ((note->n_descsz + 3u) & ~(uint64_t)3);
    if (whole > size) return;
    const char* text = (const char*)(note + 1);
    if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 && text[0] == 'G' &&
        note->n_descsz <= sizeof module->build_id) {
      module->build_id_size = note->n_descsz;
      for (uint32_t i = 0; i < note->n_descsz; ++i) module->build_id[i] = (uint8_t)text[name + i];
      return;
    }
    note = (const pgokit_elf_note*)((const char*)note + whole), size -= whole;
  }
}

static void describe(const struct dl_find_object* found, struct mip_module* module) {
  const struct link_map* map = found->dlfo_link_map;
  *module = (struct mip_module){0};
  module->start = (uint64_t)(uintptr_t)found->dlfo_map_start;
  module->end = (uint64_t)(uintptr_t)found->dlfo_map_end;
  module->bias = map ? map->l_addr : 0;
  /* Of a module with gaps between its segments (-mcmodel=large) only a part is found: it may have
   * neither the counters nor the ELF header. */
  const int is_own = map && map->l_addr == pgokit_load_bias();
  copy_name(module->name, sizeof module->name,
            is_own || !map || !map->l_name || !*map->l_name ? pgokit_self.path : map->l_name);
  if (is_own) {
    const uint8_t* id;
    module->build_id_size = (uint32_t)pgokit_build_id(&id);
    for (uint32_t i = 0; i < module->build_id_size; ++i) module->build_id[i] = id[i];
    return;
  }
  const pgokit_elf_header* header = found->dlfo_map_start;
  if (header->e_ident[0] != 0x7f || header->e_ident[1] != 'E' ||
      header->e_phentsize != sizeof(pgokit_elf_segment) ||
      header->e_phoff + header->e_phnum * sizeof(pgokit_elf_segment) > 4096)
    return;
  const pgokit_elf_segment* each =
      (const pgokit_elf_segment*)((const char*)header + header->e_phoff);
  for (uint32_t count = header->e_phnum; count; --count, ++each) {
    const uint64_t at = module->bias + each->p_vaddr;
    if (each->p_type == PT_NOTE && at >= module->start && at < module->end &&
        each->p_memsz <= module->end - at)
      find_build_id((const pgokit_elf_note*)(uintptr_t)at, each->p_memsz, module);
  }
}

static int same(const struct mip_module* a, const struct mip_module* b) {
  const char *x = (const char*)a, *y = (const char*)b;
  for (uint64_t i = 0; i < sizeof *a; ++i) {
    if (x[i] != y[i]) return 0;
  }
  return 1;
}

uint16_t pgokit_module_of(uint64_t address) {
  struct dl_find_object found;
  if (!_dl_find_object || _dl_find_object((void*)(uintptr_t)address, &found)) return 0;
  struct mip_module module;
  describe(&found, &module);
  const uint32_t known = count_modules();
  for (uint32_t i = 0; i < known; ++i) {
    if (same(&modules[i], &module)) return (uint16_t)(i + 1);
  }
  if (__atomic_test_and_set(&busy, __ATOMIC_ACQUIRE)) return 0;
  uint32_t number = module_count;
  if (number < sizeof modules / sizeof *modules) {
    modules[number++] = module;
    __atomic_store_n(&module_count, number, __ATOMIC_RELEASE);
  } else {
    number = 0;
  }
  __atomic_clear(&busy, __ATOMIC_RELEASE);
  return (uint16_t)number;
}

#else

uint16_t pgokit_module_of(uint64_t address) {
  (void)address;
  return 0;
}

#endif
