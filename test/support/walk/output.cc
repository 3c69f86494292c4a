#include "walk/output.h"

#include <algorithm>
#include <charconv>

namespace pgokit::walk {
namespace {

constexpr u64 page = 0x1000;

u64 round_up(u64 value) { return (value + page - 1) & ~(page - 1); }

}  // namespace

Layout lay_out(const object::File& file, const std::string& path, u32 pid, u64 base) {
  Layout out;
  out.pid = pid;
  out.path = path;
  u64 first = ~u64{0};
  for (const auto& segment : file.segments())
    first = std::min(first, segment.address & ~(page - 1));
  if (file.kind() == object::Kind::movable) out.bias = base - first;
  for (const auto& segment : file.segments()) {
    if (!segment.executable) continue;
    u64 start = segment.address & ~(page - 1);
    out.mappings.push_back({.start = start + out.bias,
                            .size = round_up(segment.address + segment.memory_size) - start,
                            .file_offset = segment.offset & ~(page - 1)});
  }
  return out;
}

std::vector<Layout> lay_out_processes(const object::File& file, const Layout& first, u64 base,
                                      u32 processes) {
  constexpr u64 apart = 0x10000000;
  std::vector<Layout> all;
  for (u32 i = 0; i < processes; ++i) {
    bool starts_anew = i % 2 == 0;
    all.push_back(starts_anew ? lay_out(file, first.path, first.pid + i, base + i * apart)
                              : all.back());
    all.back().pid = first.pid + i;
  }
  return all;
}

void damage_addresses(const Damage& damage, u64 external, Random& random, WalkSample& sample) {
  auto some = [&]() -> perf::BranchEntry& {
    return sample.branches[random.below(static_cast<u32>(sample.branches.size()))];
  };
  if (sample.branches.empty()) return;
  if (random.chance(damage.external)) {
    for (u32 n = random.below(4) + 1; n-- > 0;) {
      u32 side = random.below(3);
      if (side != 0) some().from = external + random.below(0x1000);
      if (side != 1) some().to = external + random.below(0x1000);
    }
    if (random.chance(300))
      sample.chain[random.below(static_cast<u32>(sample.chain.size()))] = external + 0x20;
  }
  if (random.chance(damage.zero)) (random.chance(500) ? some().from : some().to) = u64{0};
  if (random.chance(damage.off_by_one)) {
    if (random.chance(500)) some().from = some().from + 1;
    sample.chain[random.below(static_cast<u32>(sample.chain.size()))] += 1;
  }
  if (random.chance(damage.shuffle)) std::swap(some(), some());
  if (random.chance(damage.short_stack)) {
    if (random.chance(500)) sample.chain.resize(1);
    sample.branches.resize(1 + random.below(static_cast<u32>(sample.branches.size())));
  }
}

Result<ScriptOutput> ScriptOutput::create(const std::string& path, const Layout& layout, Kind kind,
                                          const Damage& damage, bool aggregate, u64 seed) {
  ScriptOutput out(TRY(OutputFile::create(path)), layout, kind, damage, aggregate, seed);
  for (const auto& one : layout.mappings) {
    out.text_ +=
        fmt::format("PERF_RECORD_MMAP2 {}/{}: [{:#x}({:#x}) @ {} 00:00 0 0]: r-xp {}\n", layout.pid,
                    layout.pid, one.start, one.size,
                    one.file_offset ? fmt::format("{:#x}", one.file_offset) : "0", layout.path);
  }
  return out;
}

void ScriptOutput::hex(u64 value, unsigned width) {
  char digits[16];
  auto end = std::to_chars(digits, digits + 16, value, 16).ptr;
  auto size = static_cast<size_t>(end - digits);
  if (size < width) text_.append(width - size, ' ');
  text_.append(digits, size);
}

void ScriptOutput::sample(const WalkSample& sample) {
  if (random_.chance(damage_.warning))
    text_ += "Warning:\nProcessed 17 events and lost 3 chunks!\n\n";
  if (random_.chance(damage_.garbage)) text_ += random_.chance(500) ? "garbage here\n" : "\t xyz\n";
  if (aggregate_) text_ += fmt::format("{}\n", 1 + random_.below(9));
  bool with_chain = kind_ == Kind::hybrid || (kind_ == Kind::mixed && random_.chance(500));
  if (with_chain) {
    text_ += '\n';
    for (u64 address : sample.chain) text_ += '\t', hex(address + bias_, 16), text_ += '\n';
  } else {
    text_ += ' ', hex(sample.chain[0] + bias_, 16);
  }
  u32 count = static_cast<u32>(sample.branches.size());
  u32 cut = count && random_.chance(damage_.cut) ? random_.below(count) : nowhere;
  for (u32 i = 0; i < count; ++i) {
    const auto& one = sample.branches[i];
    text_ += " 0x", hex(one.from ? one.from + bias_ : 0);
    if (i == cut) {
      text_ += "/0x2aWarning:\n";
      break;
    }
    text_ += "/0x", hex(one.to ? one.to + bias_ : 0), text_ += "/P/-/-/0/ ";
  }
  text_ += '\n';
  flush_if_full();
}

void ScriptOutput::flush_if_full() {
  if (text_.size() < 1 << 20) return;
  out_.write(text_);
  text_.clear();
}

Status ScriptOutput::commit() {
  out_.write(text_);
  return out_.commit();
}

Result<PerfOutput> PerfOutput::create(const std::string& path, std::vector<Layout> processes,
                                      Kind kind) {
  using namespace perf;
  Writer::Event event{.name = "cycles:u", .attr = {}, .ids = {1}};
  event.attr.sample_type = field::ip | field::tid | field::time | field::branch_stack;
  if (kind != Kind::lbr) event.attr.sample_type |= field::callchain;
  event.attr.branch_sample_type = branch::user | branch::any;
  event.attr.period = 1000;
  event.attr.flags = attr_flag::sample_id_all | attr_flag::mmap | attr_flag::mmap2 |
                     attr_flag::comm | attr_flag::exclude_kernel;
  PerfOutput out(TRY(Writer::create(path, {event})), std::move(processes));
  out.at_.time = 1000;
  const Layout* parent = nullptr;
  for (size_t i = 0; i < out.processes_.size(); ++i) {
    const auto& process = out.processes_[i];
    out.at_.pid = out.at_.tid = process.pid;
    ++out.at_.time;
    if (parent) out.writer_.fork(out.at_, parent->pid, parent->pid);
    if (i % 2 == 0) out.start(process);
    parent = &process;
  }
  return out;
}

void PerfOutput::start(const Layout& process) {
  ++at_.time;
  writer_.comm(at_, "walk", true);
  ++at_.time;
  bool several = processes_.size() > 1;
  for (const auto& one : process.mappings)
    if (several) map(process, {one.start - page, one.size + 2 * page, 0}, "/usr/lib/libother.so");
  ++at_.time;
  for (const auto& one : process.mappings) map(process, one, process.path);
}

void PerfOutput::map(const Layout& process, const Layout::Mapping& mapping,
                     const std::string& path) {
  at_.pid = at_.tid = process.pid;
  writer_.mmap2(at_, {.start = mapping.start,
                      .size = mapping.size,
                      .file_offset = mapping.file_offset,
                      .path = path});
}

void PerfOutput::sample(const WalkSample& sample) {
  const auto& process = processes_[next_++ % processes_.size()];
  moved_ = sample;
  for (u64& address : moved_.chain) address += process.bias;
  for (auto& one : moved_.branches) {
    if (one.from) one.from = one.from + process.bias;
    if (one.to) one.to = one.to + process.bias;
  }
  at_.pid = at_.tid = process.pid;
  at_.time += 10;
  u64 ip = moved_.chain[0];
  constexpr u64 user_marker = static_cast<u64>(-512);
  moved_.chain.insert(moved_.chain.begin(), user_marker);
  writer_.sample({.id = at_, .ip = ip, .callchain = moved_.chain, .branches = moved_.branches});
}

}  // namespace pgokit::walk
