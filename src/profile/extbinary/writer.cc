// The extensible binary form: magic, version, a table of sections, the sections.
//
//   u64 n, then n times { u64 type, u64 flags, u64 offset, u64 size }     all little endian
//
// The table is in the order readers want, the sections lie in the order they can be written. All
// other numbers are ULEB128. The order of functions in the metadata is free (the tools take that of
// a hash table): here it is the order of the functions themselves.
#include <zlib.h>

#include "base/parallel.h"
#include "profile/extbinary/function_writer.h"
#include "profile/extbinary_format.h"
#include "profile/format.h"
#include "profile/model/llvm_hash.h"

namespace pgokit::profile {
namespace {

struct Section {
  SectionType type;
  u64 flags = 0;
  u64 offset = 0;
  u64 size = 0;
};

bool is_flat(const Function& function) { return function.samples.inlinees.empty(); }

class ExtWriter {
 public:
  ExtWriter(const Profile& profile, const WriteOptions& options)
      : profile_(profile),
        options_(options),
        vtables_(options.vtables),
        order_(profile, vtables_, options.threads) {}

  std::string write() && {
    if (options_.split_layout)
      write_split();
    else
      write_default();
    return std::move(file_).take();
  }

 private:
  // Where the bodies start: behind magic (9 bytes), version, count, table.
  static constexpr u64 header_size(u64 sections) { return 9 + 1 + 8 + sections * sizeof(u64) * 4; }

  void write_default() {
    Section table[] = {{summary_section},         {name_table_section}, {context_table_section},
                       {function_offset_section}, {functions_section},  {symbol_list_section},
                       {metadata_section},        {notes_section}};
    enum { summary, names, contexts, offsets, functions, symbols, metadata, notes };
    auto written = begin(table);
    put_summary(table[summary]);
    put_names(table[names]);
    put_contexts(table[contexts]);
    put_functions(table[functions], order_.functions());
    put_symbols(table[symbols]);
    put_offsets(table[offsets]);
    put_metadata(table[metadata]);
    if (has_notes()) put_notes(table[notes]);
    assemble(written);
  }

  void write_split() {
    Section table[] = {{summary_section},
                       {name_table_section},
                       {function_offset_section},
                       {functions_section},
                       {function_offset_section, section_flat},
                       {functions_section, section_flat},
                       {symbol_list_section},
                       {metadata_section},
                       {notes_section}};
    enum {
      summary,
      names,
      offsets,
      functions,
      flat_offsets,
      flat_functions,
      symbols,
      metadata,
      notes
    };
    auto written = begin(table);
    std::vector<const Function*> nested, flat;
    for (const auto* function : order_.functions())
      (is_flat(*function) ? flat : nested).push_back(function);
    put_summary(table[summary]);
    put_names(table[names]);
    put_functions(table[functions], nested);
    put_offsets(table[offsets]);
    put_functions(table[flat_functions], flat);
    put_offsets(table[flat_offsets]);
    put_symbols(table[symbols]);
    put_metadata(table[metadata]);
    if (has_notes()) put_notes(table[notes]);
    assemble(written);
  }

  bool has_notes() const { return options_.notes && !profile_.notes.empty(); }

  // The sections that are written: notes are last.
  std::span<const Section> begin(std::span<const Section> table) {
    auto written = table.first(table.size() - !has_notes());
    base_ = header_size(written.size());
    return written;
  }

  void assemble(std::span<const Section> table) {
    file_.uleb128(magic_of_extbinary);
    file_.uleb128(format_version);
    file_.u64le(table.size());
    for (const auto& section : table)
      for (u64 value : {u64{section.type}, section.flags, section.offset, section.size})
        file_.u64le(value);
    file_.text(bodies_);
  }

  void put(Section& section, std::string_view contents) {
    section.offset = base_ + bodies_.size();
    if (options_.compress) {
      section.flags |= section_compressed;
      append_compressed(contents);
    } else {
      bodies_ += contents;
    }
    section.size = base_ + bodies_.size() - section.offset;
  }

