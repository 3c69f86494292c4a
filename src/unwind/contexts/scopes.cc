#include "unwind/contexts/scopes.h"

#include "dwarf/discriminator.h"
#include "dwarf/line_offset.h"

namespace pgokit::unwind {

using program::CodeIndex;

Scopes::Scopes(const program::Program& program, profile::NameTable& names)
    : code_(program.code()),
      discriminators_(program.discriminators()),
      names_(names),
      cursor_(program.debug() ? std::make_unique<dwarf::FrameCursor>(*program.debug()) : nullptr),
      scopes_(1) {}

const dwarf::FramePart& Scopes::part_at(CodeIndex place) {
  return cursor_ ? cursor_->at(code_.address_of(place).value) : no_part_;
}

u32 Scopes::scope_at(CodeIndex place) {
  const auto& part = part_at(place);
  if (part.frames.empty()) return unknown;
  auto [found, fresh] = scope_ids_.try_emplace(part.scope, static_cast<u32>(scopes_.size()));
  u32 id = found->second;
  if (fresh) add_scope(part);
  return id;
}

void Scopes::add_scope(const dwarf::FramePart& part) {
  auto callers = part.frames.first(part.frames.size() - 1);
  Scope scope;
  for (const auto& caller : callers)
    scope.callers.push_back(
        intern(frame_of(caller, dwarf::base_discriminator(caller.discriminator, discriminators_))));
  scope.function = names_.intern(part.frames.back().function);
  scope.chain = chain_of(callers);
  scope.entry = part.scope;
  scopes_.push_back(std::move(scope));
}

u32 Scopes::chain_of(std::span<const dwarf::Frame> callers) {
  u32 chain = 0;
  for (const auto& caller : callers) {
    ChainLink link = u64{chain} << 32 | intern(frame_of(caller, caller.discriminator));
    chain = chains_.try_emplace(link, static_cast<u32>(chains_.size() + 1)).first->second;
  }
  return chain;
}

std::span<const u32> Scopes::of_call(Place call) {
  frames_of_call_.clear();
  if (call == no_call) return {};
  for (const auto& frame : part_at(CodeIndex(call)).frames)
    frames_of_call_.push_back(
        intern(frame_of(frame, dwarf::base_discriminator(frame.discriminator, discriminators_))));
  return frames_of_call_;
}

Scopes::Frame Scopes::frame_of(const dwarf::Frame& frame, u32 discriminator) {
  return {names_.intern(frame.function), {dwarf::line_offset(frame), discriminator}};
}

u32 Scopes::intern(const Frame& frame) {
  auto [found, fresh] = frame_ids_.try_emplace(frame, static_cast<u32>(frames_.size()));
  if (fresh) frames_.push_back(frame);
  return found->second;
}

// The first instruction whose frames can differ; without debug information the next one.
CodeIndex Scopes::behind_part(CodeIndex place) {
  const auto& part = part_at(place);
  CodeIndex behind = part.frames.empty() ? program::no_code : code_.index_of({part.end});
  if (behind == program::no_code) behind = CodeIndex(static_cast<u32>(place) + code_.length(place));
  return code_.at_or_after(behind);
}

void Scopes::split(CodeIndex first, CodeIndex last, std::vector<Piece>& pieces) {
  u32 scope = scope_at(first);
  for (CodeIndex at = first;;) {
    CodeIndex next = behind_part(at);
    if (next > last) return pieces.push_back({first, last, scope});  // no_code is greater than all
    u32 next_scope = scope_at(next);
    bool same = scope != unknown && next_scope != unknown &&
                scopes_[scope].chain == scopes_[next_scope].chain;
    if (!same) {
      pieces.push_back({first, code_.before(next), scope});
      first = next;
      scope = next_scope;
    }
    at = next;
  }
}

}  // namespace pgokit::unwind
