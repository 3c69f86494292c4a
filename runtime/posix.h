/* Between the hosted files of the run time, in the order in which they call each other: a file
 * calls only those before it. Results are 0 or errno values. */
#ifndef PGOKIT_RUNTIME_POSIX_H
#define PGOKIT_RUNTIME_POSIX_H

#include "core.h"

enum { PGOKIT_PATH_SIZE = 4096 };

/* identity.c */
/* Its clocks stand in for the weak ones of count.c and core.c only because every program needs this
 * function too: an archive's file is not linked for what is there already. */
void pgokit_start_counting(uint32_t parent); /* fills pgokit_self, but not path and flags */

/* file.c */
/* Memory for two names: of whoever saves or maps the file, which are never at it together. */
extern char pgokit_path[PGOKIT_PATH_SIZE], pgokit_beside[PGOKIT_PATH_SIZE + 256];
void pgokit_complain(const char* what, const char* path, int error);
void pgokit_copy_path(char* to, const char* path); /* PGOKIT_PATH_SIZE bytes, cut to them */
void pgokit_keep_pattern(const char* pattern);     /* NULL: the default */
int pgokit_wants_continuous(void);
int pgokit_file_name(void);                /* of this process, into pgokit_path */
void pgokit_name_beside(const char* path); /* for a new file in that folder, into pgokit_beside */
int pgokit_save(const char* path);         /* a record; NULL: to the file of the pattern */
int pgokit_may_have_size(uint64_t size);   /* of a file, by the limits of the process */
void pgokit_new_file(void);                /* what was written belongs to another process */
int pgokit_read_section(const char* path, uint64_t address, void* to, size_t size);

/* continuous.c */
extern int pgokit_continuous; /* counters are mapped to a file */
int pgokit_enter_continuous(void);
void pgokit_leave_continuous(void); /* counters stay as they are, in memory of the process */

#endif