  void append_compressed(std::string_view contents) {
    if (contents.empty()) return;
    uLongf size = compressBound(contents.size());
    std::string stream(size, '\0');
    compress2(reinterpret_cast<Bytef*>(stream.data()), &size,
              reinterpret_cast<const Bytef*>(contents.data()), contents.size(), Z_BEST_COMPRESSION);
    ByteWriter out;
    out.uleb128(contents.size());
    out.uleb128(size);
    bodies_ += out.bytes();
    bodies_.append(stream, 0, size);
  }

  void put_summary(Section& section) {
    const Flags& flags = profile_.flags;
    if (flags.partial) section.flags |= summary_partial;
    if (flags.context_sensitive) section.flags |= summary_context_sensitive;
    if (flags.fs_discriminators) section.flags |= summary_fs_discriminators;
    if (flags.pre_inlined) section.flags |= summary_pre_inlined;
    if (vtables_) section.flags |= summary_has_vtables;
    ByteWriter out;
    write_summary(out, options_.contexts_apart
                           ? summarize_contexts(profile_)
                           : summarize(profile_, options_.llvm_order, options_.threads));
    put(section, out.bytes());
  }

  void put_names(Section& section) {
    ByteWriter out;
    if (options_.md5_names) {
      section.flags |= names_md5 | names_fixed_md5;
      out.uleb128(order_.names().size());
      for (NameId name : order_.names()) out.u64le(profile_.names.guid(name));
    } else {
      for (NameId name : order_.names())
        if (profile_.names.text(name).find(".__uniq.") != std::string_view::npos)
          section.flags |= names_have_unique_suffix;
      write_names(out, order_, profile_.names);
    }
    put(section, out.bytes());
  }

  // Contexts ascending; a context's number is its place here.
  void put_contexts(Section& section) {
    ByteWriter out;
    if (profile_.flags.context_sensitive) number_contexts();
    out.uleb128(contexts_.size());
    for (const auto* function : contexts_) {
      auto frames = profile_.contexts.frames(function->context);
      out.uleb128(frames.size());
      for (const auto& frame : frames) {
        out.uleb128(order_.index(frame.function));
        out.uleb128(frame.location.line_offset);
        out.uleb128(frame.location.discriminator);
      }
    }
    put(section, out.bytes());
  }

  void number_contexts() {
    contexts_ = profile_.by_context(order_.indexes());
    context_index_.resize(profile_.contexts.end());
    for (u32 i = 0; i < contexts_.size(); ++i)
      context_index_[static_cast<size_t>(contexts_[i]->context)] = i;
  }

  u32 index(const Function& function) const {
    if (!context_index_.empty()) return context_index_[static_cast<size_t>(function.context)];
    return order_.index(function.samples.name);
  }

  // Writes things on all cores, one after the other in the file; `start(first, end, offset)` tells
  // where those have come to stand that were written together.
  template <class Write, class Start>
  std::string in_parts(size_t things, const Write& write, const Start& start) const {
    Chunks chunks{things, 512};
    std::vector<ByteWriter> parts(worker_count(options_.threads));
    std::string contents;
    parallel_in_order(
        chunks.count(), options_.threads,
        [&](size_t piece, unsigned worker) {
          parts[worker] = {};
          write(parts[worker], chunks.begin(piece), chunks.end(piece));
        },
        [&](size_t piece, unsigned worker) {
          start(chunks.begin(piece), chunks.end(piece), contents.size());
          contents += parts[worker].bytes();
        });
    return contents;
  }

  void put_functions(Section& section, std::span<const Function* const> functions) {
    offsets_.resize(functions.size());
    auto write = [&](ByteWriter& out, size_t first, size_t end) {
      FunctionWriter writer(out, order_, vtables_);
      for (size_t i = first; i < end; ++i) {
        const Function& function = *functions[i];
        offsets_[i] = {index(function), out.size()};
        out.uleb128(function.samples.head);
        out.uleb128(index(function));
        writer.write(function.samples);
      }
    };
    put(section, in_parts(functions.size(), write, [&](size_t first, size_t end, u64 offset) {
          for (size_t i = first; i < end; ++i) offsets_[i].offset += offset;
        }));
  }

