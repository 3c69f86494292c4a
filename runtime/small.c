/* libpgokit_rt_small.a: the least that a dump takes, for programs where every kilobyte counts. At
 * exit (and when a library is unloaded) one record is appended to PGOKIT_PROFILE_FILE, in which %p
 * is the process id. A forked process starts anew if all counters have one kind of first value,
 * else it writes none. There is no pgokit.h, no signal, no continuous mode, and the record has no
 * path. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#ifndef __APPLE__
#include <sys/auxv.h>
#endif
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "core.h"

/* Instrumented objects refer to it, which brings this library into the link. */
char __pgokit_runtime;

static uint64_t clock_ns(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

uint64_t pgokit_clock_ns(void) { return clock_ns(CLOCK_MONOTONIC); }

static void start_counting(void) {
  pgokit_self.pid = (uint32_t)getpid();
  pgokit_self.start_time = clock_ns(CLOCK_REALTIME);
}

static void in_child(void) {
  pgokit_self.parent = pgokit_self.pid;
  pgokit_self.flags = MIP_DUMP_FORKED;
  start_counting();
  if (pgokit_refill()) pgokit_self.pid = 0;
  pgokit_forget_runs();
}

__attribute__((constructor(101))) static void start(void) {
  start_counting();
  pthread_atfork(NULL, NULL, in_child);
}

/* Every function of libc that is called takes 80 bytes of the file. */
static void copy(void* to, const void* from, size_t size) {
  for (size_t i = 0; i < size; ++i) {
    ((char*)to)[i] = ((const char*)from)[i];
    __asm__ volatile("" ::: "memory"); /* or it becomes memcpy again */
  }
}

static void find_module(struct mip_dump* dump) {
  const uint8_t* id;
  dump->machine = pgokit_machine();
  dump->load_bias = pgokit_load_bias();
  dump->build_id_size = (uint32_t)pgokit_build_id(&id);
  copy(dump->build_id, id, dump->build_id_size);
}

/* Of its user; then the user names no files. */
static int has_more_rights(void) {
#ifdef __APPLE__
  return issetugid();
#else
  return getauxval(AT_SECURE) != 0;
#endif
}

static const char* file_name(char* path, const char* end) {
  const char* pattern = getenv("PGOKIT_PROFILE_FILE");
  if (!pattern) pattern = "default-%p.mipraw";
  if (!*pattern) return NULL;
  for (; *pattern && path < end; ++pattern) {
    if (pattern[0] != '%' || pattern[1] != 'p') {
      *path++ = *pattern;
      continue;
    }
    uint32_t divisor = 1;
    while (pgokit_self.pid / divisor >= 10) divisor *= 10;
    for (; divisor && path < end; divisor /= 10)
      *path++ = (char)('0' + pgokit_self.pid / divisor % 10);
    ++pattern;
  }
  *path = 0;
  return path < end ? path : NULL;
}

static uint64_t room_of_sources(void) {
  uint64_t room = 0;
  for (uint32_t i = 0; i < pgokit_source_count(); ++i) {
    const struct pgokit_source* source = pgokit_source(i);
    room += (uint64_t)source->count() * source->entry_size;
  }
  return room;
}

static char* copy_source(const struct pgokit_source* source, char* to, const char* end) {
  const uint32_t size = source->entry_size;
  for (uint32_t i = 0, count = source->count(); i < count && to + size <= end; ++i) {
    if (source->entry(i, to)) to += size;
  }
  return to;
}

/* Behind the counters; the end of all. */
static char* copy_sources(struct pgokit_record* record, char* to, const char* end) {
  for (uint32_t i = 0; i < pgokit_source_count(); ++i) {
    const struct pgokit_source* source = pgokit_source(i);
    char* from = to;
    to = copy_source(source, to, end);
    record->payloads[record->dump.payload_count++] =
        (struct mip_payload){source->payload_kind, source->entry_size,
                             (uint64_t)(from - (char*)record), (uint64_t)(to - from)};
  }
  return to;
}

static void append(const char* path, const void* record, size_t size) {
  struct stat before;
  struct rlimit limit;
  const int file =
      open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0666);
  if (file < 0) return;
  /* A pipe without a reader, or a file beyond its limit, would end the program by a signal. */
  if (!fstat(file, &before) && !S_ISFIFO(before.st_mode) && !getrlimit(RLIMIT_FSIZE, &limit) &&
      (uint64_t)before.st_size + size <= limit.rlim_cur) {
    const ssize_t written = write(file, record, size);
    struct stat after;
    /* Taken away again, unless somebody has written behind it. */
    if (written > 0 && (size_t)written < size && !fstat(file, &after) &&
        after.st_size == before.st_size + written && ftruncate(file, before.st_size) < 0) {
      /* The record stays cut off, which readers see. */
    }
  }
  close(file);
}

static void dump_to(const char* path, struct pgokit_record* record, size_t raw, size_t sources_at,
                    size_t room) {
  struct mip_dump* dump = &record->dump;
  const struct mip_section_header* header = (const struct mip_section_header*)pgokit_raw_begin();
  dump->magic = MIP_DUMP_MAGIC;
  dump->version = MIP_DUMP_VERSION;
  dump->flags = pgokit_self.flags;
  dump->payload_count = 1;
  dump->kinds = header->kinds;
  dump->module_hash = header->module_hash;
  dump->raw_size = raw;
  dump->pid = pgokit_self.pid;
  dump->parent = pgokit_self.parent;
  dump->sequence = 1;
  dump->start_time = pgokit_self.start_time;
  dump->dump_time = clock_ns(CLOCK_REALTIME);
  dump->edge_rate = pgokit_edge_rate;
  copy(dump->dropped, pgokit_dropped, sizeof dump->dropped);
  find_module(dump);
  dump->raw_address = (uint64_t)(uintptr_t)header - dump->load_bias;
  record->payloads[0] = (struct mip_payload){MIP_PAYLOAD_RAW, 1, sizeof *record, raw};
  copy(record + 1, header, raw);
  const char* room_end = (char*)record + room - 8;
  const char* sources_end = copy_sources(record, (char*)record + sources_at, room_end);
  const size_t size = dump->total_size = (size_t)(sources_end - (char*)record) + 8;
  uint8_t* end = (uint8_t*)record + size - MIP_DUMP_CRC_SIZE;
  const uint32_t crc =
      ~pgokit_crc_add(UINT32_MAX, (const uint8_t*)record, (uint32_t)size - MIP_DUMP_CRC_SIZE);
  copy(end, &crc, sizeof crc);
  append(path, record, size);
}

__attribute__((destructor(101))) static void finish(void) {
  if (!pgokit_self.pid || has_more_rights()) return;
  const size_t raw = pgokit_raw_size(),
               sources_at = sizeof(struct pgokit_record) + ((raw + 7) & ~(size_t)7);
  const size_t room = sources_at + room_of_sources() + 8;
  /* The longest name that the kernel takes does not fit on every stack. */
  struct pgokit_record* record =
      mmap(NULL, room + PATH_MAX + 1, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (record == MAP_FAILED) return;
  char* path = (char*)record + room;
  if (file_name(path, path + PATH_MAX)) dump_to(path, record, raw, sources_at, room);
  munmap(record, room + PATH_MAX + 1);
}
