#include "stacks/forms.h"

#include <algorithm>

#include "base/gzip.h"
#include "stacks/write/firefox.h"
#include "stacks/write/pprof.h"
#include "stacks/write/speedscope.h"

namespace pgokit::stacks {
namespace {

using Out = report::TextBuffer;

constexpr Form all[] = {
    {"folded",
     {".folded", ".collapsed"},
     Times::dropped,
     false,
     [](const Stacks& stacks, const WriteOptions& options, Out& out) {
       write_folded(stacks, options.folded, out);
     }},
    {"speedscope",
     {".speedscope.json", ".speedscope"},
     Times::kept,
     false,
     [](const Stacks& stacks, const WriteOptions& options, Out& out) {
       write_speedscope(stacks, options.name, out);
     }},
    {"pprof",
     {".pb.gz", ".pprof"},
     Times::dropped,
     true,
     [](const Stacks& stacks, const WriteOptions&, Out& out) { write_pprof(stacks, out); }},
    {"firefox",
     {".firefox.json", ".firefox"},
     Times::kept,
     false,
     [](const Stacks& stacks, const WriteOptions& options, Out& out) {
       write_firefox(stacks, options.name, out);
     }},
};

}  // namespace

std::span<const Form> forms() { return all; }

const Form* form_named(std::string_view name) {
  const auto* found = std::ranges::find(all, name, &Form::name);
  return found == std::end(all) ? nullptr : found;
}

const Form* form_of(std::string_view path) {
  for (const auto& form : all)
    for (auto ending : form.endings)
      if (!ending.empty() && path.ends_with(ending)) return &form;
  return nullptr;
}

std::string form_names() {
  std::string names;
  for (const auto& form : all) names += (names.empty() ? "" : ", ") + std::string(form.name);
  return names;
}

void Form::write(const Stacks& stacks, const WriteOptions& options, const Take& take) const {
  if (!gzip) {
    report::TextBuffer out(take);
    write_to(stacks, options, out);
    return out.flush();
  }
  Gzip packed(take);
  report::TextBuffer out([&](std::string_view bytes) { packed.write(bytes); });
  write_to(stacks, options, out);
  out.flush();
  packed.finish();
}

}  // namespace pgokit::stacks
