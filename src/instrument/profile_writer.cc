#include <zlib.h>

#include <algorithm>

#include "instrument/profile_file.h"
#include "instrument/profile_layout.h"

namespace pgokit::instrument {
namespace {

class ProfileWriter {
 public:
  std::string write(const Profile& profile) {
    FileHeader header{.magic = profile_magic, .version = profile_version, .zero = 0, .crc = 0};
    add(header);
    for (const auto& module : profile.modules) {
      size_t chunk = begin(module_chunk, 1);
      add_module(module);
      end(chunk);
    }
    size_t chunk = begin(edges_chunk, sizeof(FileEdge));
    for (const auto& e : profile.edges)
      add(FileEdge{e.from_module, e.to_module, e.from, e.to, e.samples, e.calls});
    end(chunk);
    if (!profile.values.empty()) {
      chunk = begin(values_chunk, sizeof(FileValue));
      for (const auto& v : profile.values)
        add(FileValue{v.module, v.site, v.to_module, 0, v.value, v.count});
      end(chunk);
    }
    Le<u32> crc = profile_crc(as_bytes(out_));
    std::memcpy(out_.data() + profile_crc_offset, &crc, sizeof crc);
    return std::move(out_);
  }

 private:
  template <class T>
  void add(const T& value) {
    static_assert(alignof(T) == 1);
    out_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }

  size_t begin(ChunkKind kind, u32 entry_size) {
    size_t at = out_.size();
    add(Chunk{kind, entry_size, 0});
    return at;
  }
  void end(size_t chunk) {
    Le<u64> size = out_.size() - chunk - sizeof(Chunk);
    std::memcpy(out_.data() + chunk + offsetof(Chunk, size), &size, sizeof size);
    out_.resize((out_.size() + 7) & ~size_t{7});
  }

  void add_text(ChunkKind kind, std::string_view text) {
    size_t chunk = begin(kind, 1);
    out_ += text;
    end(chunk);
  }

  void add_module(const Module& module) {
    add_text(build_id_chunk, module.build_id);
    add_text(path_chunk, module.path);
    size_t chunk = begin(facts_chunk, sizeof(FileFacts));
    FileFacts facts{.machine = module.machine,
                    .zero = 0,
                    .raw_address = module.raw_address,
                    .dumps = module.data.dumps,
                    .dropped = {}};
    std::ranges::copy(module.data.dropped, facts.dropped);
    add(facts);
    end(chunk);
    add_functions(module);
    add_blocks(module);
    add_sites(module);
    add_sources(module);
    add_tables(module);
    add_data(module);
  }

  void add_sites(const Module& module) {
    if (module.sites.empty()) return;
    size_t chunk = begin(sites_chunk, sizeof(FileSite));
    for (const auto& s : module.sites)
      add(FileSite{s.address, s.raw, s.kind, s.function, s.line, s.column, s.name_size, s.number});
    end(chunk);
    chunk = begin(site_names_chunk, 1);
    for (const auto& s : module.sites)
      out_ += std::string_view(module.site_names).substr(s.name, s.name_size);
    end(chunk);
    add_column(values_dropped_chunk, module.data.values_dropped);
  }

  void add_sources(const Module& module) {
    if (module.sources.empty()) return;
    size_t chunk = begin(sources_chunk, sizeof(FileSource));
    for (const auto& s : module.sources) add(FileSource{s.checksum, s.name_size, 0});
    end(chunk);
    chunk = begin(source_texts_chunk, 1);
    for (const auto& s : module.sources) out_ += module.name(s);
    end(chunk);
    chunk = begin(function_sources_chunk, 4);
    for (const auto& f : module.functions) add(Le<u32>(f.source + 1));  // none: 0
    end(chunk);
  }

  void add_tables(const Module& module) {
    if (module.tables.empty()) return;
    size_t chunk = begin(tables_chunk, sizeof(FileTable));
    for (const auto& t : module.tables) add(FileTable{t.address, t.size, t.name_size, 0});
    end(chunk);
    chunk = begin(table_names_chunk, 1);
    for (const auto& t : module.tables) out_ += module.name(t);
    end(chunk);
  }

  void add_functions(const Module& module) {
    size_t chunk = begin(functions_chunk, sizeof(FileFunction));
    for (const auto& f : module.functions) {
      u32 successors = 0;
      for (const auto& block : module.blocks_of(f)) successors += block.successor_count;
      add(FileFunction{f.address, f.box, f.size, f.signature, f.kinds, f.flags, f.block_count,
                       f.counter_count, successors, f.name_size});
    }
    end(chunk);
    chunk = begin(names_chunk, 1);
    for (const auto& function : module.functions) out_ += module.name(function);
    end(chunk);
    if (module.all_kinds() & MIP_ORDER_LOG) {
      chunk = begin(order_ids_chunk, sizeof(FileOrderId));
      for (const auto& f : module.functions) add(FileOrderId{f.order_module, f.order_number});
      end(chunk);
    }
  }

  void add_blocks(const Module& module) {
    size_t chunk = begin(blocks_chunk, sizeof(FileBlock));
    for (const auto& function : module.functions)
      for (const auto& block : module.blocks_of(function))
        add(FileBlock{block.address, block.counter, block.successor_count});
    end(chunk);
    chunk = begin(successors_chunk, 4);
    for (const auto& function : module.functions)
      for (const auto& block : module.blocks_of(function))
        for (u32 successor : module.successors_of(block)) add(Le<u32>(successor));
    end(chunk);
  }

  void add_data(const Module& module) {
    const auto& data = module.data;
    add_column(ran_chunk, data.ran);
    add_column(calls_chunk, data.calls);
    if (std::ranges::any_of(data.first, [](const FirstRuns& f) { return f.dumps > 0; })) {
      size_t chunk = begin(first_chunk, sizeof(FileFirst));
      for (const auto& f : data.first) add(FileFirst{f.dumps, f.rank_sum, f.microseconds});
      end(chunk);
    }
    add_counters(executions_chunk, module, data.executions);
    add_counters(block_ran_chunk, module, data.block_ran);
  }

  // A column of zeros is left out.
  void add_column(ChunkKind kind, const std::vector<u64>& column) {
    if (std::ranges::all_of(column, [](u64 value) { return value == 0; })) return;
    size_t chunk = begin(kind, 8);
    for (u64 value : column) add(Le<u64>(value));
    end(chunk);
  }

  // In the order of functions, whatever that of their counters in memory.
  void add_counters(ChunkKind kind, const Module& module, const std::vector<u64>& column) {
    if (std::ranges::all_of(column, [](u64 value) { return value == 0; })) return;
    size_t chunk = begin(kind, 8);
    for (const auto& f : module.functions)
      for (u32 i = 0; i < f.counter_count; ++i) add(Le<u64>(column[f.first_counter + i]));
    end(chunk);
  }

  std::string out_;
};

}  // namespace

u32 profile_crc(Bytes file) {
  Bytes contents = file.subspan(sizeof(FileHeader));
  return static_cast<u32>(crc32_z(0, contents.data(), contents.size()));
}

std::string write_profile(const Profile& profile) { return ProfileWriter().write(profile); }

}  // namespace pgokit::instrument
