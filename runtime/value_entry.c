/* What instrumented code calls where a value is not that of its site. Everything but flags is kept,
 * in the middle of any function; vector registers only where the C that is called has any. */

#include "entry.h"

/* clang-format off */
#if defined(__x86_64__)

/* On the stack: where to return to, the site, the value. The first entries of the site are looked at
 * here; what is found is counted, but each 16th time, when values.c has more to do. */
__asm__(".text\n"
FUNCTION("__pgokit_value")
"pushq %rax\n pushq %rcx\n pushq %rdx\n"
"movq 32(%rsp), %rax\n movq 40(%rsp), %rcx\n movq " C_NAME("pgokit_value_entries") "(%rip), %rdx\n movl 24(%rax), %eax\n"
"testl %eax, %eax\n je 3f\n addq %rdx, %rax\n cmpq %rcx, -32(%rax)\n je 4f\n movl -8(%rax), %eax\n"
"testl %eax, %eax\n je 3f\n addq %rdx, %rax\n cmpq %rcx, -32(%rax)\n je 4f\n movl -8(%rax), %eax\n"
"testl %eax, %eax\n je 3f\n addq %rdx, %rax\n cmpq %rcx, -32(%rax)\n je 4f\n movl -8(%rax), %eax\n"
"testl %eax, %eax\n je 3f\n addq %rdx, %rax\n cmpq %rcx, -32(%rax)\n je 4f\n"
"3:\n popq %rdx\n popq %rcx\n popq %rax\n jmp 5f\n"
"4:\n movq -24(%rax), %rcx\n incq %rcx\n testb $15, %cl\n je 3b\n movq %rcx, -24(%rax)\n"
"movq 32(%rsp), %rax\n incq 16(%rax)\n popq %rdx\n popq %rcx\n popq %rax\n ret\n"
"5:\n"
"pushq %rbp\n movq %rsp, %rbp\n"
"pushq %rax\n pushq %rcx\n pushq %rdx\n pushq %rsi\n pushq %rdi\n pushq %r8\n pushq %r9\n pushq %r10\n pushq %r11\n"
"andq $-16, %rsp\n movq 16(%rbp), %rdi\n movq 24(%rbp), %rsi\n call " C_NAME("pgokit_record_value") "\n"
"testl %eax, %eax\n jne 2f\n"
"1:\n leaq -72(%rbp), %rsp\n"
"popq %r11\n popq %r10\n popq %r9\n popq %r8\n popq %rdi\n popq %rsi\n popq %rdx\n popq %rcx\n popq %rax\n popq %rbp\n ret\n"
"2:\n subq $256, %rsp\n"
"movups %xmm0, 0(%rsp)\n" "movups %xmm1, 16(%rsp)\n" "movups %xmm2, 32(%rsp)\n" "movups %xmm3, 48(%rsp)\n"
"movups %xmm4, 64(%rsp)\n" "movups %xmm5, 80(%rsp)\n" "movups %xmm6, 96(%rsp)\n" "movups %xmm7, 112(%rsp)\n"
"movups %xmm8, 128(%rsp)\n" "movups %xmm9, 144(%rsp)\n" "movups %xmm10, 160(%rsp)\n" "movups %xmm11, 176(%rsp)\n"
"movups %xmm12, 192(%rsp)\n" "movups %xmm13, 208(%rsp)\n" "movups %xmm14, 224(%rsp)\n" "movups %xmm15, 240(%rsp)\n"
"movq 16(%rbp), %rdi\n movq 24(%rbp), %rsi\n call " C_NAME("pgokit_place_value") "\n"
"movups 0(%rsp), %xmm0\n" "movups 16(%rsp), %xmm1\n" "movups 32(%rsp), %xmm2\n" "movups 48(%rsp), %xmm3\n"
"movups 64(%rsp), %xmm4\n" "movups 80(%rsp), %xmm5\n" "movups 96(%rsp), %xmm6\n" "movups 112(%rsp), %xmm7\n"
"movups 128(%rsp), %xmm8\n" "movups 144(%rsp), %xmm9\n" "movups 160(%rsp), %xmm10\n" "movups 176(%rsp), %xmm11\n"
"movups 192(%rsp), %xmm12\n" "movups 208(%rsp), %xmm13\n" "movups 224(%rsp), %xmm14\n" "movups 240(%rsp), %xmm15\n"
"jmp 1b\n"
END("__pgokit_value"));

#elif defined(__aarch64__)

