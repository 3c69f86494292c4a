#pragma once

// Archives of object files (.a), whole and thin.
//
//   if (object::is_archive(bytes))
//     TRY(object::each_member(bytes, [&](const object::ArchiveMember& member) -> Status {
//       return take(member.name, member.contents);       // of a thin archive: read member.name
//     }));
//
//   "!<arch>\n" or "!<thin>\n", then for each member, at an even offset:
//   char name[16], date[12], user[6], group[6], mode[8], size[10], "`\n"; contents
//
// Names: "f.o/"; "/N": at N in the member "//", up to "/\n" (GNU, LLVM); "#1/N": the first N bytes of
// the contents (BSD). "/", "/SYM64/" and "__.SYMDEF..." are indexes, which are passed over. Members of
// thin archives have no contents: their names are paths from the archive's folder.
// Source of truth: ar(5), and what llvm-ar and GNU ar write.

#include <functional>
#include <string_view>

#include "base/result.h"
#include "base/types.h"

namespace pgokit::object {

struct ArchiveMember {
  std::string_view name;
  Bytes contents;
};

bool is_archive(Bytes bytes);
bool is_thin_archive(Bytes bytes);

// The views are into `archive`. Stops where `visit` fails.
Status each_member(Bytes archive, const std::function<Status(const ArchiveMember&)>& visit);

}  // namespace pgokit::object
