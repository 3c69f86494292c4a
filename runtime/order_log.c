/* The two logs of first runs: a ring of function ids (MIP_ORDER_LOG), and calls one behind the
 * other (MIP_ORDER_CALLS). Needs no libc. */
#include "core.h"
#include "entry.h"

PGOKIT_SECTION(uint64_t, ids, MIP_ORDER_LOG_SECTION);
PGOKIT_SECTION(uint64_t, calls, MIP_ORDER_CALLS_SECTION);
PGOKIT_SECTION(struct mip_order_line, bits, MIP_ORDER_BITS_SECTION);

static uint32_t logged_ids, logged_calls; /* ever */

static uint32_t id_capacity(void) { return (uint32_t)(ids_end - ids_begin); }

static uint32_t call_capacity(void) { return (uint32_t)(calls_end - calls_begin); }

static uint64_t pair(uint32_t first, uint32_t second) { return first | (uint64_t)second << 32; }

/* The oldest is entry 0. */
static uint32_t count_ids(void) {
  const uint32_t ever = __atomic_load_n(&logged_ids, __ATOMIC_RELAXED);
  return ever < id_capacity() ? ever : id_capacity();
}

static int id_at(uint32_t index, void* to) {
  const uint32_t first = logged_ids > id_capacity() ? logged_ids % id_capacity() : 0;
  *(uint64_t*)to = __atomic_load_n(&ids_begin[(first + index) % id_capacity()], __ATOMIC_RELAXED);
  return 1;
}

static uint32_t count_calls(void) {
  const uint32_t ever = __atomic_load_n(&logged_calls, __ATOMIC_RELAXED);
  return ever < call_capacity() ? ever : call_capacity();
}

static int call_at(uint32_t index, void* to) {
  *(uint64_t*)to = __atomic_load_n(&calls_begin[index], __ATOMIC_RELAXED);
  return 1;
}

static void clear(volatile uint64_t* from, volatile uint64_t* end) {
  for (; from < end; ++from) {
    if (*from) *from = 0; /* pages that were never written stay so */
  }
}

static void forget_ids(void) {
  for (struct mip_order_line* line = bits_begin; line < bits_end; ++line) {
    for (uint32_t i = 0; i < sizeof line->bits; ++i) ((volatile uint8_t*)line->bits)[i] = 0;
  }
  clear(ids_begin, ids_end);
  logged_ids = 0;
}

static void forget_calls(void) {
  clear(calls_begin, calls_end);
  logged_calls = 0;
}

static const struct pgokit_source id_source = {MIP_PAYLOAD_ORDER_LOG, sizeof(struct mip_order_id),
                                               count_ids, id_at, forget_ids};
static const struct pgokit_source call_source = {
    MIP_PAYLOAD_ORDER_CALLS, sizeof(struct mip_order_call), count_calls, call_at, forget_calls};
PGOKIT_SOURCE(id_source);
PGOKIT_SOURCE(call_source);

static uint32_t next(uint32_t* log) {
  __atomic_add_fetch(&pgokit_first_runs, 1, __ATOMIC_RELAXED);
  return __atomic_fetch_add(log, 1, __ATOMIC_RELAXED);
}

static void lose_one(void) {
  __atomic_add_fetch(&pgokit_dropped[MIP_DROPPED_ORDER], 1, __ATOMIC_RELAXED);
}

/* The newest first runs take the places of the oldest. */
__attribute__((used)) void pgokit_log_id(uint8_t* bits, uint8_t mask) {
  if (__atomic_fetch_or(bits, mask, __ATOMIC_RELAXED) & mask) return; /* another thread was first */
  const uintptr_t start = (uintptr_t)bits & ~(uintptr_t)(sizeof(struct mip_order_line) - 1);
  const struct mip_order_line* line = (const struct mip_order_line*)start;
  const uint32_t number = (uint32_t)(bits - line->bits) * 8 + (uint32_t)__builtin_ctz(mask);
  const uint32_t capacity = id_capacity();
  const uint32_t index = next(&logged_ids);
  if (index >= capacity) lose_one();
  __atomic_store_n(&ids_begin[index % capacity], pair(line->module, line->first + number),
                   __ATOMIC_RELAXED);
}

__attribute__((used)) void pgokit_log_call(uint8_t* byte, uint64_t return_address) {
  if (!__atomic_exchange_n(byte, 0, __ATOMIC_RELAXED)) return;
  const uint32_t index = next(&logged_calls);
  if (index >= call_capacity()) return lose_one();
  const uint32_t place = (uint32_t)(return_address - (uintptr_t)pgokit_raw_begin());
  __atomic_store_n(&calls_begin[index], pair(place, pgokit_time()), __ATOMIC_RELAXED);
}

/* clang-format off */
#if defined(__x86_64__)

/* The calls are the ends of `testb $mask, bits(%rip); jne over; call`: f6 05 disp32 mask 75 05 e8 rel32, and of
 * `cmpb $0, byte(%rip); je over; call`: 80 3d disp32 00 74 05 e8 rel32. Where something made other code of it,
 * nothing is done. */
__asm__(".text\n"
FUNCTION("__pgokit_log_id")
SAVE
"movq 8(%rbp), %rax\n"
"cmpw $0x05f6, -14(%rax)\n jne 1f\n"
"cmpw $0x0575, -7(%rax)\n jne 1f\n"
"movslq -12(%rax), %rdi\n leaq -7(%rax,%rdi), %rdi\n"
"movzbl -8(%rax), %esi\n"
"call " C_NAME("pgokit_log_id") "\n"
"1:\n"
RESTORE
END("__pgokit_log_id")
FUNCTION("__pgokit_log_call")
SAVE
"movq 8(%rbp), %rsi\n"
"cmpw $0x3d80, -14(%rsi)\n jne 1f\n"
"cmpw $0x0574, -7(%rsi)\n jne 1f\n"
"movslq -12(%rsi), %rdi\n leaq -7(%rsi,%rdi), %rdi\n"
"call " C_NAME("pgokit_log_call") "\n"
"1:\n"
RESTORE
END("__pgokit_log_call"));

#elif defined(__aarch64__)

/* x16: the byte; x17: the function's own return address. The bit is that of the `tbnz` four
 * instructions before the address returned to. */
__asm__(".text\n.p2align 2\n"
FUNCTION("__pgokit_log_id")
SAVE
"ldr w2, [x30, #-16]\n ubfx w2, w2, #19, #3\n mov w1, #1\n lsl w1, w1, w2\n mov x0, x16\n"
"bl " C_NAME("pgokit_log_id") "\n"
RESTORE
END("__pgokit_log_id")
FUNCTION("__pgokit_log_call")
SAVE
"mov x0, x16\n mov x1, x30\n bl " C_NAME("pgokit_log_call") "\n"
RESTORE
END("__pgokit_log_call"));

#elif defined(__arm__)

/* r0: the byte, r1: the mask. Numbers of 64 bits are in r2 and r3. */
__asm__(".text\n.p2align 2\n"
FUNCTION("__pgokit_log_id")
SAVE
"bl " C_NAME("pgokit_log_id") "\n"
RESTORE
END("__pgokit_log_id")
FUNCTION("__pgokit_log_call")
SAVE
"bic r2, lr, #1\n mov r3, #0\n bl " C_NAME("pgokit_log_call") "\n"
RESTORE
END("__pgokit_log_call"));

#endif
/* clang-format on */
