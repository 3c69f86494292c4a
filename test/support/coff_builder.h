#pragma once

// Small COFF objects and PE images for tests.
//
//   std::string object = test::CoffBuilder()
//                            .section(".text", "\xc3", coff::has_code)
//                            .symbol("f", 0, 1)
//                            .image();
//   std::string program = test::CoffBuilder().image_base(0x140000000).section(...).image();

#include <string>
#include <string_view>
#include <vector>

#include "object/coff/layout.h"

namespace pgokit::test {

namespace coff = object::coff;

class CoffBuilder {
 public:
  CoffBuilder& machine(u16 machine) { return machine_ = machine, *this; }
  // Makes it an image, of 64 bits.
  CoffBuilder& image_base(u64 base) { return base_ = base, *this; }
  // The first one added has number 1. Relocations are {address, symbol record, type}.
  CoffBuilder& section(std::string name, std::string contents, u32 flags, u32 address = 0,
                       std::vector<coff::RelocationRecord> relocations = {}) {
    sections_.push_back(
        {std::move(name), std::move(contents), flags, address, std::move(relocations)});
    return *this;
  }
  CoffBuilder& symbol(std::string_view name, u32 value, u16 section,
                      u8 storage_class = coff::external, u16 type = coff::function_type) {
    coff::SymbolRecord record{};
    add_name(name, record.name);
    record.value = value, record.section = section, record.type = type;
    record.storage_class = storage_class;
    symbols_ += bytes_of(record);
    return *this;
  }
  // Of a COMDAT section that goes with another one: two records.
  CoffBuilder& associate(std::string_view name, u16 section, u16 with) {
    symbol(name, 0, section, coff::local, 0);
    symbols_.back() = 1;
    coff::SectionDefinition definition{};
    definition.number = with;
    definition.selection = coff::select_associative;
    symbols_ += bytes_of(definition);
    return *this;
  }

  std::string image() const {
    std::string out;
    if (base_) {
      out = "MZ";
      out.resize(0x40);
      out[0x3c] = 0x40;
      out += std::string("PE\0\0", 4);
    }
    u64 headers = out.size() + sizeof(coff::Header) + (base_ ? optional_size : 0) +
                  sections_.size() * sizeof(coff::SectionHeader);
    std::string table, body, strings = strings_;
    for (const auto& one : sections_) table += section_header(one, headers, body, strings);
    coff::Header header{};
    header.machine = machine_;
    header.sections = static_cast<u16>(sections_.size());
    header.symbols_offset = static_cast<u32>(headers + body.size());
    header.symbols = static_cast<u32>(symbols_.size() / sizeof(coff::SymbolRecord));
    header.optional_header_size = base_ ? optional_size : 0;
    out += bytes_of(header);
    if (base_) {
      coff::OptionalHeader optional{};
      optional.magic = coff::pe32_plus;
      out += bytes_of(optional) + bytes_of(base_);
    }
    Le<u32> size = static_cast<u32>(4 + strings.size());
    return out + table + body + symbols_ + bytes_of(size) + strings;
  }

 private:
  static constexpr u16 optional_size = sizeof(coff::OptionalHeader) + 8;
  struct Section {
    std::string name, contents;
    u32 flags, address;
    std::vector<coff::RelocationRecord> relocations;
  };

  template <class T>
  static std::string bytes_of(const T& value) {
    return {reinterpret_cast<const char*>(&value), sizeof value};
  }

  void add_name(std::string_view name, u8 (&field)[8]) {
    if (name.size() <= sizeof field) {
      std::memcpy(field, name.data(), name.size());
      return;
    }
    Le<u32> offset = static_cast<u32>(4 + strings_.size());
    std::memcpy(field + 4, &offset, sizeof offset);
    strings_.append(name).push_back('\0');
  }

  static std::string section_header(const Section& one, u64 headers, std::string& body,
                                    std::string& strings) {
    coff::SectionHeader header{};
    std::string name = one.name;
    if (name.size() > sizeof header.name) {
      name = "/" + std::to_string(4 + strings.size());
      strings += one.name + '\0';
    }
    std::memcpy(header.name, name.data(), name.size());
    header.virtual_size = static_cast<u32>(one.contents.size());
    header.virtual_address = one.address;
    header.size = static_cast<u32>(one.contents.size());
    header.offset = static_cast<u32>(headers + body.size());
    body += one.contents;
    header.relocations_offset = static_cast<u32>(headers + body.size());
    header.relocations = static_cast<u16>(one.relocations.size());
    for (const auto& relocation : one.relocations) body += bytes_of(relocation);
    header.characteristics = one.flags;
    return bytes_of(header);
  }

  u16 machine_ = coff::amd64;
  u64 base_ = 0;
  std::vector<Section> sections_;
  std::string symbols_, strings_;
};

}  // namespace pgokit::test
