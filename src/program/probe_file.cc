#include "program/probe_file.h"

#include <algorithm>
#include <filesystem>

#include "base/function_name.h"

namespace pgokit::program {
namespace {

constexpr std::string_view probe_section = ".pseudo_probe",
                           descriptor_section = ".pseudo_probe_desc";

bool has_probes(const object::File& file) {
  const auto* section = file.section(probe_section);
  return section && section->holds != object::Holds::zeros;
}

bool has_code(const object::File& file) {
  return std::ranges::any_of(file.sections(), [](const object::Section& section) {
    return section.is_code() && !section.contents.empty();
  });
}

// Where debuggers look for the file that .gnu_debuglink or the build id names.
std::vector<std::string> debug_candidates(const std::string& path, const object::File& file) {
  std::filesystem::path folder = std::filesystem::path(path).parent_path();
  std::vector<std::string> found;
  std::string name(file.debug_link());
  if (!name.empty()) {
    found.push_back((folder / name).string());
    found.push_back((folder / ".debug" / name).string());
  }
  std::string id = object::hex(file.build_id());
  if (id.size() > 2)
    found.push_back(
        fmt::format("/usr/lib/debug/.build-id/{}/{}.debug", id.substr(0, 2), id.substr(2)));
  return found;
}

u64 mixed(u64 guid, u32 section) { return guid ^ (u64{section} + 1) * 0x9e3779b97f4a7c15u; }

}  // namespace

Result<std::unique_ptr<ProbeFile::Loaded>> ProbeFile::load(const std::string& path) {
  auto image = TRY(MappedFile::open(path));
  if (image.bytes().empty()) return fail("{}: it is empty", image.path());
  auto file = TRY_IN(image.path(), object::File::parse(image.bytes()));
  std::string shown = image.path();
  return std::make_unique<Loaded>(std::move(shown), std::move(image), std::move(file));
}

Result<ProbeFile> ProbeFile::open(const std::string& path, const ProbeFileOptions& options) {
  ProbeFile out;
  out.main_ = TRY(load(path));
  TRY(out.find_debug_file(options));
  const object::File& main = out.main_->file;
  const object::File* debug = out.debug_ ? &out.debug_->file : nullptr;
  out.probes_file_ = !debug || has_probes(main) ? &main : debug;
  out.symbols_file_ = !debug || main.has_symtab() ? &main : debug;
  if (has_code(main))
    out.code_file_ = &main;
  else if (debug && has_code(*debug))
    out.code_file_ = debug;
  if (!has_probes(*out.probes_file_))
    return fail(
        "{}: there are no pseudo probes in it: compiled without -fpseudo-probe-for-profiling, or "
        "stripped of them (then name the file that has them: --debug-file)",
        out.path());
  TRY_IN(out.path(), out.read_sections());
  out.read_symbols();
  return out;
}

Status ProbeFile::find_debug_file(const ProbeFileOptions& options) {
  if (!options.debug_path.empty()) {
    debug_ = TRY(load(options.debug_path));
    if (debug_->file.machine() != main_->file.machine())
      return fail("{}: it is of another machine than {}", debug_->path, main_->path);
    auto ours = main_->file.build_id(), theirs = debug_->file.build_id();
    if (!ours.empty() && !theirs.empty() && !std::ranges::equal(ours, theirs))
      return fail("{}: it belongs to another build than {}: build ids {} and {}", debug_->path,
                  main_->path, object::hex(theirs), object::hex(ours));
    return {};
  }
  if (has_probes(main_->file) && main_->file.has_symtab()) return {};
  for (const auto& candidate : debug_candidates(main_->path, main_->file)) {
    auto loaded = load(candidate);
    if (!loaded || !std::ranges::equal((*loaded)->file.build_id(), main_->file.build_id()))
      continue;
    debug_ = std::move(*loaded);
    return {};
  }
  return {};
}

Status ProbeFile::read_sections() {
  layout_ = std::make_unique<object::Layout>(*symbols_file_);
  const object::File& file = *probes_file_;
  object::Relocations relocations(file);
  std::vector<Bytes> descriptors;
  auto symbols = file.is_relocatable() ? file.symbols() : std::vector<object::Symbol>();
  for (const auto& section : file.sections()) {
    if (section.name == descriptor_section) {
      descriptors.push_back(TRY_IN(descriptor_section, file.contents(section)));
      descriptor_bytes_ += section.contents.size();
    }
    if (section.name != probe_section || section.holds == object::Holds::zeros) continue;
    ProbeSection one{.bytes = TRY_IN(probe_section, file.contents(section)),
                     .index = section.index,
                     .code = section.code,
                     .file_offset = 0};
    if (!one.bytes.empty() && one.bytes.data() == section.contents.data())
      one.file_offset = static_cast<u64>(section.contents.data() - file.image().data());
    if (file.is_relocatable() && relocations.any(section)) {
      relocated_.push_back(TRY(relocations.apply(section, *layout_, symbols)));
      one.bytes = relocated_.back();
    }
    sections_.push_back(one);
  }
  descriptors_ = probe::Descriptors::read(descriptors);
  return {};
}

void ProbeFile::read_symbols() {
  symbols_ = symbols_file_->symbols();
  bool relocatable = layout_->is_relocatable();
  for (u32 i = 0; i < symbols_.size(); ++i) {
    const auto& symbol = symbols_[i];
    if (symbol.section == 0 || symbol.name.empty() || symbol.kind == object::SymbolKind::file)
      continue;
    u64 guid = function_guid(symbol.name);
    by_guid_[guid] = i;
    if (relocatable) by_section_[mixed(guid, symbol.section)] = i;
  }
}

u64 ProbeFile::probe_bytes() const {
  u64 sum = 0;
  for (const auto& section : sections_)
    sum += probes_file_->sections()[section.index].contents.size();
  return sum;
}

probe::Table::AddressOf ProbeFile::address_of(const ProbeSection& section) const {
  bool relocatable = layout_->is_relocatable() && section.code != 0;
  return [this, relocatable, code = section.code](u64 guid) -> std::optional<u64> {
    if (relocatable)
      if (auto own = by_section_.find(mixed(guid, code)); own != by_section_.end())
        return layout_->address_of(symbols_[own->second]);
    auto found = by_guid_.find(guid);
    if (found == by_guid_.end()) return std::nullopt;
    return layout_->address_of(symbols_[found->second]);
  };
}

std::string_view ProbeFile::symbol_name(u64 guid) const {
  auto found = by_guid_.find(guid);
  return found == by_guid_.end() ? std::string_view() : symbols_[found->second].name;
}

}  // namespace pgokit::program
