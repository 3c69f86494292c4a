#include "samples/memory_use.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <tuple>

#include "base/saturated.h"
#include "perf/process_maps.h"
#include "samples/data_symbols.h"

namespace pgokit::samples {
namespace {

using perf::ProcessMaps;
using Mapped = ProcessMaps::Mapped;
using Kind = DataUse::Kind;

// That are looked into: a recording could name any number.
constexpr size_t most_files = 256;

bool is_file(std::string_view path) { return path.starts_with('/') && !path.starts_with("//"); }

// A program or library of which data were accessed.
struct DataFile {
  const object::File& file;
  DataSymbols symbols;

  explicit DataFile(const object::File& of) : file(of), symbols(of) {}

  // How far it lies from where it was linked, by a mapping of its code.
  std::optional<u64> moved_by(const Mapped& code) const {
    constexpr u64 page_mask = 0xfff;
    for (const auto& segment : file.segments()) {
      u64 begin = segment.offset & ~page_mask;
      bool has_it =
          code.file_offset >= begin && code.file_offset < segment.offset + segment.file_size;
      if (segment.executable && has_it)
        return code.start - code.file_offset - (segment.address - segment.offset);
    }
    return std::nullopt;
  }
  bool holds(u64 linked) const {
    return std::ranges::any_of(file.segments(), [&](const object::Segment& segment) {
      return linked - segment.address < segment.memory_size;
    });
  }
  std::string_view section_at(u64 linked) const {
    for (const auto& section : file.sections()) {
      bool in_memory = section.loaded && !section.thread_local_data;
      if (in_memory && linked - section.address < section.size) return section.name;
    }
    return {};
  }
};

class Reader {
 public:
  Reader(const perf::Recording& recording, const OpenProgram& open)
      : maps_(recording, ProcessMaps::Kinds::all), open_(open) {}

  void add(const perf::Sample& sample) {
    using namespace perf::data_src;
    u64 loads = sample.data_src & load ? sample.period : 0;
    u64 stores = sample.data_src & store ? sample.period : 0;
    AccessSums sums{.samples = 1, .accesses = sample.period, .loads = loads, .stores = stores};
    all_.add(sums);
    place_of(sample).add(sums);
  }

  MemoryUse use() && {
    MemoryUse use{.all = all_, .data = {}};
    for (auto& [key, sums] : sums_) {
      const auto& [kind, file, symbol, section] = key;
      use.data.push_back(
          {kind, std::string(symbol), std::string(section), std::string(file), sums});
    }
    std::ranges::stable_sort(use.data, std::ranges::greater(),
                             [](const DataUse& one) { return one.sums.accesses; });
    return use;
  }

 private:
  // What is summed up: kind, file, symbol, section.
  using Key = std::tuple<Kind, std::string_view, std::string_view, std::string_view>;

  AccessSums& place_of(const perf::Sample& sample) {
    const auto* mapped = maps_.find(sample.pid, sample.addr, sample.time);
    auto path = mapped ? maps_.path(mapped->name) : std::string_view{};
    // Data of a program lie where its code tells, in mappings of its own, which need not be in the
    // recording; in those of no file, where they are zero at the start; and the heap may begin in
    // the same.
    auto around = maps_.code_around(sample.pid, sample.addr, sample.time);
    for (const auto* code : {around.before, around.after}) {
      if (!code || (is_file(path) && code->name != mapped->name)) continue;
      if (auto* sums = in_program(*code, sample.addr)) return *sums;
    }
    if (!mapped) return sums_[Key{Kind::unknown, {}, {}, {}}];
    if (is_file(path)) return sums_[Key{Kind::file, path, {}, {}}];
    bool special = path.starts_with('[');
    auto kind = path.starts_with("[stack") ? Kind::stack
                : path == "[heap]"         ? Kind::heap
                : special                  ? Kind::special
                                           : Kind::anonymous;
    return sums_[Key{kind, kind == Kind::special ? path : std::string_view{}, {}, {}}];
  }

  // Null: it is not, or that program is not at hand.
  AccessSums* in_program(const Mapped& code, u64 address) {
    auto* file = file_of(code.name);
    auto moved = file ? file->moved_by(code) : std::nullopt;
    if (!moved || !file->holds(address - *moved)) return nullptr;
    u64 linked = address - *moved;
    auto path = maps_.path(code.name);
    auto section = file->section_at(linked);
    const auto* symbol = file->symbols.at(linked);
    if (symbol && symbol->size > 0) return &sums_[Key{Kind::symbol, path, symbol->name, section}];
    return &sums_[Key{Kind::unnamed, path, {}, section}];
  }

  DataFile* file_of(NameId name) {
    auto [it, is_new] = files_.try_emplace(name);
    if (!is_new || files_.size() > most_files) return it->second.get();
    if (const auto* file = open_(maps_.path(name), maps_.build_id(name)))
      it->second = std::make_unique<DataFile>(*file);
    return it->second.get();
  }

  ProcessMaps maps_;
  const OpenProgram& open_;
  AccessSums all_;
  std::map<Key, AccessSums> sums_;
  std::map<NameId, std::unique_ptr<DataFile>> files_;
};

}  // namespace

void AccessSums::add(const AccessSums& other) {
  samples += other.samples;
  accesses = add_saturated(accesses, other.accesses);
  loads = add_saturated(loads, other.loads);
  stores = add_saturated(stores, other.stores);
}

MemoryUse memory_use(const perf::Recording& recording, const OpenProgram& open) {
  Reader reader(recording, open);
  perf::ReadCounts ignored;
  constexpr unsigned threads = 1;  // a file is opened when it is first met
  recording.for_each_piece(threads, ignored, [&](const perf::Piece& piece, unsigned) {
    const auto& parser = recording.parser();
    perf::Sample sample;
    perf::RecordWalk walk(piece.records);
    for (perf::Record record; walk.next(record);)
      if (record.type == perf::RecordType::sample && parser.sample(record, sample, ignored) &&
          sample.data_src & (perf::data_src::load | perf::data_src::store))
        reader.add(sample);
  });
  return std::move(reader).use();
}

}  // namespace pgokit::samples
