/* Records of the module that this is linked with. Needs no libc. */
#include "core.h"

static uint32_t dumps;
static struct mip_mark marks[64];
static uint32_t mark_count;

__attribute__((weak)) uint64_t pgokit_wall_ns(void) { return 0; }

void pgokit_mark(uint64_t number) {
  const uint32_t index = __atomic_fetch_add(&mark_count, 1, __ATOMIC_RELAXED);
  if (index >= sizeof marks / sizeof *marks) {
    __atomic_store_n(&mark_count, (uint32_t)(sizeof marks / sizeof *marks), __ATOMIC_RELAXED);
    return;
  }
  marks[index] = (struct mip_mark){number, pgokit_first_runs, pgokit_time()};
}

/* ---- records ---- */

static uint64_t length(const char* text) {
  uint64_t size = 0;
  while (text && text[size]) ++size;
  return size;
}

enum { LARGEST_ENTRY = 256 };

/* Those that are used, now. */
static uint32_t entries_of(const struct pgokit_source* source) {
  uint64_t entry[LARGEST_ENTRY / 8];
  uint32_t used = 0;
  for (uint32_t i = 0, count = source->count(); i < count; ++i)
    used += source->entry(i, entry) != 0;
  return used;
}

static uint64_t align8(uint64_t size) { return (size + 7) & ~(uint64_t)7; }

static uint64_t add_payload(struct pgokit_record* record, uint32_t kind, uint32_t entry_size,
                            uint64_t at, uint64_t size) {
  record->payloads[record->dump.payload_count++] = (struct mip_payload){kind, entry_size, at, size};
  return align8(at + size);
}

void pgokit_describe(struct pgokit_record* record) {
  struct mip_dump* dump = &record->dump;
  const struct mip_section_header* header = (const struct mip_section_header*)pgokit_raw_begin();
  const uint8_t* id = NULL;
  *record = (struct pgokit_record){0};
  dump->magic = MIP_DUMP_MAGIC;
  dump->version = MIP_DUMP_VERSION;
  dump->machine = pgokit_machine();
  dump->flags = pgokit_self.flags;
  if (pgokit_raw_size() >= sizeof *header && header->magic == MIP_MAGIC) {
    dump->kinds = header->kinds;
    dump->module_hash = header->module_hash;
  }
  dump->load_bias = pgokit_load_bias();
  dump->raw_address = (uint64_t)(uintptr_t)pgokit_raw_begin() - dump->load_bias;
  dump->raw_size = pgokit_raw_size();
  dump->pid = pgokit_self.pid;
  dump->parent = pgokit_self.parent;
  dump->start_time = pgokit_self.start_time;
  dump->dump_time = pgokit_wall_ns();
  dump->build_id_size = (uint32_t)pgokit_build_id(&id);
  for (uint32_t i = 0; i < dump->build_id_size; ++i) dump->build_id[i] = id[i];
  if (!id) dump->flags |= MIP_DUMP_NO_BUILD_ID;
  for (int i = 0; i < MIP_DROPPED_COUNT; ++i) dump->dropped[i] = pgokit_dropped[i];
  uint64_t at = sizeof *record;
  at = add_payload(record, MIP_PAYLOAD_RAW, 1, at, dump->raw_size);
  at = add_payload(record, MIP_PAYLOAD_PATH, 1, at, length(pgokit_self.path));
  at = add_payload(record, MIP_PAYLOAD_MARKS, sizeof *marks, at,
                   (mark_count < 64 ? mark_count : 64) * sizeof *marks);
  for (uint32_t i = 0; i < pgokit_source_count(); ++i) {
    const struct pgokit_source* source = pgokit_source(i);
    at = add_payload(record, source->payload_kind, source->entry_size, at,
                     (uint64_t)entries_of(source) * source->entry_size);
  }
  dump->edge_rate = pgokit_edge_rate;
  dump->total_size = align8(at + MIP_DUMP_CRC_SIZE);
}

/* Bytes are copied before they are summed and written: counters change meanwhile. */
struct output {
  pgokit_write_function write;
  void* context;
  uint64_t written;
  uint32_t crc;
  int result;
  uint32_t filled;
  uint8_t buffer[4096];
};

