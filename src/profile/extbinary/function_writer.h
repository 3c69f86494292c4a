#pragma once

// What the two binary forms have in common: the head of the file, names, summary, functions.

#include "profile/extbinary_format.h"
#include "profile/model/byte_writer.h"
#include "profile/model/file_order.h"
#include "profile/model/summary.h"

namespace pgokit::profile {

void write_summary(ByteWriter& out, const Summary& summary);
void write_names(ByteWriter& out, const FileOrder& order, const NameTable& names);

// Writes functions without what stands in front of them (head, name or context).
class FunctionWriter {
 public:
  FunctionWriter(ByteWriter& out, const FileOrder& order, bool vtables)
      : out_(out), order_(order), vtables_(vtables) {}

  void write(const FunctionSamples& samples);

 private:
  void write_location(LineLocation location);
  void write_body(const FunctionSamples& samples);
  void write_inlinees(const FunctionSamples& samples);
  void write_vtables(const FunctionSamples& samples);

  ByteWriter& out_;
  const FileOrder& order_;
  bool vtables_;
  std::vector<NameCount> counts_;  // of the place that is being written
};

}  // namespace pgokit::profile
