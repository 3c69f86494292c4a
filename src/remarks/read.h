#pragma once

// The remarks of a file: what `clang -fsave-optimization-record` writes, as YAML or as a bitstream
// (-fsave-optimization-record=bitstream), which are told apart by their first bytes.
//
//   auto file = TRY(MappedFile::open("app.opt.yaml"));
//   u64 inlined = 0;
//   TRY(each_remark(file.bytes(),
//                   [&](const Remark& remark) { inlined += remark.name == "Inlined"; }));
//
// A file with a remark that cannot be read is an error that names the place; remarks in front of it
// have been visited by then. An empty file has no remarks. Nothing is kept from one remark to the
// next but what a bitstream's table of strings takes: four bytes a string.

#include <functional>

#include "base/result.h"
#include "remarks/remark.h"

namespace pgokit::remarks {

using Visitor = std::function<void(const Remark&)>;

// Whether each_remark() is going to read it. An empty file is no evidence.
bool recognizes(Bytes file);

Status each_remark(Bytes file, const Visitor& visit);

// Whether clang, lld or LLVM's tools would give this name to a file of remarks: *.opt.yaml,
// *.opt.bitstream, of a link *-opt.ld.yaml (before clang 22 *.opt.ld.yaml), and those of the parts of
// a link (-flto=thin).
bool is_remarks_name(std::string_view file_name);

}  // namespace pgokit::remarks
