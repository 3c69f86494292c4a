#include "base/cursor.h"
#include "profile/extbinary.h"
#include "profile/function_reader.h"
#include "profile/readers.h"
#include "profile/section_table.h"

namespace pgokit::profile {
namespace {

class ExtReader {
 public:
  explicit ExtReader(Bytes file) : file_(file) {}

  Result<ReadProfile> read() && {
    TRY(read_table());
    for (const auto& section : result_.sections) {
      auto status = read_section(section);
      if (!status)
        return std::unexpected(std::move(status).error().in(fmt::format(
            "section '{}' (offset {:#x})", section_name(section.type), section.offset)));
    }
    profile().sort();
    return std::move(result_);
  }

 private:
  Profile& profile() { return result_.profile; }

  Status read_table() {
    result_.sections = TRY(read_section_table(file_));
    for (const auto& section : result_.sections)
      if (section.offset > file_.size() || section.size > file_.size() - section.offset)
        return fail("section '{}' (offset {:#x}, {} bytes) ends past the file",
                    section_name(section.type), section.offset, section.size);
    return {};
  }

  Status read_section(const SectionInfo& section) {
    take_flags(section);
    if (section.size == 0) return {};
    Bytes bytes = file_.subspan(section.offset, section.size);
    std::string contents;
    if (section.flags & section_compressed) {
      contents = TRY(inflate_section(bytes));
      bytes = as_bytes(contents);
    }
    Cursor in(bytes);
    switch (section.type) {
      case summary_section:
        skip_summary(in);
        break;
      case name_table_section:
        read_name_table(in, section.flags);
        break;
      case context_table_section:
        TRY(read_contexts(in));
        break;
      case functions_section:
        TRY(read_functions(in));
        break;
      case metadata_section:
        TRY(read_metadata(in, section.flags));
        break;
      case symbol_list_section:
        read_symbols(in);
        break;
      case function_offset_section:
        return {};  // for those who want single functions
      default:
        result_.unknown_sections.push_back(section.type);
        return {};
    }
    if (!in.ok()) return fail("ends early");
    if (!in.at_end()) return fail("{} bytes are left over", in.left());
    return {};
  }

  void take_flags(const SectionInfo& section) {
    Flags& flags = profile().flags;
    if (section.type == summary_section) {
      flags.partial |= (section.flags & summary_partial) != 0;
      flags.context_sensitive |= (section.flags & summary_context_sensitive) != 0;
      flags.fs_discriminators |= (section.flags & summary_fs_discriminators) != 0;
      flags.pre_inlined |= (section.flags & summary_pre_inlined) != 0;
      vtables_ = (section.flags & summary_has_vtables) != 0;
    } else if (section.type == metadata_section) {
      flags.probe_based |= (section.flags & metadata_probes) != 0;
    } else if (section.type == name_table_section) {
      result_.md5_names |= (section.flags & (names_md5 | names_fixed_md5)) != 0;
    }
  }

  void read_name_table(Cursor& in, u64 flags) {
    if (!(flags & (names_md5 | names_fixed_md5))) {
      names_ = read_names(in, profile().names);
      return;
    }
    names_.clear();
    for (u64 n = in.uleb128(); n > 0 && in.ok(); --n) {
      u64 guid = flags & names_fixed_md5 ? in.get<u64>() : in.uleb128();
      names_.push_back(profile().names.intern_guid(guid));
    }
  }

  Status read_contexts(Cursor& in) {
    contexts_.clear();
    FunctionReader reader(in, names_, vtables_);
    for (u64 n = in.uleb128(); n > 0 && in.ok(); --n) {
      auto context = ContextId::none;
      LineLocation call_site;
      for (u64 frames = in.uleb128(); frames > 0 && in.ok(); --frames) {
        NameId name = TRY(reader.read_name());
        context = profile().contexts.child(context, call_site, name);
        call_site = reader.read_location();
      }
      if (context == ContextId::none) return fail("a context without frames");
      contexts_.push_back(context);
    }
    return {};
  }

  Result<ContextId> read_context(FunctionReader& reader, Cursor& in) {
    if (!profile().flags.context_sensitive) return profile().contexts.top(TRY(reader.read_name()));
    u64 index = in.uleb128();
    if (index >= contexts_.size())
      return fail("context {} is past the table of {}", index, contexts_.size());
    return contexts_[index];
  }

  Status read_functions(Cursor& in) {
    FunctionReader reader(in, names_, vtables_);
    while (!in.at_end()) {
      u64 head = in.uleb128();
      FunctionSamples& samples = profile().function(TRY(read_context(reader, in)));
      samples.add_head(head);
      TRY(reader.read(samples));
    }
    return {};
  }

  Status read_metadata(Cursor& in, u64 flags) {
    FunctionReader reader(in, names_, vtables_);
    while (!in.at_end()) {
      auto context = TRY(read_context(reader, in));
      TRY(read_metadata_of(profile().find(context), in, reader, flags, 1));
    }
    return {};
  }

  // `samples` is null where the metadata speaks of a function without samples.
  Status read_metadata_of(FunctionSamples* samples, Cursor& in, FunctionReader& reader, u64 flags,
                          unsigned depth) {
    if (depth > max_inline_depth) return fail("inlined more than {} levels deep", max_inline_depth);
    u64 checksum = flags & metadata_probes ? in.uleb128() : 0;
    u64 attributes = flags & metadata_attributes ? in.uleb128() : 0;
    if (samples) {
      samples->checksum = checksum;
      samples->attributes = static_cast<u32>(attributes);
    }
    if (profile().flags.context_sensitive) return {};
    for (u64 n = in.uleb128(); n > 0 && in.ok(); --n) {
      LineLocation location = reader.read_location();
      NameId name = TRY(reader.read_name());
      auto* callees = samples ? samples->inlinees.find(location) : nullptr;
      auto* inlinee = callees ? callees->find(name) : nullptr;
      TRY(read_metadata_of(inlinee ? inlinee->get() : nullptr, in, reader, flags, depth + 1));
    }
    return {};
  }

  void read_symbols(Cursor& in) {
    while (!in.at_end()) profile().symbols.intern(in.cstring());
  }

  Bytes file_;
  ReadProfile result_{{}, Format::extbinary, false, {}, {}};
  std::vector<NameId> names_;
  std::vector<ContextId> contexts_;
  bool vtables_ = false;
};

}  // namespace

Result<ReadProfile> read_extbinary(Bytes bytes) { return ExtReader(bytes).read(); }

}  // namespace pgokit::profile
