#pragma once

// Memory in huge pages: whoever builds a model of a profile touches ten thousand pages for the first
// time. Each of them costs a fault, and in some virtual machines that takes longer than all that is
// done in the page.
//
//   prefer_huge_pages(6'000'000);   // before something is built of an input of so many bytes
//   prefer_huge_pages_in_helper();  // by other threads, as they begin a piece of work
//   std::vector<u64> table(1 << 20);  // so large that it has a mapping of its own
//   prefer_huge_pages_for(table.data(), table.size() * sizeof(u64));
//   if (room_is_free()) table.reserve(1 << 24);  // growing would move all that is there
//
// Not where the host of a virtual machine takes free memory back, unless a fault of a small page is
// dear there: the host takes huge pages, and to fill one again takes longer than 512 small ones,
// which are most often such as it has left.
//
// The first two are about the small pieces that malloc() gives out. All are only hints, to glibc's
// allocator and Linux. Nothing changes where the memory of the process is limited by setrlimit(2):
// room that is not used counts there.

#include <cstddef>
#include <string>

namespace pgokit {

// Whether they are worth it on this machine.
bool huge_pages_pay();
// Does nothing for an input that is small.
void prefer_huge_pages(size_t input, bool (*pay)() = huge_pages_pay);
// If the process does.
void prefer_huge_pages_in_helper();
// If the process does: of a table with a mapping of its own.
void prefer_huge_pages_for(void* table, size_t size);
// Whether one of the devices has the host take back what is free: a virtio balloon that reports it.
bool host_takes_free_pages(const std::string& devices = "/sys/bus/virtio/devices");
// Whether a large table may have room for the most that it could need: what is not written to costs
// nothing. Only where a large input is read, and memory is not limited.
bool room_is_free();

}  // namespace pgokit
