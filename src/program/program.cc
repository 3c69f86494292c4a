#include "program/program.h"

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
  if (file_->type() == ET_REL)
    return fail(
        "a relocatable object, as kernel modules are: where a loader puts its sections is neither "
        "in it nor in a recording, so no sample can be placed in it; give a linked program (for a "
        "module: a kernel that it is built into, with --kernel)");
  for (const auto& segment : file_->segments()) {
    if (!segment.is_load()) continue;
    // As in llvm-profgen, a first segment at address 0 does not count.
    if (first_load_base_.value == 0) first_load_base_ = {page_of(segment.address)};
    if (segment.is_code())
      text_segments_.push_back(
          {page_of(segment.address), page_of(segment.offset), segment.offset + segment.file_size});
  }
  if (text_segments_.empty()) return fail("no executable segment: is this a linked program?");
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
    bool data = section.type == SHT_PROGBITS && !(section.flags & SHF_EXECINSTR);
    if (data && section.size > 0) has_fs_discriminators_ = true;
  }
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
    functions_ = FunctionTable(debug_->functions(), *symbols_, text_base().value);
  } else {
    functions_ = FunctionTable({}, *symbols_, text_base().value);
  }
  if (has_probes_ && options_.functions_from_symbols) functions_.add_from_symbols(*file_);
  // That pass touched all debug information; what samples hit is a small part of it.
  release(image_->bytes());
  if (debug_image_) release(debug_image_->bytes());
  return {};
}

}  // namespace pgokit::program
