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

/* A thread that waits for another has soon got it; one that was interrupted in here by a signal
 * never does. */
static int lock(struct mip_site* site) {
  for (int tries = 0; tries < 100; ++tries) {
    if (!__atomic_exchange_n(&site->lock, 1, __ATOMIC_ACQUIRE)) return 1;
  }
  return 0;
}

static void unlock(struct mip_site* site) { __atomic_store_n(&site->lock, 0, __ATOMIC_RELEASE); }

static struct pgokit_value* entry_at(uint32_t number) {
  return number && number <= pgokit_values.capacity ? &pgokit_values.entries[number - 1] : NULL;
}

/* What is found becomes the first. `least` is the least frequent but for the site's value. */
static struct pgokit_value* find(struct mip_site* site, uint64_t value, uint32_t* count,
                                 struct pgokit_value** least) {
  uint32_t* link = &site->more;
  *count = 0, *least = NULL;
  for (struct pgokit_value* each; (each = entry_at(*link)) && *count < pgokit_values.per_site;
       ++*count) {
    if (each->value == value) {
      const uint32_t number = *link;
      *link = each->next;
      each->next = site->more;
      site->more = number;
      return each;
    }
    if (each->value != site->value &&
        (!*least || each->count + each->before < (*least)->count + (*least)->before))
      *least = each;
    link = &each->next;
  }
  return NULL;
}

static struct pgokit_value* add(struct mip_site* site, uint64_t value, uint32_t count,
                                struct pgokit_value* least) {
  if (count < pgokit_values.per_site) {
    const uint32_t number = __atomic_add_fetch(&pgokit_values.used, 1, __ATOMIC_RELAXED);
    struct pgokit_value* fresh = entry_at(number);
    if (fresh) {
      fresh->value = value;
      fresh->next = site->more;
      fresh->site = (uint64_t)((char*)site - pgokit_raw_begin());
      site->more = number;
      return fresh;
    }
    __atomic_store_n(&pgokit_values.used, pgokit_values.capacity, __ATOMIC_RELAXED);
  }
  if (!least) return NULL;
  __atomic_add_fetch(&pgokit_dropped[MIP_DROPPED_TARGETS], least->count, __ATOMIC_RELAXED);
  least->before += least->count;
  least->count = 0;
  least->value = value;
  least->module = 0;
  return least;
}

static struct pgokit_value* find_or_add(struct mip_site* site, uint64_t value, int* is_new) {
  uint32_t count;
  struct pgokit_value* least;
  struct pgokit_value* found = find(site, value, &count, &least);
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
  struct pgokit_value* entry = own > 0 ? find_or_add(site, site->value, &is_new) : NULL;
  take(site, (uint64_t)own);
  if (!entry) {
    if (own > 0)
      __atomic_add_fetch(&pgokit_dropped[MIP_DROPPED_TARGETS], (uint64_t)own, __ATOMIC_RELAXED);
    return;
  }
  entry->count += (uint64_t)own;
  if (is_new) entry->module = site->module;
}

/* A value becomes the site's when it comes for the second time in a row, or after some others
 * between which the site's never came. The value before is the first of the entries. `seen`: 5 bits
 * of how many hits the site's value had, 3 of how many others came since. */
static int comes_more(struct mip_site* site, uint64_t value) {
  const struct pgokit_value* before = entry_at(site->more);
  const uint8_t own = (uint8_t)(site->hits - site->taken) & 31;
  const uint8_t others = (site->seen & 31) == own ? (uint8_t)((site->seen >> 5) + 1) : 1;
  site->seen = (uint8_t)(own | others << 5);
  return others > 1 && (others == 4 || (before && before->value == value));
}

/* The hit that the caller adds behind this call is one of `value` if it is the site's, else it is
 * taken here. Whether it is not known yet where the value lies. */
static int count_value(struct mip_site* site, uint64_t value) {
  if (site->value == value) return 0;
  if (!site->value && !site->hits) {
    __atomic_store_n(&site->value, value, __ATOMIC_RELAXED);
    return 1;
  }
  int is_new;
  const int more = comes_more(site, value);
  struct pgokit_value* entry = find_or_add(site, value, &is_new);
  if (!entry) {
    __atomic_add_fetch(&pgokit_dropped[MIP_DROPPED_TARGETS], 1, __ATOMIC_RELAXED);
    take(site, 1);
    return 0;
  }
  if (!more) {
    entry->count++;
    take(site, 1);
    return is_new;
  }
  settle(site);
  entry = find_or_add(site, value, &is_new);
  site->module = entry ? entry->module : 0;
  __atomic_store_n(&site->value, value, __ATOMIC_RELAXED);
  site->seen = 0;
  return is_new || !site->module;
}

/* Returns whether pgokit_place_value is to be called. */
__attribute__((used)) int pgokit_record_value(struct mip_site* site, uint64_t value) {
  if (!__atomic_load_n(&pgokit_values.capacity, __ATOMIC_ACQUIRE)) pgokit_find_tables();
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
  struct pgokit_value* least;
  struct pgokit_value* entry = find(site, value, &count, &least);
  if (entry) entry->module = module;
  if (site->value == value) site->module = module;
  unlock(site);
#else
  (void)site, (void)value;
#endif
}
