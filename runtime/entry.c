/* First runs, and sampled edges of calls. */
#include "entry.h"

#include <stdint.h>

/* Negative: take a sample. The first call of a thread finds it so and only starts its seed. */
__attribute__((tls_model("initial-exec"))) _Thread_local int32_t __pgokit_edge_countdown = 0;
__attribute__((tls_model("initial-exec"))) _Thread_local uint32_t __pgokit_edge_seed = 0;

int32_t pgokit_sample_edge(uint64_t return_address, uint64_t callee, uint32_t* seed);

__attribute__((used)) void pgokit_sample_edge_here(uint64_t return_address, uint64_t callee) {
  __pgokit_edge_countdown =
      INT32_MAX; /* nothing below is instrumented, but a signal handler may be */
  __pgokit_edge_countdown = pgokit_sample_edge(return_address, callee, &__pgokit_edge_seed);
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
"call pgokit_first_run\n"
"1:\n"
RESTORE
END("__pgokit_first_run")

/* On the stack: where to return to in the function called, then where it returns to. */
FUNCTION("__pgokit_sample_edge")
SAVE
"movq 16(%rbp), %rdi\n movq 8(%rbp), %rsi\n"
"call pgokit_sample_edge_here\n"
RESTORE
END("__pgokit_sample_edge"));

#elif defined(__aarch64__)

/* x16: the place; x17: the function's own return address, which the call has overwritten in x30. */
__asm__(".text\n.p2align 2\n"
FUNCTION("__pgokit_first_run")
SAVE
"mov x0, x16\n bl pgokit_first_run\n"
RESTORE
END("__pgokit_first_run")
FUNCTION("__pgokit_sample_edge")
SAVE
"mov x1, x30\n mov x30, x17\n hint #7\n mov x0, x30\n" /* xpaclri: addresses without signature */
"bl pgokit_sample_edge_here\n"
RESTORE
END("__pgokit_sample_edge"));

#endif
/* clang-format on */
