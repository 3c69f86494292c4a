#include <algorithm>
#include <bit>

#include "instrument/profile_file.h"
#include "instrument/profile_layout.h"

namespace pgokit::instrument {
namespace {

static_assert(sizeof(FileHeader) == 16 && offsetof(FileHeader, crc) == profile_crc_offset);

struct Part {
  u32 kind = 0;
  u32 entry_size = 0;
  Bytes bytes;
};

Result<Part> next_part(Cursor& in) {
  const auto header = in.array<Chunk>(1);
  if (!in.ok()) return fail("a part ends in its header");
  Part part{header[0].kind, header[0].entry_size, in.bytes(header[0].size)};
  if (!in.ok()) return fail("part {} ends past the file", part.kind);
  in.skip(std::min<u64>(in.left(), (8 - part.bytes.size() % 8) % 8));
  return part;
}

// The entries of a part, each of which may be longer than what is known of it; `grown` gets room
// for what they are taken to.
template <class T, class Grown, class Take>
Status each(const Part& part, Grown& grown, Take take) {
  if (part.entry_size < sizeof(T) || part.bytes.size() % part.entry_size)
    return fail("part {} has entries of {} bytes", part.kind, part.entry_size);
  grown.reserve(grown.size() + part.bytes.size() / part.entry_size);
  for (size_t at = 0; at < part.bytes.size(); at += part.entry_size)
    take(*reinterpret_cast<const T*>(part.bytes.data() + at));
  return {};
}

class ModuleReader {
 public:
  Result<Module> read(Bytes bytes) {
    Cursor in(bytes);
    while (!in.at_end()) {
      auto part = TRY(next_part(in));
      TRY(take(part));
    }
    TRY(divide());
    TRY(number());
    TRY(divide_sites());
    TRY(divide_sources());
    TRY(divide_tables());
    TRY(check_columns());
    module_.make_columns();
    return std::move(module_);
  }

 private:
  Status take(const Part& part) {
    auto& data = module_.data;
    switch (part.kind) {
      case build_id_chunk:
        module_.build_id = as_text(part.bytes);
        return {};
      case path_chunk:
        module_.path = as_text(part.bytes);
        return {};
      case names_chunk:
        module_.names = as_text(part.bytes);
        return {};
      case facts_chunk:
        return take_facts(part);
      case functions_chunk:
        return take_functions(part);
      case blocks_chunk:
        return each<FileBlock>(part, module_.blocks, [&](const FileBlock& b) {
          module_.blocks.push_back({b.address, b.counter, 0, b.successor_count});
        });
      case successors_chunk:
        return each<Le<u32>>(part, module_.successors,
                             [&](u32 value) { module_.successors.push_back(value); });
      case order_ids_chunk:
        return each<FileOrderId>(part, order_ids_,
                                 [&](const FileOrderId& id) { order_ids_.push_back(id); });
      case first_chunk:
        return each<FileFirst>(part, data.first, [&](const FileFirst& f) {
          data.first.push_back({f.dumps, f.rank_sum, f.microseconds});
        });
      case site_names_chunk:
        module_.site_names = as_text(part.bytes);
        return {};
      case sites_chunk:
        return each<FileSite>(part, module_.sites, [&](const FileSite& s) {
          module_.sites.push_back(
              {s.address, s.raw, s.kind, s.function, s.line, s.column, 0, s.name_size, s.number});
        });
      case sources_chunk:
        return each<FileSource>(part, module_.sources, [&](const FileSource& s) {
          module_.sources.push_back({0, s.name_size, s.checksum});
        });
      case source_texts_chunk:
        module_.source_texts = as_text(part.bytes);
        return {};
      case tables_chunk:
        return each<FileTable>(part, module_.tables, [&](const FileTable& t) {
          module_.tables.push_back({t.address, t.size, 0, t.name_size});
        });
      case table_names_chunk:
        module_.table_names = as_text(part.bytes);
        return {};
      case function_sources_chunk:
        return each<Le<u32>>(part, function_sources_,
                             [&](u32 number) { function_sources_.push_back(number); });
      case values_dropped_chunk:
        return take_column(part, data.values_dropped);
      case ran_chunk:
        return take_column(part, data.ran);
      case calls_chunk:
        return take_column(part, data.calls);
      case executions_chunk:
        return take_column(part, data.executions);
      case block_ran_chunk:
        return take_column(part, data.block_ran);
      default:
        return {};
    }
  }

