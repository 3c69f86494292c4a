/* What instrumented code calls at the entry of a function: everything that a callee may expect
 * there is kept. */
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

#if defined(__x86_64__)

/* clang-format off */
#define SAVE                                                                                          \
  "pushq %rbp\n movq %rsp, %rbp\n pushq %rax\n pushq %rcx\n pushq %rdx\n pushq %rsi\n pushq %rdi\n"     \
  "pushq %r8\n pushq %r9\n pushq %r10\n pushq %r11\n subq $128, %rsp\n andq $-16, %rsp\n"               \
  "movups %xmm0, (%rsp)\n movups %xmm1, 16(%rsp)\n movups %xmm2, 32(%rsp)\n movups %xmm3, 48(%rsp)\n"   \
  "movups %xmm4, 64(%rsp)\n movups %xmm5, 80(%rsp)\n movups %xmm6, 96(%rsp)\n movups %xmm7, 112(%rsp)\n"
#define RESTORE                                                                                       \
  "movups (%rsp), %xmm0\n movups 16(%rsp), %xmm1\n movups 32(%rsp), %xmm2\n movups 48(%rsp), %xmm3\n"   \
  "movups 64(%rsp), %xmm4\n movups 80(%rsp), %xmm5\n movups 96(%rsp), %xmm6\n movups 112(%rsp), %xmm7\n" \
  "leaq -72(%rbp), %rsp\n popq %r11\n popq %r10\n popq %r9\n popq %r8\n popq %rdi\n popq %rsi\n"         \
  "popq %rdx\n popq %rcx\n popq %rax\n popq %rbp\n ret\n"
#define FUNCTION(name) ".hidden " name "\n.globl " name "\n.type " name ", @function\n" name ":\n"
#define END(name) ".size " name ", . - " name "\n"

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
/* clang-format on */

#elif defined(__aarch64__)

/* clang-format off */
#define SAVE                                                                                            \
  "stp x29, x17, [sp, #-288]!\n mov x29, sp\n stp x0, x1, [sp, #16]\n stp x2, x3, [sp, #32]\n"           \
  "stp x4, x5, [sp, #48]\n stp x6, x7, [sp, #64]\n stp x8, x9, [sp, #80]\n stp x10, x11, [sp, #96]\n"    \
  "stp x12, x13, [sp, #112]\n stp x14, x15, [sp, #128]\n stp x18, x30, [sp, #144]\n"                     \
  "stp q0, q1, [sp, #160]\n stp q2, q3, [sp, #192]\n stp q4, q5, [sp, #224]\n stp q6, q7, [sp, #256]\n"
/* `ret x16` may return to code that is not marked as a branch target. */
#define RESTORE                                                                                         \
  "ldp q0, q1, [sp, #160]\n ldp q2, q3, [sp, #192]\n ldp q4, q5, [sp, #224]\n ldp q6, q7, [sp, #256]\n"  \
  "ldp x18, x16, [sp, #144]\n ldp x14, x15, [sp, #128]\n ldp x12, x13, [sp, #112]\n"                     \
  "ldp x10, x11, [sp, #96]\n ldp x8, x9, [sp, #80]\n ldp x6, x7, [sp, #64]\n ldp x4, x5, [sp, #48]\n"    \
  "ldp x2, x3, [sp, #32]\n ldp x0, x1, [sp, #16]\n ldp x29, x30, [sp], #288\n ret x16\n"
#define FUNCTION(name) ".hidden " name "\n.globl " name "\n.type " name ", %function\n" name ":\n"
#define END(name) ".size " name ", . - " name "\n"

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
/* clang-format on */

#else
#error "the run time knows x86-64 and AArch64"
#endif
