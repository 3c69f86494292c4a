#include "cli/views/instrumented_program.h"

#include <algorithm>

#include "base/cursor.h"
#include "base/printable.h"

namespace pgokit::cli {
namespace {

// "src/a.c" is the end of "/home/x/src/a.c", "a.c" of "/b/a.c" and not of "/b/aa.c".
bool ends_with_path(std::string_view file, std::string_view end) {
  if (!file.ends_with(end)) return false;
  return file.size() == end.size() || end.starts_with('/') ||
         file[file.size() - end.size() - 1] == '/';
}

}  // namespace

Result<MipProgram> MipProgram::open(const std::string& path) {
  MipProgram program;
  program.path_ = path;
  program.image_ = std::make_unique<MappedFile>(TRY(MappedFile::open(path)));
  program.file_ =
      std::make_unique<object::File>(TRY_IN(path, object::File::parse(program.image_->bytes())));
  if (auto debug = dwarf::DebugInfo::load(*program.file_, {.path = path})) {
    program.debug_ = std::make_unique<dwarf::DebugInfo>(std::move(*debug));
    program.places_ = std::make_unique<instrument::Places>(*program.debug_);
  }
  return program;
}

bool MipProgram::is_of(const instrument::Module& module) const {
  auto id = as_text(file_->build_id());
  return module.has_map() && (id.empty() || module.build_id.empty() || id == module.build_id);
}

Result<MipPrograms> MipPrograms::open(const std::vector<std::string>& paths) {
  MipPrograms all;
  for (const auto& path : paths) all.programs_.push_back(TRY(MipProgram::open(path)));
  return all;
}

MipProgram* MipPrograms::of(const instrument::Module& module) {
  auto found = std::ranges::find_if(programs_, [&](const auto& one) { return one.is_of(module); });
  return found == programs_.end() ? nullptr : &*found;
}

Status MipPrograms::check_debug() const {
  for (const auto& program : programs_)
    if (!program.debug())
      return fail("{} has no debug information: compile it with -g or -gline-tables-only",
                  program.path());
  return {};
}

Status MipPrograms::check(const instrument::Profile& profile,
                          const std::string& profile_path) const {
  for (const auto& program : programs_) {
    auto id = as_text(program.file().build_id());
    auto is_its = [&](const instrument::Module& module) {  // libraries without a map have names
      return program.is_of(module) || (!id.empty() && id == module.build_id);
    };
    if (std::ranges::any_of(profile.modules, is_its)) continue;
    std::string held;
    for (const auto& module : profile.modules)
      if (module.has_map())
        held +=
            fmt::format("{}{} (build id {})", held.empty() ? "" : ", ",
                        instrument::display_name(module), object::hex(as_bytes(module.build_id)));
    return fail("{}: it is not a program of {}, which holds {}: give that build with -b",
                program.path(), profile_path, held);
  }
  return {};
}

Result<std::string> annotated_sources(const instrument::Profile& profile, MipPrograms& programs,
                                      const std::string& source) {
  TRY(programs.check_debug());
  std::string text;
  for (const auto& module : profile.modules) {
    const auto* program = programs.of(module);
    if (!program) continue;
    for (const auto& file : instrument::source_lines(module, *program->debug())) {
      if (!ends_with_path(file.name, source)) continue;
      auto contents = TRY(MappedFile::open(file.name));
      text += fmt::format("{}{}:\n{}", text.empty() ? "" : "\n", printable_line(file.name),
                          instrument::annotate(file, as_text(contents.bytes())));
    }
  }
  if (text.empty()) return fail("{}: no code comes from a file of that name", source);
  return text;
}

}  // namespace pgokit::cli
