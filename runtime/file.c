/* Files of dumps. A new file appears whole (written beside it, then linked); to one that is there a
 * record is appended, and taken away again if it does not fit. Nothing is ever truncated that
 * another process has written. */
#define _GNU_SOURCE
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "posix.h"

static char kept_pattern[PGOKIT_PATH_SIZE]; /* the environment may change */
static const char* pattern = "default-%p.mipraw";

/* The file that holds this process's records only: the next dump takes its place, as it says all
 * they said. */
static struct {
  dev_t device;
  ino_t inode;
  off_t size;
} own;

void pgokit_keep_pattern(const char* wanted) {
  if (!wanted) return;
  snprintf(kept_pattern, sizeof kept_pattern, "%s", wanted);
  pattern = kept_pattern;
}

int pgokit_wants_continuous(void) {
  for (const char* at = pattern; *at; ++at) {
    if (*at != '%') continue;
    if (at[1] == 'c') return 1;
    if (at[1]) ++at;
  }
  return 0;
}

void pgokit_new_file(void) { memset(&own, 0, sizeof own); }

/* ---- names ---- */

struct text {
  char* at;
  char* end;
};

static void add(struct text* text, const char* what) {
  while (*what && text->at < text->end) *text->at++ = *what++;
}

static void add_hex(struct text* text, const uint8_t* bytes, uint64_t count) {
  static const char digits[] = "0123456789abcdef";
  for (; count; --count, ++bytes) {
    const char pair[3] = {digits[*bytes >> 4], digits[*bytes & 15], 0};
    add(text, pair);
  }
}

static void add_number(struct text* text, unsigned long number) {
  char digits[24];
  snprintf(digits, sizeof digits, "%lu", number);
  add(text, digits);
}

/* The same in every run, and unlike that of other modules: the build id, or what there is without.
 */
static void add_module(struct text* text) {
  const uint8_t* id = NULL;
  const uint64_t size = pgokit_build_id(&id);
  uint32_t hash = 2166136261u;
  for (uint64_t i = 0; i < size; ++i) hash = (hash ^ id[i]) * 16777619u;
  for (const char* at = pgokit_self.path; !size && at && *at; ++at)
    hash = (hash ^ (uint8_t)*at) * 16777619u;
  add_hex(text, (const uint8_t*)&hash, sizeof hash);
}

static void add_escape(struct text* text, char what) {
  char host[256];
  const uint8_t* id = NULL;
  switch (what) {
    case 'p':
      add_number(text, (unsigned long)getpid());
      break;
    case 'h':
      if (gethostname(host, sizeof host)) host[0] = 0;
      host[sizeof host - 1] = 0;
      add(text, host);
      break;
    case 'b': {
      const uint64_t size = pgokit_build_id(&id);
      size ? add_hex(text, id, size) : add_module(text);
      break;
    }
    case 'm':
      add_module(text);
      break;
    case 'c':
      break;
    case '%':
      add(text, "%");
      break;
    default:
      add(text, (const char[]){'%', what, 0});
      break;
  }
}

int pgokit_file_name(char* path) {
  struct text text = {path, path + PGOKIT_PATH_SIZE - 1};
  for (const char* from = pattern; *from; ++from) {
    if (*from == '%' && from[1]) {
      add_escape(&text, *++from);
    } else {
      add(&text, (const char[]){*from, 0});
    }
  }
  *text.at = 0;
  return text.at == text.end ? ENAMETOOLONG : 0;
}

/* ---- writing ---- */

static int write_all(void* context, const void* data, size_t size) {
  const char* from = data;
  while (size) {
    const ssize_t count = write(*(int*)context, from, size);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return count ? errno : EIO;
    from += count, size -= (size_t)count;
  }
  return 0;
}

/* More than the limit would bring a signal that ends the program. */
int pgokit_may_have_size(uint64_t size) {
  struct rlimit limit;
  return getrlimit(RLIMIT_FSIZE, &limit) || size <= limit.rlim_cur;
}

static int fits(off_t size) { return pgokit_may_have_size((uint64_t)size + pgokit_size() + 4096); }

