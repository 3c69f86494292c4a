#include "program/stubs.h"

#include <tsl/robin_map.h>

#include <algorithm>

#include "base/cursor.h"
#include "isa/decoder.h"

namespace pgokit::program {
namespace {

struct DynamicRelocation {
  Le<u64> place, info;
  Le<i64> addend;
};
struct DynamicSymbol {
  Le<u32> name;
  u8 info, other;
  Le<u16> section;
  Le<u64> value, size;
};

template <class Record>
std::span<const Record> table(const object::Section* section) {
  if (!section) return {};
  return Cursor(section->contents).array<Record>(section->contents.size() / sizeof(Record));
}

// What the dynamic linker puts at a place.
struct Target {
  std::string_view name;
  u64 resolver = 0;
};

class DynamicTargets {
 public:
  explicit DynamicTargets(const object::File& file) {
    auto symbols = table<DynamicSymbol>(file.section(".dynsym"));
    const auto* names = file.section(".dynstr");
    u32 resolved = file.machine() == EM_AARCH64 ? R_AARCH64_IRELATIVE : R_X86_64_IRELATIVE;
    // BOLT finds those of stubs by .dynamic, which static programs lack.
    bool dynamic = file.section(".dynamic") != nullptr;
    for (std::string_view section : {".rela.plt", ".rela.dyn", ".rela.iplt"})
      for (const auto& one : table<DynamicRelocation>(file.section(section))) {
        if (!dynamic && section != ".rela.dyn") break;
        u64 symbol = one.info >> 32;
        auto type = static_cast<u32>(one.info);
        Target target;
        if (symbol && symbol < symbols.size() && names &&
            symbols[symbol].name < names->contents.size())
          target.name = Cursor(names->contents.subspan(symbols[symbol].name)).cstring();
        else if (type == resolved)
          target.resolver = static_cast<u64>(i64(one.addend));
        if (!target.name.empty() || target.resolver) targets_.emplace(one.place, target);
      }
  }
  const Target* at(u64 place) const {
    auto found = targets_.find(place);
    return found == targets_.end() ? nullptr : &found->second;
  }

 private:
  tsl::robin_map<u64, Target> targets_;
};

// `jmp *place(%rip)`, with prefixes perhaps; 0 for anything else.
u64 place_of_jump(Bytes code, u64 end) {
  if (code.size() < 6 || code[code.size() - 6] != 0xff || code[code.size() - 5] != 0x25) return 0;
  return end + static_cast<u64>(i64{Cursor(code.last(4)).get<i32>()});
}

class StubFinder {
 public:
  explicit StubFinder(const object::File& file)
      : targets_(file), decoder_(isa::Decoder::for_machine(file.machine())) {}

  void look_through(const object::Section& section, bool is_x86) {
    if (!decoder_) return;
    size_t before = found_.size();
    if (is_x86)
      look_x86(section, section.name == ".plt" ? 16 : 8);
    else
      look_aarch64(section);
    auto at_start = [&](const Stub& stub) { return stub.address == section.address; };
    if (std::ranges::none_of(found_.begin() + static_cast<std::ptrdiff_t>(before), found_.end(),
                             at_start))
      found_.push_back({section.address, {}, 0, section.name});
  }
  std::vector<Stub> found() && {
    std::ranges::sort(found_, {}, &Stub::address);
    return std::move(found_);
  }

 private:
  void add(const object::Section& section, u64 entry, u64 place) {
    const auto* target = place ? targets_.at(place) : nullptr;
    if (target)
      found_.push_back({section.address + entry, target->name, target->resolver, section.name});
  }

  void look_x86(const object::Section& section, u64 entry_size) {
    constexpr u8 landing[] = {0xf3, 0x0f, 0x1e, 0xfa};  // endbr64: such entries have 16 bytes
    Bytes code = section.contents;
    if (code.size() >= 4 && std::equal(landing, landing + 4, code.begin())) entry_size = 16;
    for (u64 entry = 0; entry + entry_size <= code.size(); entry += entry_size)
      for (u64 at = entry; at < entry + entry_size;) {
        auto one = decoder_->decode(code.subspan(at), section.address + at);
        u64 end = at + one.step();
        if (one.flow == isa::Flow::indirect_jump) {
          if (end <= entry + entry_size)
            add(section, entry, place_of_jump(code.subspan(at, one.step()), section.address + end));
          break;
        }
        at = end;
      }
  }

