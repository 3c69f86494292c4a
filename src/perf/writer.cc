// File order: header, ids of each event, attribute table, data, feature table, feature contents.
// The header goes out first with a data size of 0, which readers take as "until the end of the
// file", and is replaced by commit().
#include "perf/writer.h"

#include <algorithm>
#include <cassert>

namespace pgokit::perf {
namespace {

constexpr u64 header_size = 104;
constexpr size_t build_id_bytes = 20;
constexpr size_t max_record = 0xfff8;

template <class T>
void append(std::string& to, T value) {
  to.append(reinterpret_cast<const char*>(&value), sizeof value);
}

// perf writes the texts of features in steps of 64 bytes, at least one NUL among them.
void append_feature_text(std::string& to, std::string_view text) {
  size_t padded = (text.size() + 1 + 63) / 64 * 64;
  append(to, static_cast<u32>(padded));
  to.append(text);
  to.append(padded - text.size(), '\0');
}

std::string feature_text(std::string_view text) {
  std::string section;
  if (!text.empty()) append_feature_text(section, text);
  return section;
}

}  // namespace

Writer::Writer(OutputFile out, std::vector<Event> events, u32 attr_size)
    : out_(std::move(out)), events_(std::move(events)), attr_size_(attr_size) {}

Result<Writer> Writer::create(const std::string& path, std::vector<Event> events, u32 attr_size) {
  assert(!events.empty() && (attr_size == 112 || attr_size == 120));
  if (path == "-" || path == "/dev/stdout")
    return fail("a recording cannot be written to standard output");
  auto out = TRY(OutputFile::create(path));
  if (!out.can_seek())
    return fail(
        "{}: a recording cannot be written to a pipe or a terminal: give the name of a file", path);
  Writer writer(std::move(out), std::move(events), attr_size);
  u64 ids = 0;
  for (const auto& event : writer.events_) ids += event.ids.size();
  writer.attrs_at_ = header_size + ids * 8;
  writer.data_at_ = writer.attrs_at_ + writer.events_.size() * (attr_size + 16);
  writer.write_header(0, {});
  return writer;
}

void Writer::begin(RecordType type, u16 misc_bits) {
  record_.clear();
  put(static_cast<u32>(type));
  put(misc_bits);
  put(u16(0));
}

void Writer::put_text(std::string_view text) {
  record_.append(text.substr(0, 4096));
  record_.append(8 - record_.size() % 8, '\0');
}

void Writer::put_trailer(const RecordId& at) {
  const Attr& attr = events_[0].attr;
  if (!(attr.flags & attr_flag::sample_id_all)) return;
  if (attr.has(field::tid)) put(at.pid), put(at.tid);
  if (attr.has(field::time)) put(at.time);
  if (attr.has(field::id)) put(at.id);
  if (attr.has(field::stream_id)) put(at.id);
  if (attr.has(field::cpu)) put(u64(at.cpu));
  if (attr.has(field::identifier)) put(at.id);
}

void Writer::end() {
  assert(record_.size() % 8 == 0 && record_.size() <= max_record);
  auto size = static_cast<u16>(record_.size());
  std::memcpy(record_.data() + 6, &size, sizeof size);
  out_.write(record_);
}

void Writer::comm(const RecordId& at, std::string_view name, bool exec) {
  begin(RecordType::comm, exec ? misc::comm_exec : 0);
  put(at.pid), put(at.tid);
  put_text(name);
  put_trailer(at);
  end();
}

void Writer::mmap2(const RecordId& at, const Mapping& mapping) {
  auto data = static_cast<u16>(mapping.protection & 4 ? 0 : misc::mmap_data);
  auto with_id = static_cast<u16>(mapping.build_id.empty() ? 0 : misc::mmap_build_id);
  begin(RecordType::mmap2, static_cast<u16>(mapping.mode | data | with_id));
  put(mapping.pid == -2 ? at.pid : static_cast<u32>(mapping.pid)), put(at.tid);
  put(mapping.start), put(mapping.size), put(mapping.file_offset);
  if (with_id) {
    Bytes id = mapping.build_id.first(std::min(mapping.build_id.size(), build_id_bytes));
    put(static_cast<u8>(id.size())), put(u8(0)), put(u16(0));
    record_.append(as_text(id));
    record_.append(build_id_bytes - id.size(), '\0');
  } else {
    put(u32(0)), put(u32(0)), put(u64(0)), put(u64(0));  // device, inode, generation
  }
  put(mapping.protection), put(mapping.map_flags);
  put_text(mapping.path);
  put_trailer(at);
  end();
}

void Writer::mmap(const RecordId& at, const Mapping& mapping) {
  auto data = static_cast<u16>(mapping.protection & 4 ? 0 : misc::mmap_data);
  begin(RecordType::mmap, static_cast<u16>(mapping.mode | data));
  put(mapping.pid == -2 ? at.pid : static_cast<u32>(mapping.pid)), put(at.tid);
  put(mapping.start), put(mapping.size), put(mapping.file_offset);
  put_text(mapping.path);
  put_trailer(at);
  end();
}

void Writer::fork(const RecordId& at, u32 parent_pid, u32 parent_tid) {
  begin(RecordType::fork, 0);
  put(at.pid), put(parent_pid), put(at.tid), put(parent_tid), put(at.time);
  put_trailer(at);
  end();
}

void Writer::exit(const RecordId& at, u32 parent_pid, u32 parent_tid) {
  begin(RecordType::exit, 0);
  put(at.pid), put(parent_pid), put(at.tid), put(parent_tid), put(at.time);
  put_trailer(at);
  end();
}

void Writer::lost(const RecordId& at, u64 count) {
  begin(RecordType::lost, 0);
  put(at.id), put(count);
  put_trailer(at);
  end();
}

void Writer::lost_samples(const RecordId& at, u64 count) {
  begin(RecordType::lost_samples, 0);
  put(count);
  put_trailer(at);
  end();
}

void Writer::note_time(u64 time) {
  first_time_ = std::min(first_time_, time);
  last_time_ = std::max(last_time_, time);
}

void Writer::sample(const Sample& sample) {
  const Attr& attr = events_[sample.event].attr;
  begin(RecordType::sample, sample.mode | (sample.exact_ip ? misc::exact_ip : u16{0}));
  if (attr.has(field::identifier)) put(sample.id.id);
  if (attr.has(field::ip)) put(sample.ip);
  if (attr.has(field::tid)) put(sample.id.pid), put(sample.id.tid);
  if (attr.has(field::time)) put(sample.id.time), note_time(sample.id.time);
  if (attr.has(field::addr)) put(sample.addr);
  if (attr.has(field::id)) put(sample.id.id);
  if (attr.has(field::stream_id)) put(sample.id.id);
  if (attr.has(field::cpu)) put(u64(sample.id.cpu));
  if (attr.has(field::period)) put(sample.period);
  if (attr.has(field::callchain)) {
    size_t room = (max_record - record_.size()) / 2 / 8 - 1;
    auto kept = sample.callchain.first(std::min(sample.callchain.size(), room));
    put(u64(kept.size()));
    for (u64 address : kept) put(address);
  }
  if (attr.has(field::branch_stack)) {
    size_t room = (max_record - record_.size() - 16) / sizeof(BranchEntry);
    auto kept = sample.branches.first(std::min(sample.branches.size(), room));
    put(u64(kept.size()));
    if (attr.branch_sample_type & branch::hw_index) put(u64(-1));
    record_.append(reinterpret_cast<const char*>(kept.data()), kept.size_bytes());
  }
  if (attr.has(field::data_src)) put(sample.data_src);
  end();
}

void Writer::finished_round() {
  begin(RecordType::finished_round, 0);
  end();
}

void Writer::raw(Bytes record) {
  Cursor in(record);
  auto header = in.get<RecordHeader>();
  assert(in.ok() && header.size == record.size());
  const Attr& attr = events_[0].attr;
  if (header.type == static_cast<u32>(RecordType::sample) && attr.has(field::time)) {
    in.skip(8 * static_cast<u64>(attr.has(field::identifier) + attr.has(field::ip) +
                                 attr.has(field::tid)));
    u64 time = in.get<u64>();
    if (in.ok()) note_time(time);
  }
  out_.write(record);
}

std::string Writer::attr_bytes(const Event& event) const {
  const Attr& attr = event.attr;
  std::string bytes;
  append(bytes, attr.type);
  append(bytes, attr_size_);
  append(bytes, attr.config);
  append(bytes, attr.period);
  append(bytes, attr.sample_type);
  append(bytes, attr.read_format);
  append(bytes, attr.flags);
  bytes.append(24, '\0');  // wake-up, break point, config1, config2
  append(bytes, attr.branch_sample_type);
  append(bytes, attr.regs_user);
  append(bytes, attr.stack_user);
  append(bytes, u32(0));  // clock
  append(bytes, attr.regs_intr);
  bytes.append(attr_size_ - bytes.size(), '\0');
  return bytes;
}

void Writer::write_header(u64 data_size, std::span<const u64> feature_bits) {
  std::string head;
  append(head, magic);
  append(head, header_size);
  append(head, u64(attr_size_) + 16);
  append(head, attrs_at_), append(head, data_at_ - attrs_at_);
  append(head, data_at_), append(head, data_size);
  append(head, u64(0)), append(head, u64(0));  // event types: no longer used
  for (size_t i = 0; i < feature::bits / 64; ++i)
    append(head, i < feature_bits.size() ? feature_bits[i] : u64(0));
  for (const auto& event : events_)
    for (u64 id : event.ids) append(head, id);
  u64 ids_at = header_size;
  for (const auto& event : events_) {
    head += attr_bytes(event);
    append(head, ids_at), append(head, u64(event.ids.size() * 8));
    ids_at += event.ids.size() * 8;
  }
  if (out_.size() == 0) return out_.write(head);
  out_.write_at(0, as_bytes(head));
}

std::string Writer::event_desc() const {
  std::string section;
  append(section, static_cast<u32>(events_.size()));
  append(section, attr_size_);
  for (const auto& event : events_) {
    section += attr_bytes(event);
    append(section, static_cast<u32>(event.ids.size()));
    append_feature_text(section, event.name);
    for (u64 id : event.ids) append(section, id);
  }
  return section;
}

std::string Writer::build_ids() const {
  std::string section;
  for (const auto& entry : features_.build_ids) {
    size_t id_size = std::min(entry.id.size(), build_id_bytes);
    std::string_view path = std::string_view(entry.path).substr(0, 4096);
    size_t padded = (path.size() + 1 + 63) / 64 * 64;
    append(section, u32(0));
    append(section, static_cast<u16>(entry.mode | misc::build_id_size));
    append(section, static_cast<u16>(sizeof(RecordHeader) + 4 + build_id_bytes + 4 + padded));
    append(section, entry.pid);
    section.append(reinterpret_cast<const char*>(entry.id.data()), id_size);
    section.append(build_id_bytes - id_size, '\0');
    append(section, static_cast<u32>(id_size));
    section.append(path);
    section.append(padded - path.size(), '\0');
  }
  return section;
}

// In the order of their bits, which is the order of the table.
std::vector<std::pair<u32, std::string>> Writer::feature_sections() const {
  std::string cpus, memory, cmdline, time;
  if (features_.cpus_online)
    append(cpus, features_.cpus_available), append(cpus, features_.cpus_online);
  if (features_.total_mem_kb) append(memory, features_.total_mem_kb);
  if (!features_.cmdline.empty()) append(cmdline, static_cast<u32>(features_.cmdline.size()));
  for (const auto& word : features_.cmdline) append_feature_text(cmdline, word);
  if (last_time_) append(time, first_time_), append(time, last_time_);

  std::vector<std::pair<u32, std::string>> sections = {
      {feature::build_id, build_ids()},
      {feature::hostname, feature_text(features_.hostname)},
      {feature::osrelease, feature_text(features_.osrelease)},
      {feature::version, feature_text(features_.version)},
      {feature::arch, feature_text(features_.arch)},
      {feature::nrcpus, std::move(cpus)},
      {feature::cpudesc, feature_text(features_.cpudesc)},
      {feature::cpuid, feature_text(features_.cpuid)},
      {feature::total_mem, std::move(memory)},
      {feature::cmdline, std::move(cmdline)},
      {feature::event_desc, event_desc()}};
  std::erase_if(sections, [](const auto& section) { return section.second.empty(); });
  // With it perf report shows branches, and refuses to show accesses to memory.
  auto has_branches = [](const Event& event) { return event.attr.has(field::branch_stack); };
  auto of_memory = [](const Event& event) { return event.attr.only_of_memory(); };
  if (std::ranges::any_of(events_, has_branches) && std::ranges::none_of(events_, of_memory))
    sections.emplace_back(feature::branch_stack, "");
  if (!time.empty()) sections.emplace_back(feature::sample_time, std::move(time));
  if (!features_.branch_counts.empty())
    sections.emplace_back(feature::branch_counts, features_.branch_counts);
  if (!features_.branch_contexts.empty())
    sections.emplace_back(feature::branch_contexts, features_.branch_contexts);
  return sections;
}

Status Writer::commit() {
  u64 data_size = out_.size() - data_at_;
  auto sections = feature_sections();
  u64 bits[feature::bits / 64] = {};
  u64 at = out_.size() + sections.size() * 16;
  std::string table;
  for (const auto& [bit, contents] : sections) {
    bits[bit / 64] |= u64(1) << (bit % 64);
    append(table, at), append(table, u64(contents.size()));
    at += contents.size();
  }
  out_.write(table);
  for (const auto& [bit, contents] : sections) out_.write(contents);
  write_header(data_size, bits);
  return out_.commit();
}

}  // namespace pgokit::perf
