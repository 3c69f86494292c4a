/* What sites see: which functions an indirect call goes to, through which tables, how many bytes
 * are copied. Instrumented code compares with the site's value and adds to its hits; what is not
 * equal comes here first. Compiled without vector registers, which are not saved before.
 *
 * A site of one value needs no more than itself. Further values have entries of a common table, as
 * many as a site may have; then a new value takes the place of the least frequent one (Metwally,
 * Agrawal, El Abbadi, "Efficient computation of frequent and top-k elements in data streams", 2005)
 * and what that one had counted is dropped. Nothing is counted twice or gets lost: hits are
 * entries, what belongs to the site's value, and what was dropped. */
#include "core.h"

/* Values of sites beyond the one that is in the site itself. Entries of one site are linked: by
 * number from 1 times size, for value_entry.c, which counts those that come first. */
struct value {
  uint64_t site; /* offset in the raw section; 0: unused */
  uint64_t value;
  uint64_t count;
  uint64_t before; /* what was counted, under other values, of the entries it took the place of */
  uint32_t next;
  uint16_t module;
  uint16_t mark; /* how often the site's value had come, at the last look */
};

enum { OFTEN = 16 }; /* value_entry.c has it too */

struct value* pgokit_value_entries;

static struct {
  uint32_t capacity;
  uint32_t used; /* may be over the capacity */
  uint32_t per_site;
} values;

/* The first buffer serves all modules. */
static void find_buffer(void) {
  for (const struct mip_module_settings* each = pgokit_modules_begin; each < pgokit_modules_end;
       ++each) {
    if (!each->value_capacity || values.capacity) continue;
    pgokit_value_entries = (struct value*)((uintptr_t)each + (uintptr_t)each->value_buffer);
    values.per_site = each->values_per_site;
    __atomic_store_n(&values.capacity, each->value_capacity, __ATOMIC_RELEASE);
  }
}

static uint32_t value_count(void) {
  const uint32_t used = __atomic_load_n(&values.used, __ATOMIC_RELAXED);
  return used < values.capacity ? used : values.capacity;
}

static int target_at(uint32_t index, void* to) {
  const struct value* from = &pgokit_value_entries[index];
  *(struct mip_target*)to =
      (struct mip_target){from->site, from->value, from->count, from->module, 0};
  return from->site != 0;
}

static void forget_values(void) {
  for (uint32_t i = 0; i < value_count(); ++i)
    pgokit_value_entries[i] = (struct value){0, 0, 0, 0, 0, 0, 0};
  values.used = 0;
}

static const struct pgokit_source value_source = {MIP_PAYLOAD_TARGETS, sizeof(struct mip_target),
                                                  value_count, target_at, forget_values};
PGOKIT_SOURCE(value_source);

/* A thread that waits for another has soon got it; one that was interrupted in here by a signal
 * never does. */
static int lock(struct mip_site* site) {
  for (int tries = 0; tries < 100; ++tries) {
    if (!__atomic_exchange_n(&site->lock, 1, __ATOMIC_ACQUIRE)) return 1;
  }
  return 0;
}

static void unlock(struct mip_site* site) { __atomic_store_n(&site->lock, 0, __ATOMIC_RELEASE); }

static struct value* entry_at(uint32_t place) {
  const uint32_t number = place / sizeof(struct value);
  return number && number <= values.capacity ? &pgokit_value_entries[number - 1] : NULL;
}

static struct value* find(struct mip_site* site, uint64_t value, uint32_t* count,
                          struct value** least) {
  uint32_t* link = &site->more;
  *count = 0, *least = NULL;
  for (struct value* each; (each = entry_at(*link)) && *count < values.per_site; ++*count) {
    if (each->value == value) {
      const uint32_t place = *link;
      *link = each->next;
      each->next = site->more;
      site->more = place;
      return each;
    }
    if (each->value != site->value &&
        (!*least || each->count + each->before < (*least)->count + (*least)->before))
      *least = each;
    link = &each->next;
  }
  return NULL;
}