  // adrp x16, page; ldr x17, [x16, #offset]; add ...; br x17
  void look_aarch64(const object::Section& section) {
    constexpr u32 no_op = 0xd503201f;
    u64 begin = 0, place = 0;
    bool inside = false;
    Cursor in(section.contents);
    while (in.left() >= 4) {
      u64 at = in.position();
      u32 word = in.get<u32>();
      if (!inside && word == no_op) continue;
      if (!inside) begin = at, place = 0, inside = true;
      if ((word & 0x9f000000) == 0x90000000) {
        i64 pages = static_cast<i64>(u64{word >> 5 & 0x7ffff} << 45) >> 43 | (word >> 29 & 3);
        place = ((section.address + at) & ~u64{0xfff}) + (static_cast<u64>(pages) << 12);
      } else if ((word & 0xffc00000) == 0xf9400000) {
        place += u64{word >> 10 & 0xfff} * 8;
      } else if ((word & 0xfffffc1f) == 0xd61f0000) {
        add(section, begin, place);
        inside = false;
      }
    }
  }

  DynamicTargets targets_;
  Result<isa::Decoder> decoder_;
  std::vector<Stub> found_;
};

}  // namespace

std::vector<Stub> find_stubs(const object::File& file) {
  StubFinder finder(file);
  bool is_x86 = file.machine() == EM_X86_64;
  for (const auto& section : file.sections()) {
    bool stubs =
        section.name == ".plt" || (is_x86 ? section.name == ".plt.got" || section.name == ".plt.sec"
                                          : section.name == ".iplt");
    if (stubs && section.is_code() && section.size) finder.look_through(section, is_x86);
  }
  return std::move(finder).found();
}

namespace {

// .relr.dyn: an address, then bits of the words after it.
std::vector<u64> packed_places(const object::File& file) {
  std::vector<u64> places;
  u64 next = 0;
  for (u64 entry : table<Le<u64>>(file.section(".relr.dyn"))) {
    if ((entry & 1) == 0) {
      places.push_back(entry);
      next = entry + 8;
      continue;
    }
    for (u64 bits = entry >> 1, at = next; bits; bits >>= 1, at += 8)
      if (bits & 1) places.push_back(at);
    next += u64{63} * 8;
  }
  return places;
}

}  // namespace

std::vector<u64> dynamic_places(const object::File& file) {
  auto places = packed_places(file);
  for (auto section : {".rela.plt", ".rela.dyn", ".rela.iplt"})
    for (const auto& one : table<DynamicRelocation>(file.section(section)))
      places.push_back(one.place);
  std::ranges::sort(places);
  return places;
}

std::vector<u64> dynamic_addresses(const object::File& file) {
  std::vector<u64> addresses;
  u32 relative = file.machine() == EM_AARCH64 ? R_AARCH64_RELATIVE : R_X86_64_RELATIVE;
  for (const auto& one : table<DynamicRelocation>(file.section(".rela.dyn")))
    if (static_cast<u32>(one.info) == relative)
      addresses.push_back(static_cast<u64>(i64(one.addend)));
  const object::Section* last = nullptr;
  for (u64 place : packed_places(file)) {
    auto holds = [&](const object::Section& section) {
      return section.loaded && place - section.address < section.contents.size();
    };
    if (!last || !holds(*last)) {
      auto found = std::ranges::find_if(file.sections(), holds);
      if (found == file.sections().end()) continue;
      last = &*found;
    }
    addresses.push_back(Cursor(last->contents.subspan(place - last->address)).get<u64>());
  }
  return addresses;
}

}  // namespace pgokit::program
