/* The run time of instrumented programs, for those that want to say when counters are written.
 *
 *   pgokit_mark(1);              // the start-up is over: told beside the order of first runs
 *   pgokit_dump();               // writes counters now; again at exit
 *   pgokit_reset();              // counts from here on
 *
 * A program needs none of it: at exit, and when a library is unloaded, each instrumented module
 * writes its counters to the file named by PGOKIT_PROFILE_FILE, or default-%p.mipraw. In that name
 *
 *   %p  process id      %h  host name     %b  build id     %m  number of the module
 *   %c  continuous mode                   %%  %
 *
 * Nothing is lost where several processes or modules name one file: records are appended. An empty
 * name writes nothing. PGOKIT_DUMP_SIGNAL=USR1 (or a number) also writes when that signal arrives;
 * PGOKIT_VERBOSE=1 says on stderr what went wrong, nothing is said otherwise. Continuous mode maps
 * the counters to the file: they survive SIGKILL, and the file name should have %p and %m.
 *
 * Every function acts on the module (program or library) that it is linked to. All return 0 or an
 * errno value, are safe in threads and in signal handlers, and leave errno alone. Functions of this
 * header also exist in the bare-metal run time, except those that name files. */
#ifndef PGOKIT_H
#define PGOKIT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

int pgokit_dump(void);                /* to the file of the environment */
int pgokit_dump_to(const char* path); /* appends to `path` (no patterns) */
int pgokit_dump_on_signal(int signal);

/* A dump in pieces, in order; stops when `write` returns other than 0, and returns that. */
typedef int (*pgokit_write_function)(void* context, const void* data, size_t size);
int pgokit_write(pgokit_write_function write, void* context);
size_t pgokit_size(void); /* of a dump made now; edges may add to it until then */
int pgokit_write_to_buffer(void* buffer, size_t size);

int pgokit_reset(void);
void pgokit_mark(uint64_t number); /* at most 64 are kept */

/* Bare metal: the program may define these; otherwise times are 0 and there is one process. */
uint64_t pgokit_clock_ns(void); /* since anything, monotonic */

#ifdef __cplusplus
}
#endif
#endif
