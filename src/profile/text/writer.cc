// The text form:
//
//   # pgokit note: ...                            if asked for
//   name:total:head                      or [main:3.1 @ name]:total:head
//    line[.discriminator]: count callee:count ...
//    line[.discriminator]: vtables vtable:count ...
//    line[.discriminator]: inlinee:total           its own lines follow, one space further in
//    !CFGChecksum: number                          where places are probes
//    !Attributes: number                           unless zero
#include "base/parallel.h"
#include "profile/extbinary_format.h"
#include "profile/format.h"
#include "profile/model/byte_writer.h"
#include "profile/model/file_order.h"

namespace pgokit::profile {
namespace {

class TextWriter {
 public:
  TextWriter(const Profile& profile, const WriteOptions& options, const FileOrder& order)
      : profile_(profile), options_(options), order_(order) {}

  std::string write(std::span<const Function* const> functions) && {
    for (const auto* function : functions) {
      write_name(*function);
      out_.text(':');
      out_.decimal(function->samples.total);
      out_.text(':');
      out_.decimal(function->samples.head);
      out_.text('\n');
      write_lines(function->samples, 1);
    }
    return std::move(out_).take();
  }

 private:
  void write_name(const Function& function) {
    if (!profile_.flags.context_sensitive)
      return out_.text(profile_.names.text(function.samples.name));
    out_.text('[');
    out_.text(profile_.contexts.text(function.context, profile_.names));
    out_.text(']');
  }

  void write_lines(const FunctionSamples& samples, size_t depth) {
    for (const auto& [location, record] : samples.body) {
      start_line(location, depth);
      out_.decimal(record.samples);
      if (record.targets)
        for (const auto& target : order_.targets(*record.targets, scratch_)) {
          out_.text(' ');
          write_count(target);
        }
      out_.text('\n');
      write_vtables(samples, location, depth);
    }
    for (const auto& [location, callees] : samples.inlinees) {
      order_.inlinees(callees, [&](const FunctionSamples& inlinee) {
        start_line(location, depth);
        write_inlinee(inlinee, depth);
      });
      write_vtables(samples, location, depth);
    }
    write_metadata(samples, depth);
  }

  void write_inlinee(const FunctionSamples& inlinee, size_t depth) {
    if (profile_.flags.context_sensitive) out_.text('[');
    out_.text(profile_.names.text(inlinee.name));
    if (profile_.flags.context_sensitive) out_.text(']');
    out_.text(':');
    out_.decimal(inlinee.total);
    out_.text('\n');
    write_lines(inlinee, depth + 1);
  }

  void start_line(LineLocation location, size_t depth) {
    out_.spaces(depth);
    out_.decimal(location.line_offset);
    if (location.discriminator) {
      out_.text('.');
      out_.decimal(location.discriminator);
    }
    out_.text(": ");
  }

  void write_count(const NameCount& name_count) {
    out_.text(profile_.names.text(name_count.name));
    out_.text(':');
    out_.decimal(name_count.count);
  }

  void write_vtables(const FunctionSamples& samples, LineLocation location, size_t depth) {
    if (!samples.vtables || options_.no_vtables) return;
    const auto* counts = samples.vtables->find(location);
    if (!counts || counts->empty()) return;
    start_line(location, depth);
    out_.text("vtables ");
    for (const auto& vtable : order_.by_name(*counts, scratch_)) {
      write_count(vtable);
      out_.text(' ');
    }
    out_.text('\n');
  }

  void write_metadata(const FunctionSamples& samples, size_t depth) {
    if (profile_.flags.probe_based) {
      out_.spaces(depth);
      out_.text("!CFGChecksum: ");
      out_.decimal(samples.checksum);
      out_.text('\n');
    }
    if (samples.attributes) {
      out_.spaces(depth);
      out_.text("!Attributes: ");
      out_.decimal(samples.attributes);
      out_.text('\n');
    }
    if (options_.split_layout && depth == 1 && samples.inlinees.empty()) out_.text(" !Flat\n");
  }

  const Profile& profile_;
  const WriteOptions& options_;
  const FileOrder& order_;
  std::vector<NameCount> scratch_;
  ByteWriter out_;
};

}  // namespace

std::string write_text(const Profile& profile, const WriteOptions& options) {
  FileOrder order(profile, !options.no_vtables, options.threads);
  auto functions = order.functions();
  Chunks chunks{functions.size(), 128};
  std::string text = options.notes ? profile.notes.text(prefix_of_notes) : "";
  std::vector<std::string> parts(worker_count(options.threads));
  parallel_in_order(
      chunks.count(), options.threads,
      [&](size_t piece, unsigned worker) {
        parts[worker] = TextWriter(profile, options, order).write(chunks.of(functions, piece));
      },
      [&](size_t, unsigned worker) { text += parts[worker]; });
  return text;
}

}  // namespace pgokit::profile