  static Status take_column(const Part& part, std::vector<u64>& column) {
    return each<Le<u64>>(part, column, [&](u64 value) { column.push_back(value); });
  }

  Status take_facts(const Part& part) {
    Cursor in(part.bytes);
    const auto facts = in.array<FileFacts>(1);
    if (!in.ok()) return fail("part {} has {} bytes", part.kind, part.bytes.size());
    module_.machine = static_cast<u16>(facts[0].machine);
    module_.raw_address = facts[0].raw_address;
    module_.data.dumps = facts[0].dumps;
    std::ranges::copy(facts[0].dropped, module_.data.dropped);
    return {};
  }

  Status take_functions(const Part& part) {
    return each<FileFunction>(part, module_.functions, [&](const FileFunction& f) {
      module_.functions.push_back({.address = f.address,
                                   .box = f.box,
                                   .size = f.size,
                                   .signature = f.signature,
                                   .kinds = f.kinds,
                                   .flags = f.flags,
                                   .block_count = f.block_count,
                                   .counter_count = f.counter_count,
                                   .name_size = f.name_size});
      successor_counts_.push_back(f.successor_count);
    });
  }

  // Each function gets its blocks, counters and name: they lie one behind the other.
  Status divide() {
    u64 block = 0, counter = 0, successor = 0, name = 0;
    u64 last_address = 0;
    for (size_t i = 0; i < module_.functions.size(); ++i) {
      auto& function = module_.functions[i];
      if (function.address < last_address) return fail("its functions are not in order");
      last_address = function.address;
      TRY(check(function));
      function.first_block = static_cast<u32>(block);
      function.first_counter = static_cast<u32>(counter);
      function.name = static_cast<u32>(name);
      if (function.has_blocks()) block += function.block_count;
      counter += function.counter_count;
      name += function.name_size;
      if (block > module_.blocks.size() || name > module_.names.size())
        return fail("function {} has blocks or a name past the end of theirs", i);
      TRY(divide_successors(function, successor, successor_counts_[i]));
    }
    if (block != module_.blocks.size() || successor != module_.successors.size() ||
        name != module_.names.size())
      return fail("there are blocks, successors or names that no function has");
    module_.counters = counter;
    return {};
  }

  // Functions get the numbers under which a log names them.
  Status number() {
    if (order_ids_.empty()) return {};
    if (order_ids_.size() != module_.functions.size())
      return fail("it has numbers for {} functions and {} functions", order_ids_.size(),
                  module_.functions.size());
    for (size_t i = 0; i < order_ids_.size(); ++i) {
      module_.functions[i].order_module = order_ids_[i].module;
      module_.functions[i].order_number = order_ids_[i].function;
    }
    return {};
  }

  Status divide_sites() {
    u64 name = 0;
    for (u32 i = 0; i < module_.sites.size(); ++i) {
      auto& site = module_.sites[i];
      if (site.function >= module_.functions.size() ||
          (i > 0 && site.function < module_.sites[i - 1].function))
        return fail("its sites are not in the order of functions");
      if (std::popcount(site.kind) != 1 || !(site.kind & MIP_VALUES))
        return fail("a site has kind {:#x}", site.kind);
      site.name = static_cast<u32>(name);
      name += site.name_size;
      ++module_.functions[site.function].site_count;
    }
    u32 first = 0;
    for (auto& function : module_.functions) {
      function.first_site = first;
      first += function.site_count;
    }
    if (name != module_.site_names.size()) return fail("names of sites do not belong to them");
    return {};
  }

  Status divide_sources() {
    u64 name = 0;
    for (auto& source : module_.sources) {
      source.name = static_cast<u32>(name);
      name += source.name_size;
      if (name > module_.source_texts.size()) break;
    }
    if (name != module_.source_texts.size()) return fail("names of sources do not belong to them");
    if (!std::ranges::is_sorted(module_.sources, {},
                                [&](const Source& s) { return module_.name(s); }))
      return fail("its sources are not in order");
    if (function_sources_.empty()) return {};
    if (function_sources_.size() != module_.functions.size())
      return fail("it has sources for {} functions and {} functions", function_sources_.size(),
                  module_.functions.size());
    for (size_t i = 0; i < function_sources_.size(); ++i) {
      if (function_sources_[i] > module_.sources.size())
        return fail("a function has a source past the last one");
      module_.functions[i].source = function_sources_[i] - 1;  // 0: none
    }
    return {};
  }

