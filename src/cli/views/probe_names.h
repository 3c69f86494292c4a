#pragma once

// How the subcommands of `pgokit probes` call functions, kinds of probes and places.

#include <string>

#include "program/probe_file.h"
#include "report/function_names.h"

namespace pgokit::cli {

// The name in the descriptor, else that of the symbol; empty where neither is there.
std::string_view probe_function_name(const program::ProbeFile& file, u64 guid);
// "function 1234 without descriptor" where there is no name; with `names` as these show it.
std::string shown_function(const program::ProbeFile& file, u64 guid,
                           const report::FunctionNames* names = nullptr);

// As people read it, but with what tells functions of one name apart (".__uniq.17"): what is listed
// while it is read cannot know which of them are alike.
std::string listed_name(std::string_view name, bool mangled);

std::string_view probe_type_name(u8 type);  // "block", "indirect call", ...; "type 7"

// "section 7 .pseudo_probe: the record at offset 0x12 (0x2012 in the file) is cut off ..."
std::string broken_record(const program::ProbeSection& section, u64 offset);

// Fails where `broken` says why, or descriptors are lost: asked when all that can be shown is
// shown.
Status all_read(const program::ProbeFile& file, const std::string& broken);

}  // namespace pgokit::cli
