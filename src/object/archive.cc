#include "object/archive.h"

#include "base/cursor.h"
#include "base/parse_number.h"

namespace pgokit::object {
namespace {

constexpr std::string_view whole_magic = "!<arch>\n", thin_magic = "!<thin>\n";
constexpr size_t header_size = 60;

std::string_view trimmed(std::string_view field) {
  return field.substr(0, field.find_last_not_of(' ') + 1);
}

bool is_index(std::string_view name) {
  return name == "/" || name == "/SYM64/" || name.starts_with("__.SYMDEF");
}

class Reader {
 public:
  explicit Reader(Bytes archive)
      : text_(as_text(archive)), archive_(archive), is_thin_(is_thin_archive(archive)) {}

  Status run(const std::function<Status(const ArchiveMember&)>& visit) {
    for (at_ = whole_magic.size(); at_ < text_.size(); at_ += at_ & 1) {
      auto member = TRY(next());
      if (!is_special_) TRY(visit(member));
    }
    return {};
  }

 private:
  Result<ArchiveMember> next() {
    const size_t begin = at_;
    auto header = text_.substr(at_, header_size);
    if (header.size() < header_size || header.substr(58) != "`\n")
      return fail("the archive has no member at offset {:#x}", begin);
    u64 size = 0;
    if (!parse_number(trimmed(header.substr(48, 10)), size))
      return fail("the size of the archive's member at offset {:#x} is no number", begin);
    at_ += header_size;
    ArchiveMember member{.name = trimmed(header.substr(0, 16)), .contents = {}};
    is_special_ = is_index(member.name) || member.name == "//";
    if (is_thin_ && !is_special_) return name_of(member, begin);
    if (size > text_.size() - at_)
      return fail("the archive's member at offset {:#x} ends past its end", begin);
    member.contents = archive_.subspan(at_, size);
    at_ += size;
    if (member.name == "//") long_names_ = as_text(member.contents);
    return is_special_ ? Result<ArchiveMember>(member) : name_of(member, begin);
  }

  Result<ArchiveMember> name_of(ArchiveMember member, size_t begin) {
    auto& name = member.name;
    u64 number = 0;
    if (name.starts_with("#1/")) {
      if (!parse_number(name.substr(3), number) || number > member.contents.size())
        return fail("the archive's member at offset {:#x} has no name", begin);
      name = as_text(member.contents.first(number));
      name = name.substr(0, name.find('\0'));
      member.contents = member.contents.subspan(number);
      is_special_ = is_index(name);
      return member;
    }
    if (name.starts_with('/')) {
      if (!parse_number(name.substr(1), number) || number >= long_names_.size())
        return fail("the archive's member at offset {:#x} has no name", begin);
      name = long_names_.substr(number);
      name = name.substr(0, name.find('\n'));
    }
    if (name.ends_with('/')) name.remove_suffix(1);
    if (name.empty()) return fail("the archive's member at offset {:#x} has no name", begin);
    return member;
  }

  std::string_view text_;
  Bytes archive_;
  bool is_thin_;
  size_t at_ = 0;
  bool is_special_ = false;  // the last member: an index, or the long names
  std::string_view long_names_;
};

}  // namespace

bool is_thin_archive(Bytes bytes) { return as_text(bytes).starts_with(thin_magic); }

bool is_archive(Bytes bytes) {
  return as_text(bytes).starts_with(whole_magic) || is_thin_archive(bytes);
}

Status each_member(Bytes archive, const std::function<Status(const ArchiveMember&)>& visit) {
  return Reader(archive).run(visit);
}

}  // namespace pgokit::object
