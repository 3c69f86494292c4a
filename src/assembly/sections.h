#pragma once

// Which section each statement of assembly text goes to.
//
//   assembly::SectionTracker sections;
//   while (reader.next(one)) {
//     sections.apply(one);                       // .text, .section, .pushsection, .previous ...
//     use(sections.current());                   // into sections.list()
//   }
//   out += sections.list()[i].directive;         // a line that leads back to it
//
// Two sections of one name are told apart by their group, the section they are linked to and their
// `unique` number, as GNU as and clang do. Source of truth: the manual of GNU as, "ELF section
// stack" and ".section"; for COFF, whose sections have a COMDAT selection and symbol in the place of
// type and group, llvm/lib/MC/MCParser/COFFAsmParser.cpp.

#include <tsl/robin_map.h>

#include <string>
#include <vector>

#include "assembly/statements.h"

namespace pgokit::assembly {

enum class Content : u8 { unknown, code, other };

struct Section {
  std::string_view name;   // without quotes
  std::string directive;   // ".text" or ".section ...", one that means it wherever it stands
  std::string_view group;  // "name" or "name,comdat", of COFF the COMDAT symbol; empty: in none
  Content content = Content::unknown;
};

class SectionTracker {
 public:
  SectionTracker();

  // False: the statement does not change the section.
  bool apply(const Statement& statement);

  u32 current() const { return now_.section; }
  const std::vector<Section>& list() const { return sections_; }
  // What the directives so far say of it.
  ObjectFormat format() const { return format_; }

 private:
  struct Place {
    u32 section = 0, previous = 0;
  };

  bool apply_section(const Statement& statement);
  void enter(u32 section) { now_ = {section, now_.section}; }
  u32 named(std::string_view name);
  u32 described(std::string_view operands, bool pushes);
  u32 find_or_add(const std::string& identity, Section section);

  std::vector<Section> sections_;
  tsl::robin_map<std::string, u32> by_identity_;
  std::vector<Place> pushed_;
  Place now_;
  ObjectFormat format_ = ObjectFormat::elf;
};

}  // namespace pgokit::assembly