static void flush(struct output* out) {
  if (!out->result && out->filled) out->result = out->write(out->context, out->buffer, out->filled);
  out->filled = 0;
}

static void put(struct output* out, const void* data, uint64_t size) {
  const volatile uint8_t* from = data;
  while (size && !out->result) {
    uint32_t part = (uint32_t)sizeof out->buffer - out->filled;
    if (part > size) part = (uint32_t)size;
    for (uint32_t i = 0; i < part; ++i) out->buffer[out->filled + i] = from[i];
    out->crc = pgokit_crc_add(out->crc, out->buffer + out->filled, part);
    out->filled += part, out->written += part, from += part, size -= part;
    if (out->filled == sizeof out->buffer) flush(out);
  }
}

static void pad_to(struct output* out, uint64_t end) {
  static const uint8_t zeros[8];
  while (out->written < end && !out->result)
    put(out, zeros, end - out->written < 8 ? end - out->written : 8);
}

/* As many as were there when the record was described. */
static void put_entries(struct output* out, const struct pgokit_source* source, uint64_t end) {
  uint64_t entry[LARGEST_ENTRY / 8];
  for (uint32_t i = 0, count = source->count(); i < count && out->written < end; ++i) {
    if (source->entry(i, entry)) put(out, entry, source->entry_size);
  }
}

static void put_payloads(struct output* out, const struct pgokit_record* record) {
  const void* own[] = {pgokit_raw_begin(), pgokit_self.path, marks};
  const struct mip_payload* each = record->payloads;
  for (uint32_t i = 0; i < record->dump.payload_count; ++i, ++each) {
    pad_to(out, each->offset);
    if (i < sizeof own / sizeof *own) {
      put(out, own[i], each->size);
    } else {
      put_entries(out, pgokit_source(i - sizeof own / sizeof *own), each->offset + each->size);
    }
  }
}

static char busy; /* one dump at a time: a signal handler may come into another */
static struct output shared_output;

int pgokit_write(pgokit_write_function write, void* context) {
  if (!pgokit_raw_size()) return 0;
  if (__atomic_test_and_set(&busy, __ATOMIC_ACQUIRE)) return 16; /* EBUSY */
  struct output* out = &shared_output;
  struct pgokit_record record;
  pgokit_describe(&record);
  record.dump.sequence = ++dumps;
  out->write = write, out->context = context;
  out->written = 0, out->crc = UINT32_MAX, out->result = 0, out->filled = 0;
  put(out, &record, sizeof record);
  put_payloads(out, &record);
  pad_to(out, record.dump.total_size - MIP_DUMP_CRC_SIZE);
  const uint32_t crc = ~out->crc;
  put(out, &crc, sizeof crc);
  flush(out);
  const int result = out->result;
  __atomic_clear(&busy, __ATOMIC_RELEASE);
  return result;
}

void pgokit_release(void) { __atomic_clear(&busy, __ATOMIC_RELEASE); }

size_t pgokit_size(void) {
  struct pgokit_record record;
  pgokit_describe(&record);
  return record.dump.total_size;
}

struct target_buffer {
  uint8_t* at;
  size_t left;
};

static int to_buffer(void* context, const void* data, size_t size) {
  struct target_buffer* buffer = context;
  if (size > buffer->left) return 28; /* ENOSPC */
  for (size_t i = 0; i < size; ++i) buffer->at[i] = ((const uint8_t*)data)[i];
  buffer->at += size, buffer->left -= size;
  return 0;
}

int pgokit_write_to_buffer(void* buffer, size_t size) {
  struct target_buffer target = {buffer, size};
  return pgokit_write(to_buffer, &target);
}

void pgokit_forget_records(void) { mark_count = dumps = 0; }

#ifdef PGOKIT_BARE
char __pgokit_runtime; /* instrumented objects refer to it, which brings this library into the link
                        */

int pgokit_reset(void) {
  if (pgokit_refill()) return 95; /* EOPNOTSUPP: bytes and counters in one program */
  pgokit_forget_runs();
  pgokit_forget_records();
  return 0;
}
#endif
