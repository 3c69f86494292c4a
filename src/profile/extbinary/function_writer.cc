#include "profile/extbinary/function_writer.h"

namespace pgokit::profile {

void write_summary(ByteWriter& out, const Summary& summary) {
  for (u64 value : {summary.total, summary.max_count, summary.max_function_count,
                    summary.num_counts, summary.num_functions, u64{summary.entries.size()}})
    out.uleb128(value);
  for (const auto& entry : summary.entries) {
    out.uleb128(entry.cutoff);
    out.uleb128(entry.min_count);
    out.uleb128(entry.num_counts);
  }
}

void write_names(ByteWriter& out, const FileOrder& order, const NameTable& names) {
  out.uleb128(order.names().size());
  for (NameId name : order.names()) out.cstring(names.text(name));
}

void FunctionWriter::write(const FunctionSamples& samples) {
  out_.uleb128(samples.total);
  write_body(samples);
  write_inlinees(samples);
  if (vtables_) write_vtables(samples);
}

void FunctionWriter::write_location(LineLocation location) {
  out_.uleb128(location.line_offset);
  out_.uleb128(location.discriminator);
}

void FunctionWriter::write_body(const FunctionSamples& samples) {
  out_.uleb128(samples.body.size());
  for (const auto& [location, record] : samples.body) {
    write_location(location);
    out_.uleb128(record.samples);
    if (!record.targets) {
      out_.uleb128(0);
      continue;
    }
    out_.uleb128(record.targets->size());
    for (const auto& target : order_.targets(*record.targets, counts_)) {
      out_.uleb128(order_.index(target.name));
      out_.uleb128(target.count);
    }
  }
}

void FunctionWriter::write_inlinees(const FunctionSamples& samples) {
  u64 count = 0;
  for (const auto& [location, callees] : samples.inlinees) count += callees.size();
  out_.uleb128(count);
  for (const auto& [location, callees] : samples.inlinees)
    order_.inlinees(callees, [&](const FunctionSamples& inlinee) {
      write_location(location);
      out_.uleb128(order_.index(inlinee.name));
      write(inlinee);
    });
}

void FunctionWriter::write_vtables(const FunctionSamples& samples) {
  out_.uleb128(samples.vtables ? samples.vtables->size() : 0);
  if (!samples.vtables) return;
  for (const auto& [location, counts] : *samples.vtables) {
    write_location(location);
    out_.uleb128(counts.size());
    for (const auto& vtable : order_.by_name(counts, counts_)) {
      out_.uleb128(order_.index(vtable.name));
      out_.uleb128(vtable.count);
    }
  }
}

}  // namespace pgokit::profile
