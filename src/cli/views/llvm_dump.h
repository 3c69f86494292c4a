#pragma once

// What `llvm-profdata show --sample` prints of a profile, byte for byte.
// Source of truth: llvm/lib/ProfileData/SampleProf.cpp (print), SampleProfReader.cpp (dumpJson,
// dumpSectionInfo), llvm/lib/IR/ProfileSummary.cpp and llvm/tools/llvm-profdata.

#include "profile/table/columns.h"
#include "report/text_buffer.h"

namespace pgokit::cli {

// All functions by total, piece by piece in order; text is made on all cores.
void dump_functions(const profile::Columns& columns, const report::TakeText& take);
void dump_functions_json(const profile::Columns& columns, const report::TakeText& take);
// One function of a profile without contexts; what the peer prints for nothing if there is none.
std::string dump_function(const profile::Columns& columns, std::string_view name);

std::string dump_symbols(const profile::Columns& columns);
std::string dump_summary(const profile::Summary& summary);
// `top`: so many lines only; 0: all.
std::string dump_hot_functions(const profile::Columns& columns, u64 top);
// The flags of a section by LLVM's words, with commas between them.
std::string section_flags(const profile::SectionInfo& section);
std::string dump_sections(const std::vector<profile::SectionInfo>& sections, u64 file_size);

}  // namespace pgokit::cli