  Status divide_tables() {
    u64 name = 0, last = 0;
    for (auto& table : module_.tables) {
      if (table.address <= last || table.size > ~u64{0} - table.address)
        return fail("its tables of functions are not in order");
      last = table.address;
      table.name = static_cast<u32>(name);
      name += table.name_size;
    }
    if (name != module_.table_names.size()) return fail("names of tables do not belong to them");
    return {};
  }

  static Status check(const Function& function) {
    if (function.address == 0 || function.address > ~u64{0} - function.size)
      return fail("a function has address {:#x}", function.address);
    if (function.kinds & ~u32{MIP_ALL_KINDS})
      return fail("a function has kinds {:#x}, which are not known", function.kinds);
    if (function.counter_count > (function.has_blocks() ? function.block_count : 0))
      return fail("a function has more counters than blocks");
    return {};
  }

  Status divide_successors(const Function& function, u64& successor, u64 count) {
    u64 end = successor + count;
    if (end > module_.successors.size()) return fail("a function has successors past their end");
    for (u32 i = 0; function.has_blocks() && i < function.block_count; ++i) {
      auto& block = module_.blocks[function.first_block + i];
      if (block.counter >= function.counter_count && block.counter < MIP_FROM_FLOW)
        return fail("a block's counter is past those of its function");
      block.first_successor = static_cast<u32>(successor);
      if (block.successor_count > end - successor)
        return fail("blocks have more successors than their function");
      for (u32 k = 0; k < block.successor_count; ++k)
        if (module_.successors[successor + k] >= function.block_count)
          return fail("a successor is past the last block of its function");
      successor += block.successor_count;
    }
    if (successor != end) return fail("blocks have fewer successors than their function");
    return {};
  }

  Status check_columns() const {
    const auto& data = module_.data;
    size_t functions = module_.functions.size();
    auto is = [](size_t size, size_t wanted) { return size == 0 || size == wanted; };
    if (!is(data.ran.size(), functions) || !is(data.calls.size(), functions) ||
        !is(data.first.size(), functions) || !is(data.executions.size(), module_.counters) ||
        !is(data.block_ran.size(), module_.counters) ||
        !is(data.values_dropped.size(), module_.sites.size()))
      return fail("its columns have different lengths");
    return {};
  }

  Module module_;
  std::vector<u32> successor_counts_;
  std::vector<FileOrderId> order_ids_;
  std::vector<u32> function_sources_;
};

Status check_values(const Profile& profile) {
  for (const auto& value : profile.values)
    if (value.module >= profile.modules.size() ||
        value.site >= profile.modules[value.module].sites.size() ||
        (value.to_module >= profile.modules.size() && value.to_module != SiteValue::nowhere))
      return fail("a value belongs to a program or site that is not in it");
  return {};
}

}  // namespace

bool is_profile(Bytes bytes) {
  return bytes.size() >= 8 && Cursor(bytes).get<u64>() == profile_magic;
}

Result<Profile> read_profile(Bytes bytes) {
  Cursor in(bytes);
  const auto header = in.array<FileHeader>(1);
  if (!in.ok() || header[0].magic != profile_magic) return fail("not an instrumented profile");
  if (header[0].version >> 8 != profile_version >> 8)
    return fail("the profile has version {:#x}; this pgokit reads {:#x} to {:#x}",
                u16{header[0].version}, profile_version & 0xff00, profile_version | 0xff);
  if (header[0].crc != profile_crc(bytes))
    return fail("its checksum is wrong: the file is damaged or cut short");
  Profile profile;
  while (!in.at_end()) {
    auto part = TRY(next_part(in));
    if (part.kind == module_chunk) {
      auto place = fmt::format("program {}", profile.modules.size() + 1);
      profile.modules.push_back(TRY_IN(place, ModuleReader().read(part.bytes)));
    } else if (part.kind == values_chunk) {
      TRY(each<FileValue>(part, profile.values, [&](const FileValue& v) {
        profile.values.push_back({v.module, v.site, v.to_module, v.value, v.count});
      }));
    } else if (part.kind == edges_chunk) {
      TRY(each<FileEdge>(part, profile.edges, [&](const FileEdge& e) {
        profile.edges.push_back({e.from_module, e.to_module, e.from, e.to, e.samples, e.calls});
      }));
    }
  }
  TRY(check_values(profile));
  for (const auto& edge : profile.edges)
    if (edge.from_module >= profile.modules.size() || edge.to_module >= profile.modules.size())
      return fail("a call belongs to a program that is not in it");
  return profile;
}

}  // namespace pgokit::instrument
