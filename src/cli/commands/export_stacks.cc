#include "cli/commands/export_stacks.h"

#include <algorithm>

#include "base/file.h"
#include "pipeline/foreign_formats.h"
#include "pipeline/inputs.h"
#include "report/numbers.h"
#include "report/print.h"
#include "stacks/read/read.h"

namespace pgokit::cli {
namespace {

using stacks::FoldedRoot;

Result<const stacks::Form*> chosen_form(const StackSettings& settings) {
  const auto* form =
      settings.form.empty() ? stacks::form_of(settings.output) : stacks::form_named(settings.form);
  if (!form && settings.form.empty())
    return usage_error(
        "which form the stacks are to have is not known by the ending of {}: --to {}",
        settings.output, stacks::form_names());
  if (!form) return usage_error("--to {}: one of {}", settings.form, stacks::form_names());
  bool folded = form->name == "folded";
  if (!folded && (settings.marks || settings.addresses || settings.samples ||
                  !settings.root.empty() || !settings.event.empty()))
    return usage_error("--root, --event, --marks, --addresses and --samples are of --to folded");
  return form;
}

Result<FoldedRoot> chosen_root(const std::string& root) {
  if (root.empty() || root == "command") return FoldedRoot::command;
  if (root == "process") return FoldedRoot::process;
  if (root == "thread") return FoldedRoot::thread;
  return usage_error("--root {}: command, process or thread", root);
}

// Folded stacks are of one event: the first one that has samples.
Result<u32> chosen_event(const stacks::Stacks& stacks, const StackSettings& settings) {
  std::vector<u64> samples(stacks.events.size());
  for (const auto& sample : stacks.samples)
    samples[stacks.tracks[sample.track].event] += sample.count;
  std::string others;
  u32 chosen = static_cast<u32>(stacks.events.size());
  for (u32 event = 0; event < stacks.events.size(); ++event) {
    const auto& name = stacks.events[event].name;
    if (!settings.event.empty() && name == settings.event && samples[event]) return event;
    if (samples[event] && chosen == stacks.events.size()) chosen = event;
    if (samples[event] && chosen != event) others += (others.empty() ? "" : ", ") + name;
  }
  if (!settings.event.empty())
    return fail("{}: no sample of an event {} is in it; there are those of {}", settings.input,
                settings.event, stacks.events[chosen].name + (others.empty() ? "" : ", ") + others);
  if (!others.empty())
    report::print(
        stderr, "pgokit export: {}: the stacks are those of {}; --event chooses another one: {}\n",
        settings.input, stacks.events[chosen].name, others);
  return chosen;
}

void tell_losses(const StackSettings& settings, const stacks::Read& read) {
  constexpr size_t most = 3;
  if (!read.cut_short.empty())
    report::print(stderr, "pgokit export: {}: it is not whole: {}\n", settings.input,
                  read.cut_short);
  if (read.unreadable)
    report::print(stderr, "pgokit export: {}: samples that cannot be read: {}\n", settings.input,
                  report::grouped(read.unreadable));
  for (size_t i = 0; i < std::min(most, read.nameless.size()); ++i)
    report::print(stderr,
                  "pgokit export: {}: its functions have no names here: give the file with -b\n",
                  read.nameless[i]);
  if (read.nameless.size() > most)
    report::print(stderr, "pgokit export: ... and {} more files\n",
                  report::grouped(read.nameless.size() - most));
}

Status refuse_other_than_recording(Bytes file) {
  if (file.empty()) return fail("it is empty");
  const auto* kind = pipeline::identify(file);
  if (kind && !kind->of_samples) return fail("{}, not a recording", kind->name);
  if (auto what = pipeline::foreign_format(file); !what.empty()) return fail("{}", what);
  return {};
}

}  // namespace

Status export_stacks(const StackSettings& settings) {
  const auto* form = TRY(chosen_form(settings));
  stacks::WriteOptions how{
      .name = settings.input,
      .folded = {
          .marks = settings.marks, .addresses = settings.addresses, .samples = settings.samples}};
  how.folded.root = TRY(chosen_root(settings.root));
  stacks::ReadOptions options{.path = settings.input, .pid = settings.pid, .times = form->times};
  options.programs = settings.programs;
  auto file = TRY(MappedFile::open(settings.input));
  TRY_IN(settings.input, refuse_other_than_recording(file.bytes()));
  auto read = TRY_IN(settings.input, stacks::read_stacks(file.bytes(), options));
  if (form->name == "folded") how.folded.event = TRY(chosen_event(read.stacks, settings));
  auto output = TRY(OutputFile::create(settings.output));
  form->write(read.stacks, how, [&](std::string_view bytes) { output.write(bytes); });
  tell_losses(settings, read);
  return output.commit();
}

}  // namespace pgokit::cli
