#pragma once

// The small pieces that malloc() gives out, in huge pages: whoever builds a model of a profile
// touches ten thousand pages for the first time. Each of them costs a fault, and in some virtual
// machines that takes longer than all that is done in the page.
//
//   prefer_huge_pages(6'000'000);   // before something is built of an input of so many bytes
//   prefer_huge_pages_in_helper();  // by other threads, as they begin a piece of work
//
// Only a hint, to glibc's allocator and Linux. Tables that are large enough for mappings of their
// own stay in small pages: many are touched here and there only. Nothing changes where the memory of
// the process is limited by setrlimit(2): room that is not used counts there.

#include <cstddef>

namespace pgokit {

// Does nothing for an input that is small.
void prefer_huge_pages(size_t input);
// If the process does.
void prefer_huge_pages_in_helper();

}  // namespace pgokit
