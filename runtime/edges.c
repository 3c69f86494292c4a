/* Sampled calls: who calls whom. Needs no libc. */
#include "core.h"
#include "entry.h"

/* Negative: take a sample. The first call of a thread finds it so and only starts its seed. */
__attribute__((tls_model("initial-exec"))) _Thread_local int32_t __pgokit_edge_countdown = 0;
__attribute__((tls_model("initial-exec"))) _Thread_local uint32_t __pgokit_edge_seed = 0;

static struct {
  struct mip_edge* buffer;
  uint32_t capacity;
  uint32_t rate;
} edges;

/* The first buffer serves all modules. */
static void find_buffer(void) {
  for (const struct mip_module_settings* each = pgokit_modules_begin; each < pgokit_modules_end;
       ++each) {
    if (!each->edge_capacity || edges.capacity) continue;
    edges.buffer = (struct mip_edge*)((uintptr_t)each + (uintptr_t)each->edge_buffer);
    edges.rate = pgokit_edge_rate = each->edge_rate ? each->edge_rate : 1;
    __atomic_store_n(&edges.capacity, each->edge_capacity, __ATOMIC_RELEASE);
  }
}

static uint32_t edge_count(void) {
  find_buffer();
  return edges.capacity;
}

static int edge_at(uint32_t index, void* to) {
  *(struct mip_edge*)to = edges.buffer[index];
  return edges.buffer[index].return_address != 0;
}

static void forget_edges(void) {
  for (uint32_t i = 0; i < edges.capacity; ++i) edges.buffer[i] = (struct mip_edge){0, 0, 0};
}

static const struct pgokit_source edge_source = {MIP_PAYLOAD_EDGES, sizeof(struct mip_edge),
                                                 edge_count, edge_at, forget_edges};
PGOKIT_SOURCE(edge_source);

/* A table with few probes: what does not fit is counted as dropped. Two threads may claim one entry
 * each for one edge; readers add them. */
static void count_edge(uint64_t return_address, uint64_t callee) {
  const uint32_t capacity = edges.capacity;
  uint64_t hash = (return_address ^ callee << 32 ^ callee >> 8) * 0x9e3779b97f4a7c15u;
  hash ^= hash >> 32;
  for (uint32_t probe = 0; probe < 8; ++probe) {
    struct mip_edge* edge = &edges.buffer[(hash + probe) % capacity];
    uint64_t found = __atomic_load_n(&edge->return_address, __ATOMIC_RELAXED);
    if (!found && __atomic_compare_exchange_n(&edge->return_address, &found, return_address, 0,
                                              __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
      __atomic_store_n(&edge->callee, callee, __ATOMIC_RELAXED);
      found = return_address;
    }
    if (found == return_address && __atomic_load_n(&edge->callee, __ATOMIC_RELAXED) == callee) {
      __atomic_add_fetch(&edge->samples, 1, __ATOMIC_RELAXED);
      return;
    }
  }
  __atomic_add_fetch(&pgokit_dropped[MIP_DROPPED_EDGES], 1, __ATOMIC_RELAXED);
}

/* Returns the number of calls to the next sample: at random around the rate, so that
 * loops of calls do not always show the same one. */
static int32_t sample_edge(uint64_t return_address, uint64_t callee, uint32_t* seed) {
  if (!__atomic_load_n(&edges.capacity, __ATOMIC_ACQUIRE)) find_buffer();
  if (!edges.capacity) return INT32_MAX;
  if (*seed) {
    count_edge(return_address, callee);
  } else {
    *seed = (uint32_t)((uintptr_t)seed >> 4) * 2654435761u |
            1; /* the first call of a thread only starts it */
  }
  *seed ^= *seed << 13, *seed ^= *seed >> 17, *seed ^= *seed << 5;
  const uint32_t rate = edges.rate;
  return (int32_t)(rate > 1 ? *seed % (2 * rate - 1) : 0);
}

__attribute__((used)) void pgokit_sample_edge_here(uint64_t return_address, uint64_t callee) {
  __pgokit_edge_countdown =
      INT32_MAX; /* nothing below is instrumented, but a signal handler may be */
  __pgokit_edge_countdown = sample_edge(return_address, callee, &__pgokit_edge_seed);
}

/* clang-format off */
#if defined(__x86_64__)

/* On the stack: where to return to in the function called, then where it returns to. */
__asm__(".text\n"
FUNCTION("__pgokit_sample_edge")
SAVE
"movq 16(%rbp), %rdi\n movq 8(%rbp), %rsi\n"
"call pgokit_sample_edge_here\n"
RESTORE
END("__pgokit_sample_edge"));

#elif defined(__aarch64__)

/* x17: the function's own return address, which the call has overwritten in x30. */
__asm__(".text\n.p2align 2\n"
FUNCTION("__pgokit_sample_edge")
SAVE
"mov x1, x30\n mov x30, x17\n hint #7\n mov x0, x30\n" /* xpaclri: addresses without signature */
"bl pgokit_sample_edge_here\n"
RESTORE
END("__pgokit_sample_edge"));

#elif defined(__arm__)

/* Bit 0 of a return address is the instruction set. */
__asm__(".text\n.p2align 2\n"
FUNCTION("__pgokit_sample_edge")
SAVE
"ldr r0, [r4, #28]\n bic r0, r0, #1\n mov r1, #0\n bic r2, lr, #1\n mov r3, #0\n"
"bl pgokit_sample_edge_here\n"
RESTORE
END("__pgokit_sample_edge"));

#endif
/* clang-format on */
