/* Continuous mode: the pages of the raw section are mapped to a file, so that what was counted is
 * in it even if the process is killed. The record's header is on a page of its own in front; what
 * else lies on the section's pages gets into the file as well, which readers do not look at.
 *
 *     file  ┌──────────────┬─────────┬───────────────────────┬─────────┬──────────┐
 *           │ header, path │ (other) │ raw section           │ (other) │ checksum │
 *           └──────────────┴─────────┴───────────────────────┴─────────┴──────────┘
 *           0              4096      memory: mapped pages              end of page
 *
 * After fork() a child gets pages of its own before other code of the program runs. One made by a
 * plain clone() would share them with its parent, and what else lies on them: such programs are not
 * for this mode.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "posix.h"

int pgokit_continuous;

static char* first_page;
static size_t mapped_size;

static void find_pages(void) {
  const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
  const uintptr_t begin = (uintptr_t)pgokit_raw_begin() & ~(page - 1);
  const uintptr_t end =
      ((uintptr_t)pgokit_raw_begin() + pgokit_raw_size() + page - 1) & ~(page - 1);
  first_page = (char*)begin;
  mapped_size = end - begin;
}

static int write_at(int file, const void* data, size_t size, off_t at) {
  for (const char* from = data; size;) {
    const ssize_t count = pwrite(file, from, size, at);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return count ? errno : EIO;
    from += count, size -= (size_t)count, at += count;
  }
  return 0;
}

static int write_header(int file, off_t pages_at) {
  struct pgokit_record record;
  pgokit_describe(&record);
  record.dump.flags |= MIP_DUMP_CONTINUOUS;
  record.dump.sequence = 1;
  record.dump.payload_count = 2; /* raw and path; edges and marks are in memory only */
  record.payloads[0].offset = (uint64_t)(pages_at + (pgokit_raw_begin() - first_page));
  record.payloads[1].offset = sizeof record;
  if (sizeof record + record.payloads[1].size > (uint64_t)pages_at) record.payloads[1].size = 0;
  record.dump.total_size = (uint64_t)pages_at + mapped_size + 8;
  int result = write_at(file, pgokit_self.path, record.payloads[1].size, (off_t)sizeof record);
  /* The last bytes give the file its whole size, so that no page of the mapping is beyond it. */
  if (!result) result = write_at(file, "\0\0\0\0\0\0\0", 8, (off_t)record.dump.total_size - 8);
  if (!result) result = write_at(file, &record, sizeof record, 0);
  return result;
}

static int map_over(int file, off_t pages_at) {
  void* mapped =
      mmap(first_page, mapped_size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, pages_at);
  return mapped == MAP_FAILED ? errno : 0;
}

int pgokit_enter_continuous(void) {
  const char *path = pgokit_path, *beside = pgokit_beside;
  int result = pgokit_file_name();
  if (result) return result;
  find_pages();
  const off_t page = (off_t)sysconf(_SC_PAGESIZE);
  pgokit_name_beside(path);
  if (!pgokit_may_have_size(2 * (uint64_t)page + mapped_size)) return EFBIG;
  const int file = open(beside, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (file < 0) {
    pgokit_complain("cannot be created; counters are written at exit only if another file is named",
                    path, errno);
    return errno;
  }
  /* Allocated now: a page that a full disk has no room for would end the program later. */
  const int allocated = posix_fallocate(file, 0, 2 * page + (off_t)mapped_size);
  if (allocated && allocated != EOPNOTSUPP && allocated != EINVAL) result = allocated;
  if (!result) result = write_at(file, first_page, mapped_size, page);
  if (!result && ftruncate(file, page + (off_t)mapped_size + 8)) result = errno;
  if (!result) result = write_header(file, page);
  /* A file of that name stays as it is: another process may be counting in it. */
  if (!result && link(beside, path)) result = errno;
  if (!result) result = map_over(file, page);
  unlink(beside);
  close(file);
  if (result) {
    pgokit_complain("cannot be used for continuous mode", path, result);
  } else {
    pgokit_continuous = 1;
  }
  return result;
}

void pgokit_leave_continuous(void) {
  char* copy = mmap(NULL, mapped_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (copy == MAP_FAILED) return;
  memcpy(copy, first_page, mapped_size);
  /* One step: at no time is there nothing at the address. */
  if (mremap(copy, mapped_size, mapped_size, MREMAP_MAYMOVE | MREMAP_FIXED, first_page) !=
      MAP_FAILED) {
    pgokit_continuous = 0;
  }
}
