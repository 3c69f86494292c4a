// Source of truth: tools/perf/util/header.c, and simpleperf/record_file_format.h for features from
// 128 on. docs/formats/perf-data.md draws the layout.
#include "perf/header.h"

#include <algorithm>

#include "base/parse_number.h"

namespace pgokit::perf {
namespace {

constexpr size_t smallest_attr = 64;
constexpr size_t max_events = 16384, max_words = 65536, max_names = 65536;
constexpr u32 simpleperf_meta = 129;

Attr read_attr(Bytes bytes) {
  Attr attr;
  Cursor in(bytes);
  attr.type = in.get<u32>();
  attr.size = in.get<u32>();
  attr.config = in.get<u64>();
  attr.period = in.get<u64>();
  attr.sample_type = in.get<u64>();
  attr.read_format = in.get<u64>();
  attr.flags = in.get<u64>();
  in.skip(24);  // wake-up, break point, config1, config2
  if (in.left() < 8) return attr;
  attr.branch_sample_type = in.get<u64>();
  if (in.left() < 16) return attr;
  attr.regs_user = in.get<u64>();
  attr.stack_user = in.get<u32>();
  in.skip(4);
  if (in.left() >= 8) attr.regs_intr = in.get<u64>();
  return attr;
}

// How many bytes of `bytes` are the attribute: it tells its size itself, the first version did not.
size_t attr_size(Bytes bytes) {
  Cursor in(bytes);
  in.skip(4);
  size_t size = in.get<u32>();
  return size == 0 ? smallest_attr : size;
}

std::string_view read_text(Cursor& in) {
  std::string_view text = as_text(in.bytes(in.get<u32>()));
  return text.substr(0, text.find('\0'));
}

std::string_view only_text(Bytes contents) {
  Cursor in(contents);
  return read_text(in);
}

}  // namespace

std::string_view feature_name(u32 number) {
  static constexpr std::string_view names[] = {"",
                                               "TRACING_DATA",
                                               "BUILD_ID",
                                               "HOSTNAME",
                                               "OSRELEASE",
                                               "VERSION",
                                               "ARCH",
                                               "NRCPUS",
                                               "CPUDESC",
                                               "CPUID",
                                               "TOTAL_MEM",
                                               "CMDLINE",
                                               "EVENT_DESC",
                                               "CPU_TOPOLOGY",
                                               "NUMA_TOPOLOGY",
                                               "BRANCH_STACK",
                                               "PMU_MAPPINGS",
                                               "GROUP_DESC",
                                               "AUXTRACE",
                                               "STAT",
                                               "CACHE",
                                               "SAMPLE_TIME",
                                               "MEM_TOPOLOGY",
                                               "CLOCKID",
                                               "DIR_FORMAT",
                                               "BPF_PROG_INFO",
                                               "BPF_BTF",
                                               "COMPRESSED",
                                               "CPU_PMU_CAPS",
                                               "CLOCK_DATA",
                                               "HYBRID_TOPOLOGY",
                                               "PMU_CAPS",
                                               "CPU_DOMAIN_INFO"};
  return number < std::size(names) ? names[number] : std::string_view{};
}

bool Features::has(u32 number) const {
  return std::binary_search(present.begin(), present.end(), number);
}

void Head::add_event(Bytes attr, std::span<const Le<u64>> ids) {
  if (attr.size() < smallest_attr || events.size() >= max_events) {
    damaged = true;
    return;
  }
  ids_ += ids.size();
  Event event;
  event.attr = read_attr(attr);
  event.ids = ids;
  events.push_back(std::move(event));
}

void Head::add_feature(u32 number, Bytes contents) {
  auto at = std::lower_bound(features.present.begin(), features.present.end(), number);
  if (at == features.present.end() || *at != number) features.present.insert(at, number);
  Cursor in(contents);
  switch (number) {
    case feature::build_id:
      return read_build_ids(contents);
    case feature::hostname:
      features.hostname = only_text(contents);
      break;
    case feature::osrelease:
      features.osrelease = only_text(contents);
      break;
    case feature::version:
      features.version = only_text(contents);
      break;
    case feature::arch:
      features.arch = only_text(contents);
      break;
    case feature::cpudesc:
      features.cpudesc = only_text(contents);
      break;
    case feature::cpuid:
      features.cpuid = only_text(contents);
      break;
    case feature::nrcpus:
      features.cpus_available = in.get<u32>();
      features.cpus_online = in.get<u32>();
      break;
    case feature::total_mem:
      features.total_mem_kb = in.get<u64>();
      break;
    case feature::cmdline:
      return read_cmdline(in);
    case feature::event_desc:
      return read_event_desc(in);
    case feature::sample_time:
      features.first_time = in.get<u64>();
      features.last_time = in.get<u64>();
      break;
    case feature::branch_counts:
      features.branch_counts = contents;
      break;
    case feature::branch_contexts:
      features.branch_contexts = contents;
      break;
    case simpleperf_meta:
      return read_meta(in);
    default:
      break;
  }
}

void Head::read_cmdline(Cursor in) {
  u32 words = in.get<u32>();
  features.cmdline.clear();
  for (u32 i = 0; i < words && in.ok() && i < max_words; ++i) {
    std::string_view word = read_text(in);
    if (in.ok()) features.cmdline.push_back(word);
  }
  damaged |= !in.ok();
}

void Head::read_event_desc(Cursor in) {
  u32 count = in.get<u32>();
  u32 size = in.get<u32>();
  for (u32 i = 0; i < count && in.ok() && names_.size() < max_names; ++i) {
    Bytes attr = in.bytes(size);
    u32 ids = in.get<u32>();
    Name name;
    name.text = read_text(in);
    auto list = in.array<Le<u64>>(ids);
    if (!in.ok() || attr.size() < smallest_attr) break;
    name.typed = true;
    name.type = read_attr(attr).type;
    name.config = read_attr(attr).config;
    if (!list.empty()) name.id = list[0];
    names_.push_back(name);
  }
  damaged |= !in.ok();
}

// Some versions of perf pad the records wrongly, so that a next one may begin a little later than
// the size of the one before says.
void Head::read_build_ids(Bytes contents) {
  constexpr size_t farthest = 64;
  size_t at = 0, lost = 0;
  while (contents.size() - at >= sizeof(RecordHeader) && lost <= farthest) {
    const auto& header = *reinterpret_cast<const RecordHeader*>(contents.data() + at);
    size_t size = header.size;
    if (size <= contents.size() - at && read_build_id(contents.subspan(at, size))) {
      at += size;
      lost = 0;
    } else {
      damaged = true;
      at += 4;
      lost += 4;
    }
  }
}

bool Head::read_build_id(Bytes record) {
  Cursor in(record);
  auto header = in.get<RecordHeader>();
  BuildId entry;
  entry.mode = header.misc & misc::mode_mask;
  entry.pid = in.get<i32>();
  Bytes field = in.bytes(20);
  size_t size = in.get<u8>();
  in.skip(3);
  std::string_view path = as_text(in.rest());
  entry.path = path.substr(0, path.find('\0'));
  bool sized = header.misc & misc::build_id_size;
  if (!in.ok() || entry.path.empty() || (sized && size > field.size())) return false;
  entry.id = sized ? field.first(size) : without_padding(field);
  features.build_ids.push_back(entry);
  return true;
}

void Head::read_meta(Cursor in) {
  while (!in.at_end() && in.ok() && features.meta.size() < max_words) {
    std::string_view key = in.cstring();
    std::string_view value = in.cstring();
    if (!in.ok()) break;
    features.meta.emplace_back(key, value);
    if (key == "event_type_info") add_simpleperf_names(value);
  }
}

// Lines of "name,type,config"
void Head::add_simpleperf_names(std::string_view lines) {
  while (!lines.empty() && names_.size() < max_names) {
    std::string_view line = lines.substr(0, lines.find('\n'));
    lines.remove_prefix(std::min(lines.size(), line.size() + 1));
    size_t first = line.find(','), second = line.find(',', first + 1);
    if (first == line.npos || second == line.npos) continue;
    Name name;
    name.typed = true;
    name.text = line.substr(0, first);
    auto type = line.substr(first + 1, second - first - 1), config = line.substr(second + 1);
    take_number(type, name.type);
    take_number(config, name.config);
    names_.push_back(name);
  }
}

void Head::add_record(const Record& record) {
  Cursor in(record.body);
  switch (record.type) {
    case RecordType::attr: {
      size_t size = attr_size(record.body);
      Bytes attr = in.bytes(size);
      auto ids = in.array<Le<u64>>(in.left() / 8);
      if (in.ok()) return add_event(attr, ids);
      break;
    }
    case RecordType::feature: {
      u64 number = in.get<u64>();
      if (in.ok() && number < feature::bits)
        return add_feature(static_cast<u32>(number), in.rest());
      break;
    }
    case RecordType::build_id: {
      Bytes whole(record.body.data() - sizeof(RecordHeader),
                  record.body.size() + sizeof(RecordHeader));
      if (read_build_id(whole)) return;
      break;
    }
    case RecordType::event_update: {
      constexpr u64 is_name = 2;
      u64 what = in.get<u64>();
      Name name;
      name.id = in.get<u64>();
      if (in.ok() && what == is_name && names_.size() < max_names) {
        name.text = in.cstring();
        names_.push_back(name);
      }
      return;
    }
    case RecordType::event_type: {
      Name name;
      name.typed = true;
      name.config = in.get<u64>();
      name.text = in.cstring();
      if (in.ok() && names_.size() < max_names) names_.push_back(name);
      return;
    }
    default:
      return;
  }
  damaged = true;
}

// A name goes to the event that has its id; one without id to the events of its type and config.
void Head::finish() {
  std::vector<std::pair<u64, u32>> by_id;
  for (const auto& name : names_)
    if (name.id) by_id.emplace_back(name.id, static_cast<u32>(&name - names_.data()));
  std::sort(by_id.begin(), by_id.end());
  for (auto& event : events) {
    for (u64 id : event.ids) {
      auto found = std::lower_bound(by_id.begin(), by_id.end(), std::pair(id, u32(0)));
      if (found == by_id.end() || found->first != id) continue;
      event.name = names_[found->second].text;
      break;
    }
  }
  if (events.size() * names_.size() > u64(max_words) * 64) names_.clear();  // hostile, not slow
  for (auto& event : events) {
    if (!event.name.empty()) continue;
    for (const auto& name : names_)
      if (name.typed && name.type == event.attr.type && name.config == event.attr.config)
        event.name = name.text;
    if (event.name.empty()) event.name = default_event_name(event.attr);
  }
}

namespace {

Section read_section(Cursor& in) {
  Section section;
  section.offset = in.get<u64>();
  section.size = in.get<u64>();
  return section;
}

// Nothing where the section is not inside the file.
std::optional<Bytes> contents(Bytes file, Section section) {
  if (section.offset > file.size() || section.size > file.size() - section.offset)
    return std::nullopt;
  return file.subspan(section.offset, section.size);
}

Status check_magic(Bytes file) {
  std::string_view start = as_text(file.first(std::min<size_t>(file.size(), 8)));
  if (start == "PERFILE2") return {};
  if (start == "2ELIFREP")
    return fail("was recorded on a big-endian machine, which pgokit does not read");
  if (start == "PERFFILE" || start == "ELIFFREP")
    return fail(
        "is a perf.data file of version 1 (perf before Linux 3.3), which pgokit does not read");
  return fail("is not a perf.data file");
}

Status read_events(Bytes file, u64 entry_size, Section attrs, Head& head) {
  if (entry_size < smallest_attr + sizeof(Section))
    return fail("damaged header: an event attribute has {} bytes", entry_size);
  auto table = contents(file, attrs);
  if (!table) return fail("damaged header: the table of events is outside of the file");
  u64 ids_left = file.size() / 8;
  for (Cursor in(*table); in.left() >= entry_size;) {
    Bytes entry = in.bytes(entry_size);
    size_t size = attr_size(entry);
    if (size > entry.size() - sizeof(Section)) size = entry.size() - sizeof(Section);
    Cursor behind(entry.subspan(size));
    Section section = read_section(behind);
    auto ids = contents(file, section);
    // Sections that overlap would make the ids more than the file holds.
    if (!ids || ids->size() / 8 > ids_left) {
      head.damaged = true;
      ids = Bytes{};
    }
    ids_left -= ids->size() / 8;
    Cursor list(*ids);
    head.add_event(entry.first(size), list.array<Le<u64>>(ids->size() / 8));
  }
  if (head.events.empty()) return fail("damaged header: there is no event in it");
  return {};
}

void read_features(Bytes file, u64 at, std::span<const Le<u64>> bits, Head& head) {
  if (at > file.size()) return;
  Cursor table(file.subspan(at));
  for (u32 number = 0; number < feature::bits; ++number) {
    if (!(bits[number / 64] >> (number % 64) & 1)) continue;
    Section section = read_section(table);
    auto bytes = table.ok() ? contents(file, section) : std::nullopt;
    if (bytes)
      head.add_feature(number, *bytes);
    else
      head.damaged = true;
  }
}

}  // namespace

Result<Layout> read_layout(Bytes file, Head& head) {
  TRY(check_magic(file));
  Cursor in(file);
  in.skip(8);
  u64 size = in.get<u64>();
  Layout layout;
  if (in.ok() && size == 16) {
    layout.pipe = true;
    layout.data = {16, file.size() - 16};
    return layout;
  }
  u64 entry_size = in.get<u64>();
  Section attrs = read_section(in);
  layout.data = read_section(in);
  read_section(in);  // event types: no longer used
  auto bits = in.array<Le<u64>>(feature::bits / 64);
  if (!in.ok() || size < in.position())
    return fail("damaged header: it has {} bytes", std::min<u64>(size, file.size()));
  if (layout.data.offset > file.size())
    return fail("damaged header: its records are outside of the file");
  TRY(read_events(file, entry_size, attrs, head));
  layout.promised = layout.data.size;
  u64 rest = file.size() - layout.data.offset;
  if (layout.promised == 0 || layout.promised > rest)
    layout.data.size = rest;
  else
    read_features(file, layout.data.offset + layout.data.size, bits, head);
  return layout;
}

}  // namespace pgokit::perf