static int lock(int file) {
  for (int tries = 0; tries < 100; ++tries) {
    if (!flock(file, LOCK_EX | LOCK_NB)) return 1;
    if (errno != EWOULDBLOCK && errno != EINTR) return 0; /* a file system without locks */
    const struct timespec wait = {0, 10000000};
    nanosleep(&wait, NULL);
  }
  return 0;
}

static int append_to(int file) {
  struct stat state;
  const int locked = lock(file);
  if (fstat(file, &state)) return errno;
  /* A pipe without a reader would end the program. */
  if (!S_ISREG(state.st_mode) && !S_ISCHR(state.st_mode)) return EINVAL;
  if (S_ISREG(state.st_mode) && !fits(state.st_size)) return EFBIG;
  const int result = pgokit_write(write_all, &file);
  if (result && locked && S_ISREG(state.st_mode) && ftruncate(file, state.st_size)) return errno;
  return result;
}

/* Writes beside `path` and puts the file there: by link, which fails if there is one, or by rename
 * over our own. */
static int write_new(const char* path, int replace) {
  char beside[PGOKIT_PATH_SIZE + 32];
  snprintf(beside, sizeof beside, "%s.%lu.%lx.tmp", path, (unsigned long)getpid(),
           (unsigned long)(uintptr_t)&own);
  unlink(beside);
  int file = open(beside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOCTTY, 0666);
  if (file < 0) return errno;
  int result = fits(0) ? pgokit_write(write_all, &file) : EFBIG;
  struct stat state;
  if (!result && fstat(file, &state)) result = errno;
  if (close(file) && !result) result = errno;
  if (!result && (replace ? rename(beside, path) : link(beside, path))) result = errno;
  /* Some file systems have no links; there the file may appear twice at once, and the later one
   * wins. */
  if (!replace && (result == EPERM || result == EOPNOTSUPP || result == ENOSYS)) {
    result = rename(beside, path) ? errno : 0;
  }
  unlink(beside);
  if (!result) own.device = state.st_dev, own.inode = state.st_ino, own.size = state.st_size;
  return result;
}

static int append(const char* path) {
  struct stat state;
  for (int tries = 0; tries < 3; ++tries) {
    if (stat(path, &state)) {
      if (errno != ENOENT) return errno;
      const int result = write_new(path, 0);
      if (result != EEXIST) return result;
      continue; /* somebody was quicker */
    }
    if (own.size && state.st_ino == own.inode && state.st_dev == own.device &&
        state.st_size == own.size) {
      return write_new(path, 1);
    }
    const int file = open(path, O_WRONLY | O_APPEND | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (file < 0 && errno == ENOENT) continue;
    if (file < 0) return errno;
    const int result = append_to(file);
    return close(file) && !result ? errno : result;
  }
  return EAGAIN;
}

int pgokit_append(const char* path) {
  if (!pgokit_raw_size()) return 0;
  const int result = append(path);
  if (result) pgokit_complain("cannot be written", path, result);
  return result;
}

/* ---- reading ---- */

/* Reads what the file of a module has for `address` as linked. */
int pgokit_read_section(const char* path, uint64_t address, void* to, size_t size) {
  Elf64_Ehdr header;
  Elf64_Phdr segment;
  int result = EINVAL;
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return errno;
  if (pread(file, &header, sizeof header, 0) == sizeof header &&
      !memcmp(header.e_ident, ELFMAG, SELFMAG)) {
    for (unsigned i = 0; i < header.e_phnum; ++i) {
      const off_t at = (off_t)(header.e_phoff + (uint64_t)i * sizeof segment);
      if (pread(file, &segment, sizeof segment, at) != sizeof segment) break;
      if (segment.p_type != PT_LOAD || address < segment.p_vaddr ||
          address - segment.p_vaddr >= segment.p_filesz)
        continue;
      const off_t from = (off_t)(segment.p_offset + (address - segment.p_vaddr));
      result = pread(file, to, size, from) == (ssize_t)size ? 0 : EIO;
      break;
    }
  }
  close(file);
  return result;
}
