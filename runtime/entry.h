/* Entries of the run time for instrumented code, which calls them at the start of functions: what a
 * callee may expect there is kept. */
#ifndef PGOKIT_RUNTIME_ENTRY_H
#define PGOKIT_RUNTIME_ENTRY_H

/* clang-format off */
/* Names of C in assembly, FUNCTION and END, which an entry is between; HIGH and LOW, the parts of an
 * address, are of AArch64. */
#ifdef __APPLE__
#define C_NAME(name) "_" name
#define HIGH(name) C_NAME(name) "@PAGE"
#define LOW(name) C_NAME(name) "@PAGEOFF"
#define FUNCTION(name) ".private_extern " name "\n.globl " name "\n" name ":\n"
#define END(name) ""
#else
#define C_NAME(name) name
#define HIGH(name) name
#define LOW(name) ":lo12:" name
#define FUNCTION(name) MODE ".hidden " name "\n.globl " name "\n.type " name ", %function\n" name ":\n"
#define END(name) ".size " name ", . - " name "\n"
#endif
#define MODE ""
/* clang-format on */

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
/* clang-format on */

#elif defined(__aarch64__)

/* clang-format off */
#ifdef __APPLE__
#define X18 "xzr" /* the system's own */
#else
#define X18 "x18"
#endif
#define SAVE                                                                                            \
  "stp x29, x17, [sp, #-288]!\n mov x29, sp\n stp x0, x1, [sp, #16]\n stp x2, x3, [sp, #32]\n"           \
  "stp x4, x5, [sp, #48]\n stp x6, x7, [sp, #64]\n stp x8, x9, [sp, #80]\n stp x10, x11, [sp, #96]\n"    \
  "stp x12, x13, [sp, #112]\n stp x14, x15, [sp, #128]\n stp " X18 ", x30, [sp, #144]\n"                 \
  "stp q0, q1, [sp, #160]\n stp q2, q3, [sp, #192]\n stp q4, q5, [sp, #224]\n stp q6, q7, [sp, #256]\n"
/* `ret x16` may return to code that is not marked as a branch target. */
#define RESTORE                                                                                         \
  "ldp q0, q1, [sp, #160]\n ldp q2, q3, [sp, #192]\n ldp q4, q5, [sp, #224]\n ldp q6, q7, [sp, #256]\n"  \
  "ldp " X18 ", x16, [sp, #144]\n ldp x14, x15, [sp, #128]\n ldp x12, x13, [sp, #112]\n"                     \
  "ldp x10, x11, [sp, #96]\n ldp x8, x9, [sp, #80]\n ldp x6, x7, [sp, #64]\n ldp x4, x5, [sp, #48]\n"    \
  "ldp x2, x3, [sp, #32]\n ldp x0, x1, [sp, #16]\n ldp x29, x30, [sp], #288\n ret x16\n"
/* clang-format on */

#elif defined(__arm__)

/* clang-format off */
#ifdef __ARM_FP
#define SAVE_VECTORS "vpush {d0-d7}\n"
#define RESTORE_VECTORS "sub r12, r4, #64\n mov sp, r12\n vpop {d0-d7}\n"
#else
#define SAVE_VECTORS
#define RESTORE_VECTORS "mov sp, r4\n"
#endif
/* r0 and r1 have arguments, and are the function's on the stack: r0, r1, r12 and its return address. */
#define SAVE "push {r2, r3, r4, lr}\n mov r4, sp\n" SAVE_VECTORS "mov r12, sp\n bic r12, r12, #7\n mov sp, r12\n"
#define RESTORE RESTORE_VECTORS "pop {r2, r3, r4, pc}\n"
#undef MODE
#ifdef __thumb__
#define MODE ".syntax unified\n.thumb\n.thumb_func\n"
#else
#define MODE ".syntax unified\n.arm\n"
#endif
/* clang-format on */

#else
#error "the run time knows x86-64, AArch64 and 32-bit Arm"
#endif

#endif
