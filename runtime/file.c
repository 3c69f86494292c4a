/* Files of dumps. A new file appears whole (written beside it, then linked). To one that is there a
 * record is appended by one write(), which the kernel does not mix with those of other processes;
 * the lock is for file systems that do. Whoever appended looks whether the name still belongs to
 * that file, and whoever put another file there takes along what came meanwhile: of two processes
 * one always sees the other. Nothing is ever truncated that another process has written.
 *
 * Paths are not on the stack: that of a thread or signal handler may have no room for them. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "elf_types.h"
#include "posix.h"

static char kept_pattern[PGOKIT_PATH_SIZE]; /* the environment may change */
static const char* pattern = "default-%p.mipraw";

static char busy; /* with the paths: a signal handler or another thread may want them too */
char pgokit_path[PGOKIT_PATH_SIZE], pgokit_beside[PGOKIT_PATH_SIZE + 256];

/* The file that holds this process's records only: the next dump takes its place, as it says all
 * they said. */
static struct {
  dev_t device;
  ino_t inode;
  off_t size;
} own;

void pgokit_keep_pattern(const char* wanted) {
  if (!wanted) return;
  pgokit_copy_path(kept_pattern, wanted);
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

void pgokit_new_file(void) {
  memset(&own, 0, sizeof own);
  busy = 0;
}

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

static void add_number(struct text* text, uint64_t number) {
  char digits[24];
  char* at = digits + sizeof digits - 1;
  *at = 0;
  do *--at = (char)('0' + number % 10);
  while (number /= 10);
  add(text, at);
}

void pgokit_copy_path(char* to, const char* path) {
  struct text text = {to, to + PGOKIT_PATH_SIZE - 1};
  add(&text, path);
  *text.at = 0;
}

/* Unlike those of other processes, also where process ids are those of a container. */
void pgokit_name_beside(const char* path) {
  struct text text = {pgokit_beside, pgokit_beside + sizeof pgokit_beside - 1};
  add(&text, path);
  add(&text, ".");
  add_number(&text, pgokit_wall_ns());
  add(&text, ".");
  add_number(&text, (uint64_t)getpid());
  add(&text, ".tmp");
  *text.at = 0;
}

void pgokit_complain(const char* what, const char* path, int error) {
  const char* verbose = getenv("PGOKIT_VERBOSE");
  if (!verbose || !*verbose || *verbose == '0') return;
  struct text text = {pgokit_beside, pgokit_beside + sizeof pgokit_beside - 1};
  add(&text, "pgokit: ");
  add(&text, path);
  add(&text, ": ");
  add(&text, what);
  add(&text, ": error ");
  add_number(&text, (uint64_t)error);
  *text.at = '\n';
  if (write(2, pgokit_beside, (size_t)(text.at + 1 - pgokit_beside)) < 0) return;
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
      add_number(text, (uint64_t)getpid());
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

int pgokit_file_name(void) {
  struct text text = {pgokit_path, pgokit_path + sizeof pgokit_path - 1};
  for (const char* from = pattern; *from; ++from) {
    if (*from == '%' && from[1]) {
      add_escape(&text, *++from);
    } else {
      add(&text, (const char[]){*from, 0});
    }
  }
  *text.at = 0;
  if (text.at < text.end) return 0;
  pgokit_complain("the file's name is too long", pattern, ENAMETOOLONG);
  return ENAMETOOLONG;
}

/* ---- writing ---- */

/* The record that is being saved: made before a file is looked at, so that it is written in one
 * piece. */
static struct {
  char* at;
  size_t size, filled;
} record;

static int collect(void* context, const void* data, size_t size) {
  (void)context;
  if (!record.at) {
    record.size = ((const struct mip_dump*)data)->total_size;
    void* at = mmap(NULL, record.size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED) return ENOMEM;
    record.at = at;
  }
  memcpy(record.at + record.filled, data, size);
  record.filled += size;
  return 0;
}

static size_t written; /* by the last of them */

static int write_all(int file, const char* from, size_t size) {
  written = 0;
  while (written < size) {
    const ssize_t count = write(file, from + written, size - written);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return count ? errno : EIO;
    written += (size_t)count;
  }
  return 0;
}

/* More than the limit would bring a signal that ends the program. */
int pgokit_may_have_size(uint64_t size) {
  struct rlimit limit;
  return getrlimit(RLIMIT_FSIZE, &limit) || size <= limit.rlim_cur;
}

/* What processes that did not wait for the lock have appended to the file that was our own. */
static int add_what_came(int old, int file) {
  struct stat state;
  if (fstat(old, &state) || state.st_size <= own.size) return 0;
  char* bytes = mmap(NULL, (size_t)state.st_size, PROT_READ, MAP_SHARED, old, 0);
  if (bytes == MAP_FAILED) return errno;
  const int result = write_all(file, bytes + own.size, (size_t)(state.st_size - own.size));
  munmap(bytes, (size_t)state.st_size);
  return result;
}

/* Writes beside `path` and puts the file there: by link, which fails if there is one, or by rename
 * over our `old` one. */
static int write_new(const char* path, int old) {
  struct stat state;
  pgokit_name_beside(path);
  if (!pgokit_may_have_size(record.size)) return EFBIG;
  const int file =
      open(pgokit_beside, O_WRONLY | O_APPEND | O_CREAT | O_EXCL | O_CLOEXEC | O_NOCTTY, 0666);
  if (file < 0) return errno;
  int result = write_all(file, record.at, record.size);
  if (!result && (old < 0 ? link(pgokit_beside, path) : rename(pgokit_beside, path)))
    result = errno;
  /* Some file systems have no links; there the file may appear twice at once, and the later one
   * wins. */
  if (result == EPERM || result == EOPNOTSUPP || result == ENOSYS)
    result = rename(pgokit_beside, path) ? errno : 0;
  unlink(pgokit_beside);
  if (!result && old >= 0) result = add_what_came(old, file);
  if (!result && !fstat(file, &state))
    own.device = state.st_dev, own.inode = state.st_ino, own.size = (off_t)record.size;
  if (close(file) && !result) result = errno;
  return result;
}

/* Not for ever: whoever has it may be stopped. */
static void lock(int file) {
  for (int tries = 0; tries < 100; ++tries) {
    if (!flock(file, LOCK_EX | LOCK_NB)) return;
    if (errno != EWOULDBLOCK && errno != EINTR) return; /* a file system without locks */
    const struct timespec wait = {0, 10000000};
    nanosleep(&wait, NULL);
  }
}

static int has_name(const struct stat* state, const char* path) {
  struct stat now;
  if (stat(path, &now)) return errno != ENOENT;
  return now.st_ino == state->st_ino && now.st_dev == state->st_dev;
}

/* ESTALE: the file of that name is another by now. */
static int append_to(int file, const char* path) {
  struct stat state, after;
  lock(file);
  if (fstat(file, &state)) return errno;
  /* A pipe without a reader would end the program. */
  if (S_ISCHR(state.st_mode)) return write_all(file, record.at, record.size);
  if (!S_ISREG(state.st_mode)) return EINVAL;
  if (!has_name(&state, path)) return ESTALE;
  if (own.size == state.st_size && own.inode == state.st_ino && own.device == state.st_dev)
    return write_new(path, file);
  if (!pgokit_may_have_size((uint64_t)state.st_size + record.size)) return EFBIG;
  const int result = write_all(file, record.at, record.size);
  if (!result) return has_name(&state, path) ? 0 : ESTALE;
  /* A part of it is taken away again, unless somebody has written behind it. */
  if (!fstat(file, &after) && after.st_size == state.st_size + (off_t)written &&
      ftruncate(file, state.st_size))
    return errno;
  return result;
}

static int append(const char* path) {
  int create = 0;
  for (int tries = 0; tries < 100; ++tries) {
    const int file =
        open(path,
             (own.size ? O_RDWR : O_WRONLY) | O_APPEND | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | create,
             0666);
    int result = errno;
    if (file >= 0) {
      result = append_to(file, path);
      if (close(file) && !result) result = errno;
      if (result != ESTALE) return result;
    } else {
      if (result == ENOENT && !create) result = write_new(path, -1);
      /* Somebody was quicker, or it is a link to a file that is not there, or the name is too long
       * for another beside it: then the file is made in its place. */
      if (create || (result != EEXIST && result != ENAMETOOLONG)) return result;
      create = O_CREAT;
    }
  }
  return ESTALE;
}

int pgokit_save(const char* path) {
  if (!pgokit_raw_size()) return 0;
  if (__atomic_test_and_set(&busy, __ATOMIC_ACQUIRE)) return EBUSY;
  const int saved = errno;
  int result = path ? 0 : pgokit_file_name();
  if (!path) path = pgokit_path;
  if (!result) {
    result = pgokit_write(collect, NULL);
    if (!result) result = append(path);
    if (record.at) munmap(record.at, record.size);
    memset(&record, 0, sizeof record);
    if (result) pgokit_complain("cannot be written", path, result);
  }
  errno = saved;
  __atomic_clear(&busy, __ATOMIC_RELEASE);
  return result;
}

/* ---- reading ---- */

/* Reads what the file of a module has for `address` as linked. */
int pgokit_read_section(const char* path, uint64_t address, void* to, size_t size) {
  pgokit_elf_header header;
  pgokit_elf_segment segment;
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
