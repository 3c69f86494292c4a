#include "program/program.h"

#include <algorithm>

#include "program/producer.h"

namespace pgokit::program {
namespace {

constexpr u64 page_size = 0x1000;

u64 page_of(u64 address) { return address & ~(page_size - 1); }

struct Loaded {
  std::unique_ptr<MappedFile> image;
  std::unique_ptr<object::File> file;
};

Result<Loaded> load(const std::string& path) {
  Loaded loaded;
  loaded.image = std::make_unique<MappedFile>(TRY(MappedFile::open(path)));
  loaded.file =
      std::make_unique<object::File>(TRY_IN(path, object::File::parse(loaded.image->bytes())));
  return loaded;
}

}  // namespace

Result<Program> Program::open(const std::string& path, const ProgramOptions& options) {
  Program program;
  program.path_ = path;
  program.options_ = options;
  auto loaded = TRY(load(path));
  program.image_ = std::move(loaded.image);
  program.file_ = std::move(loaded.file);
  TRY_IN(path, program.read_segments());
  program.symbols_ = std::make_unique<CodeSymbols>(*program.file_);
  program.code_ = std::make_unique<CodeMap>(
      TRY_IN(path, CodeMap::build(*program.file_, *program.symbols_, options.extensions)));
  program.has_probes_ = !options.use_dwarf && program.file_->section(".pseudo_probe") &&
                        program.file_->section(".pseudo_probe_desc");
  program.detect_fs_discriminators();
  return program;
}

std::string_view Program::name() const {
  std::string_view path = path_;
  return path.substr(path.rfind('/') + 1);
}

Status Program::read_segments() {
  if (file_->is_relocatable())
    return fail(
        "a relocatable object, as kernel modules are: where a loader puts its sections is neither "
        "in it nor in a recording, so no sample can be placed in it; give a linked program (for a "
        "module: a kernel that it is built into, with --kernel)");
  if (file_->image_base() != 0) return read_image();
  for (const auto& segment : file_->segments()) {
    // As in llvm-profgen, a first segment at address 0 does not count.
    if (first_load_base_.value == 0) first_load_base_ = {page_of(segment.address)};
    if (segment.executable)
      text_segments_.push_back(
          {page_of(segment.address), page_of(segment.offset), segment.offset + segment.file_size});
  }
  if (text_segments_.empty()) return fail("no executable segment: is this a linked program?");
  return {};
}

// As llvm-profgen has it for COFF: addresses count from the image base, and the mapping that gives
// it begins at the first code section.
Status Program::read_image() {
  first_load_base_ = {file_->image_base()};
  u64 begin = ~u64{0}, end = 0;
  for (const auto& section : file_->sections()) {
    if (!section.executable) continue;
    begin = std::min(begin, section.address - file_->image_base());
    end = std::max(end, section.address + section.size - file_->image_base());
  }
  if (begin >= end) return fail("no section with code: is this a linked program?");
  text_segments_.push_back({file_->image_base(), begin, end});
  return {};
}

Result<probe::Table> Program::probe_table() const {
  Bytes descriptors = TRY_IN(path_, file_->contents(*file_->section(".pseudo_probe_desc")));
  Bytes probes = TRY_IN(path_, file_->contents(*file_->section(".pseudo_probe")));
  return probe::Table::index(descriptors, probes);
}

void Program::detect_fs_discriminators() {
  for (const auto& symbol : file_->symbols()) {
    if (symbol.name != "__llvm_fs_discriminator__") continue;
    if (symbol.section >= file_->sections().size()) continue;
    const auto& section = file_->sections()[symbol.section];
    bool data = section.holds == object::Holds::bytes && !section.executable;
    if (data && section.size > 0) has_fs_discriminators_ = true;
  }
  if (has_fs_discriminators_) discriminators_ = dwarf::Discriminators::whole;
}

// GCC has discriminators of its own, and no linkage names for static functions of C++.
void Program::fit_gcc(unsigned version) {
  constexpr unsigned first_with_fields = 16;
  discriminators_ =
      version < first_with_fields ? dwarf::Discriminators::whole : dwarf::Discriminators::gcc;
  if (!debug_->has_cplusplus().value_or(true)) return;
  debug_->set_entry_names([symbols = symbols_.get()](u64 begin, std::string_view name) {
    if (name.starts_with("_Z")) return name;
    std::string_view linkage_name;
    for (const auto& symbol : symbols->inside(begin, begin + 1)) {
      if (symbol.name == name) return name;
      if (symbol.name.starts_with("_Z")) linkage_name = symbol.name;
    }
    return linkage_name.empty() ? name : linkage_name.substr(0, linkage_name.find('.'));
  });
}

Status Program::load_functions(unsigned threads) {
  if (!options_.debug_path.empty()) {
    auto loaded = TRY(load(options_.debug_path));
    debug_image_ = std::move(loaded.image);
    debug_file_ = std::move(loaded.file);
  }
  const object::File& source = debug_file_ ? *debug_file_ : *file_;
  if (source.section(".debug_info") || source.section(".zdebug_info")) {
    const std::string& path = debug_file_ ? options_.debug_path : path_;
    dwarf::Options options{.path = path, .dwp = options_.dwp_path, .threads = threads};
    debug_ =
        std::make_unique<dwarf::DebugInfo>(TRY_IN(path, dwarf::DebugInfo::load(source, options)));
    if (unsigned version = gcc_version(debug_->producer()).value_or(0);
        version && !options_.as_of_llvm)
      fit_gcc(version);
    functions_ = FunctionTable(debug_->functions(), *symbols_, text_base().value);
  } else {
    functions_ = FunctionTable({}, *symbols_, text_base().value);
  }
  bool from_symbols = options_.functions_from_symbols && file_->has_symbol_sizes();
  if (has_probes_ && from_symbols) functions_.add_from_symbols(*file_);
  // That pass touched all debug information; what samples hit is a small part of it.
  release(image_->bytes());
  if (debug_image_) release(debug_image_->bytes());
  return {};
}

}  // namespace pgokit::program