  void put_offsets(Section& section) {
    ByteWriter out;
    if (profile_.flags.context_sensitive) {
      section.flags |= offsets_ordered;
      std::ranges::sort(offsets_, {}, &Offset::index);
    }
    out.uleb128(offsets_.size());
    for (const auto& [index, offset] : offsets_) {
      out.uleb128(index);
      out.uleb128(offset);
    }
    put(section, out.bytes());
  }

  void put_symbols(Section& section) {
    std::vector<std::string_view> sorted(profile_.symbols.size());
    for (u32 i = 0; i < sorted.size(); ++i) sorted[i] = profile_.symbols.text(NameId{i});
    std::ranges::sort(sorted);
    ByteWriter out;
    for (auto symbol : sorted) out.cstring(symbol);
    put(section, out.bytes());
  }

  void put_notes(Section& section) {
    put(section, std::string(head_of_notes) + profile_.notes.text(""));
  }

  bool has_attributes() const {
    return profile_.flags.context_sensitive || profile_.flags.pre_inlined;
  }

  std::vector<const Function*> metadata_order() const {
    auto ordered = order_.functions();
    std::vector<const Function*> functions(ordered.begin(), ordered.end());
    if (!options_.llvm_order) return functions;
    if (!options_.metadata_order.empty()) return kept_in_order(options_.metadata_order);
    auto order = llvm_table_order(LlvmKeys(profile_).all());
    for (size_t i = 0; i < order.size(); ++i) functions[i] = &profile_.functions()[order[i]];
    functions.resize(order.size());
    return functions;
  }

  std::vector<const Function*> kept_in_order(std::span<const ContextId> contexts) const {
    std::vector<const Function*> of_context(profile_.contexts.end()), functions;
    for (const auto& function : profile_.functions())
      of_context[static_cast<size_t>(function.context)] = &function;
    for (auto context : contexts)
      if (const auto* function = of_context[static_cast<size_t>(context)])
        functions.push_back(function);
    return functions;
  }

  void put_metadata(Section& section) {
    if (profile_.flags.probe_based) section.flags |= metadata_probes;
    if (has_attributes()) section.flags |= metadata_attributes;
    std::vector<const Function*> functions;
    if (section.flags & (metadata_probes | metadata_attributes)) functions = metadata_order();
    auto write = [&](ByteWriter& out, size_t first, size_t end) {
      for (size_t i = first; i < end; ++i) {
        out.uleb128(index(*functions[i]));
        write_metadata(out, functions[i]->samples);
      }
    };
    put(section, in_parts(functions.size(), write, [](size_t, size_t, u64) {}));
  }

  void write_metadata(ByteWriter& out, const FunctionSamples& samples) const {
    if (profile_.flags.probe_based) out.uleb128(samples.checksum);
    if (has_attributes()) out.uleb128(samples.attributes);
    if (profile_.flags.context_sensitive) return;
    u64 count = 0;
    for (const auto& [location, callees] : samples.inlinees) count += callees.size();
    out.uleb128(count);
    for (const auto& [location, callees] : samples.inlinees)
      order_.inlinees(callees, [&](const FunctionSamples& inlinee) {
        out.uleb128(location.line_offset);
        out.uleb128(location.discriminator);
        out.uleb128(order_.index(inlinee.name));
        write_metadata(out, inlinee);
      });
  }

  struct Offset {
    u32 index;
    u64 offset;
  };

  const Profile& profile_;
  const WriteOptions& options_;
  bool vtables_;
  FileOrder order_;
  std::vector<const Function*> contexts_;
  std::vector<u32> context_index_;  // by ContextId
  std::vector<Offset> offsets_;     // of the functions section last written
  u64 base_ = 0;                    // of bodies_ in the file
  std::string bodies_;
  ByteWriter file_;
};

}  // namespace

Result<std::string> write_extbinary(const Profile& profile, const WriteOptions& options) {
  if (options.split_layout && profile.flags.context_sensitive)
    return fail("the split layout holds no context-sensitive profile");
  return ExtWriter(profile, options).write();
}

}  // namespace pgokit::profile