/* On the stack: x29 and x30 of the function, the value, the site. Flags are kept too. */
__asm__(".text\n.p2align 2\n"
FUNCTION("__pgokit_value")
"stp x0, x1, [sp, #-32]!\n stp x2, x3, [sp, #16]\n"
"ldr x0, [sp, #56]\n ldr x1, [sp, #48]\n"
"adrp x2, " HIGH("pgokit_value_entries") "\n ldr x2, [x2, " LOW("pgokit_value_entries") "]\n ldr w0, [x0, #24]\n"
"cbz w0, 3f\n add x0, x2, x0\n ldur x3, [x0, #-32]\n sub x3, x3, x1\n cbz x3, 4f\n ldur w0, [x0, #-8]\n"
"cbz w0, 3f\n add x0, x2, x0\n ldur x3, [x0, #-32]\n sub x3, x3, x1\n cbz x3, 4f\n ldur w0, [x0, #-8]\n"
"cbz w0, 3f\n add x0, x2, x0\n ldur x3, [x0, #-32]\n sub x3, x3, x1\n cbz x3, 4f\n ldur w0, [x0, #-8]\n"
"cbz w0, 3f\n add x0, x2, x0\n ldur x3, [x0, #-32]\n sub x3, x3, x1\n cbz x3, 4f\n"
"3:\n ldp x2, x3, [sp, #16]\n ldp x0, x1, [sp], #32\n b 5f\n"
"4:\n ldur x3, [x0, #-24]\n add x3, x3, #1\n and x1, x3, #15\n cbz x1, 3b\n stur x3, [x0, #-24]\n"
"ldr x0, [sp, #56]\n ldr x3, [x0, #16]\n add x3, x3, #1\n str x3, [x0, #16]\n"
"ldp x2, x3, [sp, #16]\n ldp x0, x1, [sp], #32\n ret\n"
"5:\n"
"stp x29, x30, [sp, #-176]!\n mov x29, sp\n"
"stp x0, x1, [sp, #16]\n" "stp x2, x3, [sp, #32]\n" "stp x4, x5, [sp, #48]\n"
"stp x6, x7, [sp, #64]\n" "stp x8, x9, [sp, #80]\n" "stp x10, x11, [sp, #96]\n"
"stp x12, x13, [sp, #112]\n" "stp x14, x15, [sp, #128]\n" "stp x16, x17, [sp, #144]\n"
"mrs x0, nzcv\n stp " X18 ", x0, [sp, #160]\n"
"ldr x1, [x29, #192]\n ldr x0, [x29, #200]\n bl " C_NAME("pgokit_record_value") "\n cbnz w0, 2f\n"
"1:\n ldp " X18 ", x0, [sp, #160]\n msr nzcv, x0\n"
"ldp x0, x1, [sp, #16]\n" "ldp x2, x3, [sp, #32]\n" "ldp x4, x5, [sp, #48]\n"
"ldp x6, x7, [sp, #64]\n" "ldp x8, x9, [sp, #80]\n" "ldp x10, x11, [sp, #96]\n"
"ldp x12, x13, [sp, #112]\n" "ldp x14, x15, [sp, #128]\n" "ldp x16, x17, [sp, #144]\n"
"ldp x29, x30, [sp], #176\n ret\n"
"2:\n sub sp, sp, #512\n"
"stp q0, q1, [sp, #0]\n" "stp q2, q3, [sp, #32]\n" "stp q4, q5, [sp, #64]\n" "stp q6, q7, [sp, #96]\n"
"stp q8, q9, [sp, #128]\n" "stp q10, q11, [sp, #160]\n" "stp q12, q13, [sp, #192]\n" "stp q14, q15, [sp, #224]\n"
"stp q16, q17, [sp, #256]\n" "stp q18, q19, [sp, #288]\n" "stp q20, q21, [sp, #320]\n" "stp q22, q23, [sp, #352]\n"
"stp q24, q25, [sp, #384]\n" "stp q26, q27, [sp, #416]\n" "stp q28, q29, [sp, #448]\n" "stp q30, q31, [sp, #480]\n"
"ldr x1, [x29, #192]\n ldr x0, [x29, #200]\n bl " C_NAME("pgokit_place_value") "\n"
"ldp q0, q1, [sp, #0]\n" "ldp q2, q3, [sp, #32]\n" "ldp q4, q5, [sp, #64]\n" "ldp q6, q7, [sp, #96]\n"
"ldp q8, q9, [sp, #128]\n" "ldp q10, q11, [sp, #160]\n" "ldp q12, q13, [sp, #192]\n" "ldp q14, q15, [sp, #224]\n"
"ldp q16, q17, [sp, #256]\n" "ldp q18, q19, [sp, #288]\n" "ldp q20, q21, [sp, #320]\n" "ldp q22, q23, [sp, #352]\n"
"ldp q24, q25, [sp, #384]\n" "ldp q26, q27, [sp, #416]\n" "ldp q28, q29, [sp, #448]\n" "ldp q30, q31, [sp, #480]\n"
"add sp, sp, #512\n b 1b\n"
END("__pgokit_value"));

#elif defined(__arm__)

#ifdef __ARM_NEON
#define VECTORS_SIZE "#192"
#define SAVE_ALL_VECTORS "vpush {d16-d31}\n vpush {d0-d7}\n"
#define RESTORE_ALL_VECTORS "vpop {d0-d7}\n vpop {d16-d31}\n"
#elif defined(__ARM_FP)
#define VECTORS_SIZE "#64"
#define SAVE_ALL_VECTORS "vpush {d0-d7}\n"
#define RESTORE_ALL_VECTORS "vpop {d0-d7}\n"
#else
#define VECTORS_SIZE "#0"
#define SAVE_ALL_VECTORS
#define RESTORE_ALL_VECTORS
#endif

/* On the stack: the site, the value. The caller keeps r12 and lr; the stack may be aligned to 4. The
 * compilers have vector registers in any C here. */
__asm__(".text\n.p2align 2\n"
FUNCTION("__pgokit_value")
"push {r0, r1, r2, r3, r4, lr}\n mov r4, sp\n" SAVE_ALL_VECTORS "mov r12, sp\n bic r12, r12, #7\n mov sp, r12\n"
"ldr r0, [r4, #24]\n ldr r2, [r4, #28]\n mov r3, #0\n bl " C_NAME("pgokit_record_value") "\n cmp r0, #0\n beq 1f\n"
"ldr r0, [r4, #24]\n ldr r2, [r4, #28]\n mov r3, #0\n bl " C_NAME("pgokit_place_value") "\n"
"1:\n sub r12, r4, " VECTORS_SIZE "\n mov sp, r12\n" RESTORE_ALL_VECTORS
"pop {r0, r1, r2, r3, r4, pc}\n"
END("__pgokit_value"));

#endif
/* clang-format on */
