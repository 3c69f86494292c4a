#pragma once

// Maps, dumps and instrumented programs for tests.
//
//   test::MapBuilder map;
//   map.function({.name = "main", .address = 0x1000, .kinds = MIP_COVERAGE});
//   std::string program = map.program("\x01\x02");
//   std::string dump = test::DumpBuilder{.build_id = "\x01\x02", .raw =
//   map.raw({{"\0"}})}.record();

#include <cstring>
#include <string>
#include <vector>

#include "instrument/dump.h"
#include "test/support/elf_builder.h"

namespace pgokit::test {

template <class T>
std::string bytes_of(const T& value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

struct MapBlock {
  u32 offset = 0, counter = 0;
  std::vector<u32> successors = {};
};

struct MapSite {
  u64 address = 0;
  u32 kind = MIP_TARGETS;
  u32 line = 1, column = 2;
  std::string function = {};
  u32 number = 0;  // in the source; not 0 of any: MIP_SITE_NUMBERS
};

struct MapFunction {
  std::string name = {};
  u64 address = 0;
  u32 size = 16;
  u32 kinds = MIP_COVERAGE;
  u32 flags = 0;  // MIP_BLOCK_LIST is set where there are blocks
  u32 counters = 0;
  std::vector<MapBlock> blocks = {};
  u32 signature = 0x5157;
  mip_order_id order_id = {};  // of MIP_ORDER_LOG
  std::vector<MapSite> sites = {};
  std::string source = {};  // of a local function: "FILE;NAME"
  u64 checksum = 0;         // in the source; not 0: MIP_OWN_CHECKSUM
  u64 counts_from = 0;      // where the record lies: MIP_RELATIVE
};

class MapBuilder {
 public:
  static constexpr u64 raw_address = 0x8000;

  static std::string header(u16 type, u16 version = MIP_VERSION) {
    return bytes_of(mip_section_header{MIP_MAGIC, version, type, 0, 0, 0, 24});
  }

  // Its box follows that of the function before, and its sites the box.
  MapBuilder& function(const MapFunction& f) {
    box_ = (box_ + 7) & ~u64{7};
    records_ += record(f, raw_address + box_);
    box_ += mip_box_size(f.kinds, f.counters);
    if (!f.sites.empty()) box_ = ((box_ + 7) & ~u64{7}) + f.sites.size() * sizeof(mip_site);
    return *this;
  }
  MapBuilder& bytes(std::string_view text) { return records_ += text, *this; }

  std::string section() const { return header(MIP_TYPE_MAP) + records_; }
  std::string program(std::string_view build_id) const {
    ElfBuilder elf;
    elf.section(MIP_MAP_SECTION, section());
    if (!build_id.empty()) elf.build_id(build_id);
    return elf.image();
  }
  // The raw section with these boxes, one behind the other at multiples of 8.
  static std::string raw(const std::vector<std::string>& boxes) {
    std::string raw = header(MIP_TYPE_RAW);
    for (const auto& box : boxes) {
      raw.resize((raw.size() + 7) & ~size_t{7});
      raw += box;
    }
    return raw;
  }

  static std::string record(const MapFunction& f, u64 box) {
    mip_function r{};
    r.magic = MIP_FUNCTION_MAGIC;
    r.raw_start = f.counts_from ? 0 : raw_address;
    r.raw_box = box - f.counts_from;
    r.address = f.address - f.counts_from;
    r.function_size = f.size;
    r.signature = f.signature;
    r.kinds = f.kinds;
    r.flags = f.flags | (f.counts_from ? u32{MIP_RELATIVE} : 0u) |
              (f.blocks.empty() ? 0u : u32{MIP_BLOCK_LIST}) |
              (f.source.empty() ? 0u : u32{MIP_SOURCE_NAME}) |
              (site_numbers(f).empty() ? 0u : u32{MIP_SITE_NUMBERS}) |
              (f.checksum ? u32{MIP_OWN_CHECKSUM} : 0u);
    r.block_count = f.blocks.empty() ? 1 : static_cast<u32>(f.blocks.size());
    r.counter_count = f.counters;
    r.name_size = static_cast<u32>(f.name.size());
    std::string blocks, successors;
    for (const auto& block : f.blocks) {
      blocks += bytes_of(
          mip_block{block.offset, block.counter, static_cast<u32>(block.successors.size())});
      for (u32 successor : block.successors) successors += bytes_of(successor);
    }
    r.successor_count = static_cast<u32>(successors.size() / 4);
    std::string id = f.kinds & MIP_ORDER_LOG ? bytes_of(f.order_id) : "";
    std::string sites = f.kinds & MIP_VALUES ? site_list(f, box) : "";
    if (!f.source.empty()) sites += bytes_of(static_cast<u32>(f.source.size())) + f.source;
    sites += site_numbers(f);
    if (f.checksum) sites += bytes_of(f.checksum);
    r.record_size = static_cast<u32>(sizeof r + blocks.size() + successors.size() + f.name.size() +
                                     id.size() + sites.size());
    return bytes_of(r) + blocks + successors + f.name + id + sites;
  }

  // Of a function in the source, which has no code of its own.
  MapBuilder& checksum(std::string_view name, u64 value) {
    mip_function r{};
    r.magic = MIP_FUNCTION_MAGIC;
    r.flags = MIP_CHECKSUM;
    r.name_size = static_cast<u32>(name.size());
    r.record_size = static_cast<u32>(sizeof r + name.size() + sizeof value);
    return bytes(bytes_of(r) + std::string(name) + bytes_of(value));
  }

  MapBuilder& table(std::string_view name, u64 address, u64 size) {
    mip_function r{};
    r.magic = MIP_FUNCTION_MAGIC;
    r.flags = MIP_TABLE;
    r.name_size = static_cast<u32>(name.size());
    r.record_size = static_cast<u32>(sizeof r + name.size() + sizeof(mip_table));
    return bytes(bytes_of(r) + std::string(name) + bytes_of(mip_table{address, size}));
  }

  static std::string site_list(const MapFunction& f, u64 box) {
    std::string places, names;
    for (const auto& site : f.sites) {
      places += bytes_of(mip_site_place{site.address - f.counts_from, site.kind, site.line,
                                        site.column, static_cast<u32>(site.function.size())});
      names += site.function;
    }
    u64 first = (box + mip_box_size(f.kinds, f.counters) + 7) & ~u64{7};
    return bytes_of(mip_site_list{first - f.counts_from, static_cast<u32>(f.sites.size()),
                                  static_cast<u32>(names.size())}) +
           places + names;
  }

  static std::string site_numbers(const MapFunction& f) {
    std::string numbers;
    bool any = false;
    for (const auto& site : f.sites) {
      numbers += bytes_of(site.number);
      any = any || site.number;
    }
    return any ? numbers : "";
  }

 private:
  std::string records_;
  u64 box_ = 24;
};

struct DumpBuilder {
  std::string build_id = {};
  std::string raw;
  u32 pid = 1, sequence = 1, flags = 0;
  u16 machine = EM_X86_64;
  u64 start_time = 1000, bias = 0, raw_address = MapBuilder::raw_address;
  u64 edge_rate = 1;
  std::vector<mip_edge> edges = {};
  std::vector<mip_module> modules = {};
  std::vector<mip_order_id> order_ids = {};
  std::vector<mip_order_call> order_calls = {};
  u64 lost_order = 0;
  std::vector<mip_target> targets = {};
  std::string path = "/bin/app";

  std::string record() const {
    mip_dump h{};
    h.magic = MIP_DUMP_MAGIC;
    h.version = MIP_DUMP_VERSION;
    h.machine = machine;
    h.flags = flags;
    h.raw_address = raw_address;
    h.raw_size = raw.size();
    h.load_bias = bias;
    h.pid = pid;
    h.sequence = sequence;
    h.start_time = start_time;
    h.dump_time = start_time + 5;
    h.edge_rate = edge_rate;
    h.dropped[MIP_DROPPED_ORDER] = lost_order;
    h.build_id_size = static_cast<u32>(build_id.size());
    std::memcpy(h.build_id, build_id.data(), std::min<size_t>(build_id.size(), 32));
    std::string edge_bytes, module_bytes, id_bytes, call_bytes, target_bytes;
    for (const auto& edge : edges) edge_bytes += bytes_of(edge);
    for (const auto& module : modules) module_bytes += bytes_of(module);
    for (const auto& id : order_ids) id_bytes += bytes_of(id);
    for (const auto& call : order_calls) call_bytes += bytes_of(call);
    for (const auto& target : targets) target_bytes += bytes_of(target);
    struct Part {
      u32 kind, entry_size;
      const std::string& bytes;
    };
    const Part parts[] = {{MIP_PAYLOAD_RAW, 1, raw},
                          {MIP_PAYLOAD_PATH, 1, path},
                          {MIP_PAYLOAD_EDGES, sizeof(mip_edge), edge_bytes},
                          {MIP_PAYLOAD_MODULES, sizeof(mip_module), module_bytes},
                          {MIP_PAYLOAD_ORDER_LOG, sizeof(mip_order_id), id_bytes},
                          {MIP_PAYLOAD_TARGETS, sizeof(mip_target), target_bytes},
                          {MIP_PAYLOAD_ORDER_CALLS, sizeof(mip_order_call), call_bytes}};
    h.payload_count = static_cast<u32>(std::size(parts));
    std::string table, body;
    u64 at = sizeof h + std::size(parts) * sizeof(mip_payload);
    for (const auto& part : parts) {
      table +=
          bytes_of(mip_payload{part.kind, part.entry_size, at + body.size(), part.bytes.size()});
      body += part.bytes;
      body.resize((body.size() + 7) & ~size_t{7});
    }
    body.resize(body.size() + 8);  // the checksum, with padding in front
    h.total_size = at + body.size();
    std::string out = bytes_of(h) + table + body;
    if (flags & MIP_DUMP_CONTINUOUS) return out;
    u32 crc = instrument::dump_crc(as_bytes(out));
    std::memcpy(out.data() + out.size() - sizeof crc, &crc, sizeof crc);
    return out;
  }
};

}  // namespace pgokit::test
