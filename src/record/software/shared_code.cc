// What address spaces have from each other: that of a child from its parent's, that of a process
// from one which has run the same program.
#include <sys/syscall.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "record/software/address_space.h"

namespace pgokit::record {
namespace {

constexpr u64 page_size = 4096;

bool has(const std::vector<AddressSpace::CodeFile>& files, const Mapping& mapping) {
  return std::ranges::find(files, mapping, &AddressSpace::CodeFile::mapping) != files.end();
}

}  // namespace

// It is run from the beginning, so all of it will be in use again.
void AddressSpace::inherit_code(const AddressSpace& parent) {
  cache_.set_code(parent.cache_.code());
  pages_ = parent.pages_;
  adopted_ = parent.adopted_;
  files_ = parent.files_;
  adopted_files_ = parent.adopted_files_;
  edge_numbers_ = parent.edge_numbers_;
  entered_ = parent.entered_;
  restartable_ = parent.restartable_;
  stale_ = parent.stale_;
}

std::shared_ptr<const AddressSpace::Image> AddressSpace::image() {
  if (stale_ || cache_.full() || cache_.arenas().empty()) return nullptr;
  auto file = ImageFile::read(memory_, cache_.arenas());
  if (!file) return nullptr;
  auto image = std::make_shared<Image>();
  image->file = std::move(*file);
  auto& tables = image->tables;
  tables.code = cache_.code();
  tables.pages = pages_;
  for (const auto& [address, bytes] : adopted_) tables.pages.try_emplace(address, bytes);
  for (const auto& [address, bytes] : tables.pages) image->page_list.push_back(address);
  std::ranges::sort(image->page_list);
  tables.files = files_;
  for (const auto& one : adopted_files_)
    if (!has(files_, one.mapping)) tables.files.push_back(one);
  tables.edge_numbers = edge_numbers_;
  image->restartable = restartable_;
  return image;
}

// False: they are not there now, or not all.
bool AddressSpace::map_image(StoppedThread& thread, const Image& image) {
  auto site = thread.alone ? find_call_site(mapping_site_size) : std::nullopt;
  auto path = site ? image.file.path_for(tid_) : "";
  if (path.empty()) return false;
  auto mappings = image.file.mappings();
  auto got = inject_mappings(memory_, thread, *site, path, mappings);
  if (thread.gone) return false;
  memory_.write(*site, std::vector<u8>(mapping_site_size));
  if (!got) return false;
  if (got->made == mappings.size()) return true;
  for (int error : {EACCES, EPERM, ENOENT})
    if (got->result == static_cast<u64>(-error)) image.file.refuse();
  for (size_t n = 0; n < got->made; ++n) {
    const auto& one = mappings[n];
    if (!inject(memory_, thread, *site, {SYS_munmap, {one.address, one.size}})) break;
  }
  if (!thread.gone) memory_.write(*site, std::vector<u8>(call_site_size));
  return false;
}

// In the way that is there everywhere.
bool AddressSpace::write_image(StoppedThread& thread, const Image& image) {
  const auto& arenas = image.tables.code.arenas();
  auto site = find_call_site(call_site_size);
  if (!site) return false;
  for (const auto& arena : arenas) {
    bool mapped = map_arena(thread, *site, arena.base, arena.shape);
    if (thread.gone) return false;
    memory_.write(*site, std::vector<u8>(call_site_size));
    if (!mapped) return false;
    cache_.add_arena(std::exchange(half_mapped_, 0));
  }
  for (size_t n = 0; n < arenas.size(); ++n) {
    Bytes slots = image.file.slots(n), table = image.file.table(n);
    if (!memory_.write(arenas[n].base, image.file.code(n)) ||
        (!slots.empty() && !memory_.write(arenas[n].slots(), slots)) ||
        (!table.empty() && !memory_.write(arenas[n].table(), table)))
      return stale_ = true, false;
  }
  return true;
}

bool AddressSpace::adopt(StoppedThread& thread, const Image& image,
                         std::optional<Image::Tables>& spare) {
  const auto& arenas = image.tables.code.arenas();
  if (half_mapped_ || !inherited_.empty() || !obstacle_.empty()) return true;
  auto is_free = [&](const Arena& arena) {
    return std::ranges::none_of(map_.list(), [&](const Mapping& one) {
      return one.start < arena.base + arena.shape.size() && arena.base < one.end;
    });
  };
  if (!std::ranges::all_of(arenas, is_free) || !find_call_site(call_site_size)) return true;
  if (!map_image(thread, image)) {
    if (thread.gone || thread.deliver || !write_image(thread, image)) return false;
  }
  if (!spare) spare = image.tables;
  auto tables = *std::exchange(spare, std::nullopt);
  cache_.set_code(std::move(tables.code));
  pages_ = std::move(tables.pages);
  adopted_files_ = std::move(tables.files);
  edge_numbers_ = std::move(tables.edge_numbers);
  for (const auto& one : std::exchange(restartable_, image.restartable))
    if (std::ranges::find(restartable_, one) == restartable_.end())
      restartable_.push_back(one), stale_ = true;  // it may have been copied
  verify(image.page_list);
  return thread.deliver == 0;
}

// Of a page of another process, by its bytes.
bool AddressSpace::is_same(u64 address, const Mapping& mapping) {
  std::array<u8, page_size> here;
  return mapping.is_fixed_code() && memory_.read(address, here.data(), page_size) &&
         here == *pages_.find(address)->second && (mapping.is_vdso() || !patched_.patched(address));
}

// Of those that another process had at these addresses, sorted. What is not mapped yet is verified
// when it is.
void AddressSpace::verify(std::span<const u64> addresses) {
  const Mapping* mapping = nullptr;
  bool same_file = false;
  std::vector<u64> unread;
  for (u64 at : addresses) {
    if (!mapping || at >= mapping->end) {
      mapping = map_.find(at);
      if (mapping && !(mapping->executable && mapping->readable)) mapping = nullptr;
      same_file = mapping && adopt_file(*mapping);
      if (mapping && !same_file) note_file(*mapping);
      // Of an equal page of another file, branches would be counted as that one's.
      if (mapping && !mapping->is_vdso()) stale_ |= !has(adopted_files_, *mapping);
    }
    auto page = pages_.find(at);
    if (!mapping)
      adopted_[at] = page->second, pages_.erase(page);
    else if (same_file)
      unread.push_back(at);
    else
      stale_ |= !is_same(at, *mapping);
  }
  stale_ |= patched_.any_patched(unread);
}

// Programs that unload a file and load it again mostly have it where it was.
void AddressSpace::set_aside(const Mapping& gone) {
  bool is_free = std::ranges::none_of(map_.list(), [&](const Mapping& one) {
    return one.start < gone.end && gone.start < one.end;
  });
  if (!is_free || !nobody_inside()) {
    stale_ = true;
    return;
  }
  auto file = std::ranges::find(files_, gone, &CodeFile::mapping);
  if (file == files_.end()) return;
  std::erase_if(adopted_files_, [&](const CodeFile& one) { return one.mapping == gone; });
  adopted_files_.push_back(*file), files_.erase(file);
  for (u64 at = gone.start; at < gone.end; at += page_size)
    if (auto page = pages_.find(at); page != pages_.end())
      adopted_[at] = page->second, pages_.erase(page);
  pages_listed_ = 0;
  cache_.hide({gone.start, gone.end});
}

// Another file is where one was that has been set aside.
void AddressSpace::forget_aside(const Mapping& mapping) {
  for (auto range : cache_.forget_hidden({mapping.start, mapping.end})) {
    for (u64 at = range.start; at < range.end; at += page_size) adopted_.erase(at);
    std::erase_if(adopted_files_,
                  [&](const CodeFile& one) { return one.mapping.start == range.start; });
  }
}

void AddressSpace::verify(const Mapping& mapping) {
  if (adopted_.empty()) return;
  if (!has(adopted_files_, mapping)) forget_aside(mapping);
  std::vector<u64> addresses;
  for (u64 at = mapping.start; at < mapping.end; at += page_size) {
    auto it = adopted_.find(at);
    if (it == adopted_.end()) continue;
    addresses.push_back(at);
    pages_[at] = it->second;
    adopted_.erase(it);
  }
  verify(addresses);
  cache_.show({mapping.start, mapping.end});
}

// Before the first of its pages is read.
void AddressSpace::note_file(const Mapping& mapping) {
  if (!mapping.is_fixed_code() || mapping.is_vdso() || has(files_, mapping)) return;
  files_.push_back({mapping, FileVersion::of(tid_, mapping)});
}

// The pages that the other process had of it are those of the same file.
bool AddressSpace::adopt_file(const Mapping& mapping) {
  auto theirs = std::ranges::find(adopted_files_, mapping, &CodeFile::mapping);
  if (theirs == adopted_files_.end() || !theirs->version || !mapping.is_fixed_code()) return false;
  if (FileVersion::of(tid_, mapping) != theirs->version) return false;
  if (!has(files_, mapping)) files_.push_back(*theirs);
  return true;
}

}  // namespace pgokit::record
