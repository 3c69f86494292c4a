#include "instrument/map.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <tuple>

#include "base/cursor.h"
#include "base/function_name.h"

namespace pgokit::instrument {
namespace {

constexpr size_t header_size = sizeof(mip_section_header);
static_assert(header_size == 24 && sizeof(mip_function) == 64 && sizeof(mip_block) == 12);
static_assert(sizeof(mip_site_list) == 16 && sizeof(mip_site_place) == 24);

template <class T>
T copy_at(Bytes bytes, size_t at) {
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

class MapReader {
 public:
  MapReader(Bytes section, std::optional<MapPlace> place) : section_(section), place_(place) {}

  Result<ReadMap> read() {
    make_room();
    for (size_t at = 0; skip_padding(at);) {
      if (is_header(at)) {
        TRY(check_header(at));
        at += header_size;
      } else {
        at = read_record(at);
      }
    }
    if (read_.module.functions.empty()) return nothing();
    sort();
    read_.module.make_columns();
    return std::move(read_);
  }

 private:
  // Linkers put it anywhere among the records.
  bool is_header(size_t at) const {
    return section_.size() - at >= header_size && copy_at<u32>(section_, at) == MIP_MAGIC;
  }

  Status check_header(size_t at) const {
    auto header = copy_at<mip_section_header>(section_, at);
    if (header.type != MIP_TYPE_MAP)
      return fail("its " MIP_MAP_SECTION " section has type {}, which is not that of a map",
                  header.type);
    const u32 major = header.version >> 8;
    if (major < MIP_VERSION >> 8 || major > MIP_VERSION_RELATIVE >> 8)
      return fail("the map has version {:#x}; this pgokit reads versions {:#x} to {:#x}",
                  header.version, MIP_VERSION & 0xff00, MIP_VERSION_RELATIVE | 0xff);
    if (major == MIP_VERSION_RELATIVE >> 8 && !place_)
      return fail("its addresses count from where it lies in the program: give the program");
    return {};
  }

  std::unexpected<Error> nothing() const {
    if (read_.facts.damaged)
      return fail("the map is damaged: none of its {} records can be read; {}", read_.facts.damaged,
                  read_.facts.first_damage);
    if (read_.facts.dropped_by_linker)
      return fail("the map has no function: the linker dropped all {}",
                  read_.facts.dropped_by_linker);
    return fail("the map has no function: nothing was selected for instrumentation");
  }

  // What the records hold up to the first that makes no sense, so that the columns are not moved as
  // they grow: no more than the section has.
  void make_room() {
    u64 functions = 0, blocks = 0, successors = 0, names = 0, sites = 0;
    for (size_t at = 0; skip_padding(at);) {
      if (is_header(at)) {
        at += header_size;
        continue;
      }
      if (section_.size() - at < sizeof(mip_function)) break;
      auto record = copy_at<mip_function>(section_, at);
      if (record.magic != MIP_FUNCTION_MAGIC || size_of(record) > record.record_size ||
          record.record_size > section_.size() - at)
        break;
      ++functions;
      blocks += listed(record);
      successors += record.successor_count;
      names += record.name_size;
      if (record.kinds & MIP_VALUES)
        sites += (record.record_size - size_of(record)) / sizeof(mip_site_place);
      at += record.record_size;
    }
    auto& module = read_.module;
    module.functions.reserve(functions);
    module.blocks.reserve(blocks);
    module.successors.reserve(successors);
    module.names.reserve(names);
    module.sites.reserve(sites);
  }

  static u64 listed(const mip_function& record) {
    return record.flags & MIP_BLOCK_LIST ? record.block_count : 0;
  }
  static u64 size_of(const mip_function& record) {
    u64 each = sizeof(mip_block) + (record.flags & MIP_BLOCK_ADDRESSES ? 8 : 0);
    return sizeof record + listed(record) * each + u64{record.successor_count} * 4 +
           record.name_size + (record.kinds & MIP_ORDER_LOG ? sizeof(mip_order_id) : 0) +
           (record.kinds & MIP_VALUES ? sizeof(mip_site_list) : 0);
  }

  bool skip_padding(size_t& at) const {
    while (at < section_.size() && section_[at] == 0) ++at;
    return at < section_.size();
  }

  size_t read_record(size_t at) {
    if (section_.size() - at >= sizeof(mip_function)) {
      auto record = copy_at<mip_function>(section_, at);
      if (record.magic == MIP_FUNCTION_MAGIC) {
        make_absolute(record, at);
        const char* wrong = read_function(record, at);
        if (!wrong) return at + record.record_size;
        note(at, wrong);
        return next_magic(at + 4);
      }
    }
    note(at, "no record begins here");
    return next_magic(at + 1);
  }

  // Sets what the other addresses of the record count from.
  void make_absolute(mip_function& record, size_t at) {
    base_ = 0;
    if (!(record.flags & MIP_RELATIVE)) return;
    const auto place = place_.value_or(MapPlace{});
    base_ = place.map + at;
    record.flags &= ~u32{MIP_RELATIVE};
    record.raw_start = place.raw;
    record.raw_box = record.raw_box ? record.raw_box + base_ : place.raw;
    if (!(record.flags & (MIP_CHECKSUM | MIP_TABLE))) record.address += base_;
  }

  void note(size_t at, const char* what) {
    if (read_.facts.damaged++ == 0)
      read_.facts.first_damage = fmt::format("offset {:#x}: {}", at, what);
  }

  size_t next_magic(size_t at) const {
    const u32 magic = MIP_FUNCTION_MAGIC;
    if (at >= section_.size()) return section_.size();
    const void* found = memmem(section_.data() + at, section_.size() - at, &magic, sizeof magic);
    return found ? static_cast<size_t>(static_cast<const u8*>(found) - section_.data())
                 : section_.size();
  }

  // What is wrong with it; null: nothing.
  const char* read_function(const mip_function& record, size_t at) {
    u64 blocks = listed(record);
    u64 addresses = record.flags & MIP_BLOCK_ADDRESSES ? blocks : 0;
    if (size_of(record) > record.record_size)
      return "the parts of a record are larger than the record";
    if (record.record_size > section_.size() - at) return "a record ends past the section";
    if (record.flags & MIP_CHECKSUM) return read_checksum(record, at);
    if (record.flags & MIP_TABLE) return read_table(record, at);
    if (record.address == 0 || record.address == ~u64{0}) {
      ++read_.facts.dropped_by_linker;
      return nullptr;
    }
    if (record.kinds & ~u32{MIP_ALL_KINDS}) return "a function has kinds that are not known";
    if (record.kinds & MIP_ORDER_CALLS && !(record.kinds & MIP_COVERAGE))
      return "a function's order is logged without the byte that tells whether it ran";
    if (!blocks && (record.successor_count || record.counter_count))
      return "a function has counters of blocks but no blocks";
    if (record.counter_count > record.block_count)
      return "a function has more counters than blocks";
    if (record.raw_box < record.raw_start) return "counters lie before their section";
    if (seen_ && record.raw_start != read_.module.raw_address)
      return "a function's counters are in another section than those of the others";
    if (record.address > ~u64{0} - record.function_size)
      return "a function ends past all addresses";

    if (const char* wrong = check_sites(record, at)) return wrong;
    if (const char* wrong = check_source_name(record, at)) return wrong;
    const u64 end = end_of_site_numbers(record, at);
    if (end > record.record_size) return "the numbers of sites are cut off";
    if ((record.flags & MIP_OWN_CHECKSUM) && record.record_size - end < 8)
      return "a function's checksum is cut off";
    Cursor in(section_.subspan(at + sizeof record, record.record_size - sizeof record));
    size_t first_block = read_.module.blocks.size();
    size_t first_successor = read_.module.successors.size();
    if (const char* wrong = read_blocks(record, blocks, addresses, in)) {
      read_.module.blocks.resize(first_block);
      read_.module.successors.resize(first_successor);
      return wrong;
    }
    seen_ = true;
    read_.module.raw_address = record.raw_start;
    add_function(record, first_block, in);
    add_sites(record, at);
    add_source(record, at);
    add_site_numbers(record, at);
    return nullptr;
  }

  const char* read_blocks(const mip_function& record, u64 blocks, u64 addresses, Cursor& in) {
    struct ListedBlock {
      Le<u32> offset, counter, successor_count;
    };
    auto list = in.array<ListedBlock>(blocks);
    auto successors = in.array<Le<u32>>(record.successor_count);
    auto places = in.array<Le<u64>>(addresses);
    u64 first = read_.module.successors.size(), sum = 0;
    for (size_t i = 0; i < list.size(); ++i) {
      const auto& block = list[i];
      if (block.counter >= record.counter_count && block.counter < MIP_FROM_FLOW)
        return "a block's counter is past the function's last one";
      u64 address = places.empty() ? record.address + block.offset : u64{places[i]} + base_;
      if (places.empty() && record.function_size && block.offset > record.function_size)
        return "a block lies behind its function";
      read_.module.blocks.push_back(
          {address, block.counter, static_cast<u32>(first + sum), block.successor_count});
      sum += block.successor_count;
      if (sum > record.successor_count) return "blocks have more successors than their function";
    }
    if (sum != record.successor_count) return "blocks have fewer successors than their function";
    for (u32 successor : successors) {
      if (successor >= blocks) return "a successor is past the function's last block";
      read_.module.successors.push_back(successor);
    }
    return nullptr;
  }

  void add_function(const mip_function& record, size_t first_block, Cursor& in) {
    struct OrderId {
      Le<u32> module, function;
    };
    auto& module = read_.module;
    const Bytes name = in.bytes(record.name_size);
    const auto id = in.array<OrderId>(record.kinds & MIP_ORDER_LOG ? 1 : 0);
    Function function{.address = record.address,
                      .box = record.raw_box - record.raw_start,
                      .size = record.function_size,
                      .signature = record.signature,
                      .kinds = record.kinds,
                      .flags = record.flags,
                      .block_count = record.block_count,
                      .counter_count = record.counter_count,
                      .first_block = static_cast<u32>(first_block),
                      .first_counter = static_cast<u32>(module.counters),
                      .name = static_cast<u32>(module.names.size()),
                      .name_size = static_cast<u32>(name.size())};
    if (!id.empty()) function.order_module = id[0].module, function.order_number = id[0].function;
    module.counters += record.counter_count;
    module.names += as_text(name);
    module.functions.push_back(function);
  }

  // Behind all that the record has without them.
  const char* check_sites(const mip_function& record, size_t at) const {
    if (!(record.kinds & MIP_VALUES)) return nullptr;
    const u64 size = size_of(record);
    auto list = copy_at<mip_site_list>(section_, at + size - sizeof(mip_site_list));
    if (list.site_count * u64{sizeof(mip_site_place)} + list.text_size > record.record_size - size)
      return "a function has more sites than its record";
    if (raw_sites(list, record) < record.raw_start) return "sites lie before their section";
    u64 names = 0;
    for (u32 i = 0; i < list.site_count; ++i) {
      auto place = site_at(at + size, i);
      if (std::popcount(place.kind) != 1 || !(place.kind & record.kinds & MIP_VALUES))
        return "a site has a kind that its function does not have";
      names += place.name_size;
    }
    return names > list.text_size ? "names of sites are longer than their text" : nullptr;
  }

  u64 raw_sites(const mip_site_list& list, const mip_function& record) const {
    return base_ && !list.raw_sites ? record.raw_start : list.raw_sites + base_;
  }

  mip_site_place site_at(size_t places, u32 number) const {
    return copy_at<mip_site_place>(section_, places + u64{number} * sizeof(mip_site_place));
  }

  void add_sites(const mip_function& record, size_t at) {
    if (!(record.kinds & MIP_VALUES)) return;
    auto& module = read_.module;
    const size_t places = at + size_of(record);
    auto list = copy_at<mip_site_list>(section_, places - sizeof(mip_site_list));
    const size_t text = places + u64{list.site_count} * sizeof(mip_site_place);
    const u64 raw = raw_sites(list, record);
    module.functions.back().site_count = list.site_count;
    u32 name = static_cast<u32>(module.site_names.size());
    for (u32 i = 0; i < list.site_count; ++i) {
      auto place = site_at(places, i);
      module.sites.push_back({.address = place.address + base_,
                              .raw = raw - record.raw_start + u64{i} * sizeof(mip_site),
                              .kind = place.kind,
                              .function = static_cast<u32>(module.functions.size() - 1),
                              .line = place.line,
                              .column = place.column,
                              .name = name,
                              .name_size = place.name_size});
      name += place.name_size;
    }
    module.site_names += as_text(section_.subspan(text, name - module.site_names.size()));
  }

  const char* read_checksum(const mip_function& record, size_t at) {
    const u64 name_end = sizeof record + u64{record.name_size};
    if (name_end + 8 > record.record_size) return "a checksum is cut off";
    add_source(as_text(section_.subspan(at + sizeof record, record.name_size)),
               copy_at<u64>(section_, at + name_end));
    return nullptr;
  }

  const char* read_table(const mip_function& record, size_t at) {
    const u64 name_end = sizeof record + u64{record.name_size};
    if (name_end + sizeof(mip_table) > record.record_size) return "a table is cut off";
    auto place = copy_at<mip_table>(section_, at + name_end);
    if (place.address == 0 || place.address == ~u64{0}) return nullptr;  // the linker dropped it
    place.address += base_;
    if (place.size > ~u64{0} - place.address) return "a table ends past all addresses";
    auto& module = read_.module;
    module.tables.push_back(
        {place.address, place.size, static_cast<u32>(module.table_names.size()), record.name_size});
    module.table_names += as_text(section_.subspan(at + sizeof record, record.name_size));
    return nullptr;
  }

  // Modules repeat those that they share. Of several at one address (folded by the linker) the
  // first by name.
  void sort_tables() {
    auto& module = read_.module;
    std::ranges::sort(module.tables, {}, [&](const Table& t) {
      return std::tuple(t.address, module.name(t), t.size);
    });
    auto [rest, end] = std::ranges::unique(module.tables, {}, &Table::address);
    module.tables.erase(rest, end);
  }

  void add_source(std::string_view name, u64 checksum) {
    auto& module = read_.module;
    module.sources.push_back(
        {static_cast<u32>(module.source_texts.size()), static_cast<u32>(name.size()), checksum});
    module.source_texts += name;
  }

  // Where the sites of a record end, which have been checked.
  u64 end_of_sites(const mip_function& record, size_t at) const {
    const u64 size = size_of(record);
    if (!(record.kinds & MIP_VALUES)) return size;
    auto list = copy_at<mip_site_list>(section_, at + size - sizeof(mip_site_list));
    return size + u64{list.site_count} * sizeof(mip_site_place) + list.text_size;
  }

  const char* check_source_name(const mip_function& record, size_t at) const {
    if (!(record.flags & MIP_SOURCE_NAME)) return nullptr;
    const u64 end = end_of_sites(record, at), rest = record.record_size - end;
    return rest < 4 || copy_at<u32>(section_, at + end) > rest - 4
               ? "a function's name in the source is cut off"
               : nullptr;
  }

  // The name in the source is that of the symbol where no other is told.
  void add_source(const mip_function& record, size_t at) {
    auto& module = read_.module;
    const u64 checksum = record.flags & MIP_OWN_CHECKSUM
                             ? copy_at<u64>(section_, at + end_of_site_numbers(record, at))
                             : 0;
    if (record.flags & MIP_SOURCE_NAME) {
      const u64 end = at + end_of_sites(record, at);
      module.functions.back().source = static_cast<u32>(module.sources.size());
      add_source(as_text(section_.subspan(end + 4, copy_at<u32>(section_, end))), checksum);
    } else if (checksum) {
      add_source(std::string(canonical_function_name(module.name(module.functions.back()))),
                 checksum);
    }
  }

  // Where it ends, which has been checked.
  u64 end_of_source_name(const mip_function& record, size_t at) const {
    const u64 end = end_of_sites(record, at);
    return record.flags & MIP_SOURCE_NAME ? end + 4 + copy_at<u32>(section_, at + end) : end;
  }

  u64 numbers_of_sites(const mip_function& record, size_t at) const {
    if (!(record.flags & MIP_SITE_NUMBERS) || !(record.kinds & MIP_VALUES)) return 0;
    return copy_at<mip_site_list>(section_, at + size_of(record) - sizeof(mip_site_list))
        .site_count;
  }

  u64 end_of_site_numbers(const mip_function& record, size_t at) const {
    return end_of_source_name(record, at) + 4 * numbers_of_sites(record, at);
  }

  void add_site_numbers(const mip_function& record, size_t at) {
    auto& sites = read_.module.sites;
    const size_t numbers = numbers_of_sites(record, at),
                 first = at + end_of_source_name(record, at);
    for (size_t i = 0; i < numbers; ++i)
      sites[sites.size() - numbers + i].number = copy_at<u32>(section_, first + 4 * i);
  }

  // As the functions are now, whose `first_site` was where they had been.
  void sort_sites() {
    auto& module = read_.module;
    constexpr u32 gone = ~u32{0};
    std::vector<u32> place(functions_read_, gone);
    for (u32 i = 0; i < module.functions.size(); ++i) place[module.functions[i].first_site] = i;
    for (auto& site : module.sites) site.function = place[site.function];
    std::erase_if(module.sites, [](const Site& site) { return site.function == gone; });
    std::ranges::sort(module.sites, {},
                      [](const Site& s) { return std::tuple(s.function, s.raw); });
    u32 first = 0;
    for (auto& function : module.functions) {
      function.first_site = first;
      first += function.site_count;
    }
  }

  // By address; a record that is there twice counts once.
  void sort() {
    auto& functions = read_.module.functions;
    functions_read_ = static_cast<u32>(functions.size());
    for (u32 i = 0; i < functions_read_; ++i) functions[i].first_site = i;
    auto key = [](const Function& f) {
      return std::tuple(f.address, f.box, f.first_block, f.name);
    };
    std::ranges::sort(functions, {}, key);
    auto [rest, end] = std::ranges::unique(functions, [](const Function& a, const Function& b) {
      return a.address == b.address && a.box == b.box;
    });
    functions.erase(rest, end);
    sort_sites();
    sort_tables();
    read_.module.sort_sources();
  }

  Bytes section_;
  std::optional<MapPlace> place_;
  u64 base_ = 0;  // of the addresses of the record that is read
  ReadMap read_;
  bool seen_ = false;
  u32 functions_read_ = 0;
};

}  // namespace

bool looks_like_map_section(Bytes bytes) {
  if (bytes.size() < header_size) return false;
  auto header = copy_at<mip_section_header>(bytes, 0);
  return header.magic == MIP_FUNCTION_MAGIC ||
         (header.magic == MIP_MAGIC && header.type == MIP_TYPE_MAP);
}

bool has_map(const object::File& file) { return file.section(MIP_MAP_SECTION); }

Result<ReadMap> read_map_section(Bytes section, std::optional<MapPlace> place) {
  if (section.size() > ~u32{0})
    return fail("its map has {} bytes; 4 GB are the most", section.size());
  return MapReader(section, place).read();
}

Result<ReadMap> read_map(const std::string& path, const object::File& file) {
  const auto* section = file.section(MIP_MAP_SECTION);
  if (!section) {
    if (file.section(MIP_RAW_SECTION))
      return fail(
          "it is instrumented but has no map ({}): it was taken away; give the unstripped program "
          "or "
          "its .debug file",
          MIP_MAP_SECTION);
    return fail(
        "it is not instrumented: neither {} nor {} is in it ('pgokit flags' tells how to "
        "build it)",
        MIP_RAW_SECTION, MIP_MAP_SECTION);
  }
  if (file.is_relocatable())
    return fail("it is an object file: functions have no addresses before they are linked");
  auto contents = TRY(file.contents(*section));
  const auto* raw = file.section(MIP_RAW_SECTION);
  auto read = TRY(read_map_section(contents, MapPlace{section->address, raw ? raw->address : 0}));
  read.module.build_id = as_text(file.build_id());
  read.module.path = path;
  read.module.machine = file.machine();
  return read;
}

Result<ReadMap> read_map(const std::string& path, Bytes bytes) {
  if (looks_like_map_section(bytes)) {
    auto read = TRY(read_map_section(bytes));
    read.module.path = path;
    return read;
  }
  if (bytes.empty()) return fail("it is empty");
  if (!object::File::recognizes(bytes))
    return fail("neither a program nor a map section (objcopy --dump-section)");
  auto file = TRY(object::File::parse(bytes));
  return read_map(path, file);
}

}  // namespace pgokit::instrument
