/* The number and time of a function's first run, beside its counters. Needs no libc. */
#include "core.h"
#include "entry.h"

__attribute__((used)) void pgokit_first_run(struct mip_first_run* run) {
  if (__atomic_load_n(&run->sequence, __ATOMIC_RELAXED)) return;
  /* First the number: the clock of a bare program may itself be instrumented. */
  const uint32_t number = __atomic_add_fetch(&pgokit_first_runs, 1, __ATOMIC_RELAXED);
  __atomic_store_n(&run->sequence, number, __ATOMIC_RELAXED);
  run->time = pgokit_time();
}

/* clang-format off */
#if defined(__x86_64__)

/* The call is the end of `cmpl $0, place(%rip); jne over; call`: 83 3d disp32 00 75 05 e8 rel32. Where
 * something made other code of it, nothing is done: the function calls again, which is right though slow. */
__asm__(".text\n"
FUNCTION("__pgokit_first_run")
SAVE
"movq 8(%rbp), %rax\n"
"cmpw $0x3d83, -14(%rax)\n jne 1f\n"
"cmpw $0x7500, -8(%rax)\n jne 1f\n"
"cmpb $5, -6(%rax)\n jne 1f\n"
"movslq -12(%rax), %rdi\n leaq -7(%rax,%rdi), %rdi\n"
"call " C_NAME("pgokit_first_run") "\n"
"1:\n"
RESTORE
END("__pgokit_first_run"));

#elif defined(__aarch64__)

/* x16: the place; x17: the function's own return address, which the call has overwritten in x30. */
__asm__(".text\n.p2align 2\n"
FUNCTION("__pgokit_first_run")
SAVE
"mov x0, x16\n bl " C_NAME("pgokit_first_run") "\n"
RESTORE
END("__pgokit_first_run"));

#elif defined(__arm__)

/* r0: the place. */
__asm__(".text\n.p2align 2\n"
FUNCTION("__pgokit_first_run")
SAVE
"bl " C_NAME("pgokit_first_run") "\n"
RESTORE
END("__pgokit_first_run"));

#endif
/* clang-format on */