static struct value* add(struct mip_site* site, uint64_t value, uint32_t count,
                         struct value* least) {
  if (count < values.per_site) {
    const uint32_t number = __atomic_add_fetch(&values.used, 1, __ATOMIC_RELAXED);
    if (number <= values.capacity) {
      struct value* fresh = &pgokit_value_entries[number - 1];
      fresh->value = value;
      fresh->next = site->more;
      fresh->site = (uint64_t)((char*)site - pgokit_raw_begin());
      site->more = number * (uint32_t)sizeof *fresh;
      return fresh;
    }
    __atomic_store_n(&values.used, values.capacity, __ATOMIC_RELAXED);
  }
  if (!least) return NULL;
  __atomic_add_fetch(&pgokit_dropped[MIP_DROPPED_TARGETS], least->count, __ATOMIC_RELAXED);
  least->before += least->count;
  least->count = 0;
  least->value = value;
  least->module = 0;
  return least;
}

static struct value* find_or_add(struct mip_site* site, uint64_t value, int* is_new) {
  uint32_t count;
  struct value* least;
  struct value* found = find(site, value, &count, &least);
  *is_new = !found;
  return found ? found : add(site, value, count, least);
}

static void take(struct mip_site* site, uint64_t count) {
  __atomic_add_fetch(&site->taken, count, __ATOMIC_RELAXED);
}

/* What the site's value has, moves to its entry. Threads lose hits, so that the difference may be
 * negative. */
static void settle(struct mip_site* site) {
  int is_new;
  const int64_t own = (int64_t)(site->hits - site->taken);
  struct value* entry = own > 0 ? find_or_add(site, site->value, &is_new) : NULL;
  take(site, (uint64_t)own);
  if (!entry) {
    if (own > 0)
      __atomic_add_fetch(&pgokit_dropped[MIP_DROPPED_TARGETS], (uint64_t)own, __ATOMIC_RELAXED);
    return;
  }
  entry->count += (uint64_t)own;
  if (is_new) entry->module = site->module;
}

/* Asked each time that a value has come another OFTEN times: has it come more often meanwhile than
 * the site's? */
static int comes_more(const struct mip_site* site, struct value* entry) {
  const uint16_t own = (uint16_t)(site->hits - site->taken);
  const uint16_t meanwhile = (uint16_t)(own - entry->mark);
  entry->mark = own;
  return meanwhile < OFTEN;
}

/* The hit that the caller adds behind this call is taken here, if it is not of the site's value.
 * Whether it is not known yet where the value lies. */
static int count_value(struct mip_site* site, uint64_t value) {
  if (site->value == value) return 0; /* another thread has put it there */
  if (!site->value && !site->hits) {
    __atomic_store_n(&site->value, value, __ATOMIC_RELAXED);
    return 1;
  }
  int is_new;
  struct value* entry = find_or_add(site, value, &is_new);
  if (entry && is_new) entry->mark = (uint16_t)(site->hits - site->taken);
  if (entry && (entry->count + 1) % OFTEN == 0 && comes_more(site, entry)) {
    /* What is settled may need the entry of another. */
    settle(site);
    entry = find_or_add(site, value, &is_new);
    site->module = entry ? entry->module : 0;
    __atomic_store_n(&site->value, value, __ATOMIC_RELAXED);
  }
  if (entry) {
    entry->count++;
  } else {
    __atomic_add_fetch(&pgokit_dropped[MIP_DROPPED_TARGETS], 1, __ATOMIC_RELAXED);
  }
  take(site, 1);
  return entry && is_new;
}

/* Returns whether pgokit_place_value is to be called. */
__attribute__((used)) int pgokit_record_value(struct mip_site* site, uint64_t value) {
  if (!__atomic_load_n(&values.capacity, __ATOMIC_ACQUIRE)) find_buffer();
  if (!lock(site)) {
    __atomic_add_fetch(&pgokit_dropped[MIP_DROPPED_TARGETS], 1, __ATOMIC_RELAXED);
    take(site, 1);
    return 0;
  }
  const int result = count_value(site, value);
  unlock(site);
  return result;
}

__attribute__((used)) void pgokit_place_value(struct mip_site* site, uint64_t value) {
#ifdef PGOKIT_HOSTED
  const uint16_t module = pgokit_module_of(value);
  if (!module || !lock(site)) return;
  uint32_t count;
  struct value* least;
  struct value* entry = find(site, value, &count, &least);
  if (entry) entry->module = module;
  if (site->value == value) site->module = module;
  unlock(site);
#else
  (void)site, (void)value;
#endif
}
