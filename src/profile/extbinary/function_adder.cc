#include "profile/extbinary/function_adder.h"

#include <algorithm>

namespace pgokit::profile {
namespace {

// The index has been through all of it: no end is in sight of these.
u64 take_number(const u8*& at) {
  u64 value = *at++;
  if (value < 0x80) [[likely]]
    return value;
  value &= 0x7f;
  for (unsigned shift = 7;; shift += 7) {
    u64 byte = *at++;
    if (shift < 64) value |= (byte & 0x7f) << shift;
    if (byte < 0x80) return value;
  }
}

void increase(u64& sum, u64 count) { sum = add_saturated(sum, count); }

std::vector<ContextId> take_contexts(const ContextList& list, std::span<const u32> names,
                                     Profile& into) {
  std::vector<ContextId> contexts;
  contexts.reserve(list.count);
  const u8* at = list.bytes.data();
  for (u64 i = 0; i < list.count; ++i) {
    auto context = ContextId::none;
    LineLocation call_site;
    for (u64 frames = take_number(at); frames > 0; --frames) {
      auto name = static_cast<NameId>(names[take_number(at)]);
      context = into.contexts.child(context, call_site, name);
      call_site.line_offset = static_cast<u32>(take_number(at));
      call_site.discriminator = static_cast<u32>(take_number(at));
    }
    contexts.push_back(context);
  }
  return contexts;
}

NameId take_name(const NameList& list, u32 start, Profile& into, const FileTables::Rename* rename) {
  const u8* at = list.bytes.data() + start;
  if (list.kind == NameList::Kind::texts) {
    std::string_view text(reinterpret_cast<const char*>(at));
    return into.names.intern(rename ? (*rename)(text) : text);
  }
  u64 guid = 0;
  if (list.kind == NameList::Kind::fixed_guids)
    guid = Cursor({at, sizeof guid}).get<u64>();
  else
    guid = take_number(at);
  return into.names.intern_guid(guid);
}

}  // namespace

FileTables FileTables::take(BinaryIndex& index, Profile& into, const Rename* rename) {
  FileTables tables;
  tables.context_sensitive_ = index.flags.context_sensitive;
  for (auto& list : index.names) {
    auto ids = std::move(list.starts);
    for (u32& id : ids) id = static_cast<u32>(take_name(list, id, into, rename));
    tables.names_.push_back(std::move(ids));
  }
  for (const auto& list : index.contexts)
    tables.contexts_.push_back(take_contexts(list, tables.names_[list.names], into));
  return tables;
}

ContextId FileTables::context(const BinaryIndex::Entry& entry, Profile& into) const {
  if (context_sensitive_) return contexts_[entry.tables][entry.subject];
  return into.contexts.top(name(entry.tables, entry.subject));
}

void take_symbols(const BinaryIndex& index, Names& symbols) {
  for (Bytes list : index.symbols)
    for (Cursor in(list); !in.at_end();) symbols.intern(in.cstring());
}

u64 FunctionAdder::number() { return take_number(at_); }

u64 FunctionAdder::add(const BinaryIndex::Entry& entry, FunctionSamples& into, bool fresh) {
  names_ = tables_.names(entry.tables);
  replaced_ = 0;
  metadata_.clear();
  if (const u8* metadata = index_.metadata_of(entry)) {
    at_ = metadata;
    metadata_.emplace_back();
    read_metadata(metadata, 0);
    std::ranges::stable_sort(metadata_, {}, &Metadata::key);
  }
  const Metadata* own = metadata_.empty() ? nullptr : &metadata_.front();
  u64 checksum = own ? own->checksum : 0;
  u64 old = into.checksum;
  bool admitted = admit(into, fresh, checksum, own ? own->attributes : 0, addition_.rule);
  if (!admitted || (!fresh && old != 0 && old != checksum)) ++replaced_;
  if (!admitted) return replaced_;
  at_ = entry.at;
  increase(into.head, weighted(number()));
  number();  // the subject
  add_function(into, own);
  return replaced_;
}

// Fills in the last one of the list and appends those of its inlinees.
void FunctionAdder::read_metadata(const u8*, u32 parent) {
  auto id = static_cast<u32>(metadata_.size());
  auto& own = metadata_.back();
  own.parent = parent;
  own.id = id;
  if (index_.metadata_checksums) own.checksum = number();
  if (index_.metadata_attributes) own.attributes = static_cast<u32>(number());
  if (index_.flags.context_sensitive) return;
  for (u64 n = number(); n > 0; --n) {
    auto& inlinee = metadata_.emplace_back();
    inlinee.location = location();
    inlinee.name = names_[number()];
    read_metadata(at_, id);
  }
}

const FunctionAdder::Metadata* FunctionAdder::metadata_of(u32 parent, LineLocation location,
                                                          u32 name) const {
  auto key = std::tuple(parent, location, name);
  auto after = std::ranges::upper_bound(metadata_, key, {}, &Metadata::key);
  if (after == metadata_.begin() || after[-1].key() != key) return nullptr;
  return &after[-1];
}

void FunctionAdder::add_function(FunctionSamples& into, const Metadata* metadata) {
  increase(into.total, weighted(number()));
  add_body(into);
  add_inlinees(into, metadata);
  if (index_.vtables) add_vtables(into);
}

void FunctionAdder::add_body(FunctionSamples& into) {
  u64 n = number();
  if (into.body.empty()) into.body.reserve(n);
  FillMap<LineLocation, BodyRecord>::Walk body(into.body);
  for (; n > 0; --n) {
    auto& record = body[location()];
    increase(record.samples, weighted(number()));
    if (*at_ == 0) {
      ++at_;
      continue;
    }
    if (!record.targets) record.targets = std::make_unique<NameCounts>();
    add_counts(*record.targets);
  }
}

void FunctionAdder::add_counts(NameCounts& into) {
  for (u64 n = number(); n > 0; --n) {
    auto name = static_cast<NameId>(names_[number()]);
    increase(into[name], weighted(number()));
  }
}

void FunctionAdder::add_inlinees(FunctionSamples& into, const Metadata* metadata) {
  FillMap<LineLocation, FunctionSamples::Inlinees>::Walk inlinees(into.inlinees);
  for (u64 n = number(); n > 0; --n) {
    auto place = location();
    u32 name = names_[number()];
    auto& inlinee = inlinees[place][static_cast<NameId>(name)];
    bool fresh = !inlinee;
    if (fresh) inlinee = std::make_unique<FunctionSamples>();
    inlinee->name = static_cast<NameId>(name);
    const auto* own = metadata ? metadata_of(metadata->id, place, name) : nullptr;
    u64 checksum = own ? own->checksum : 0, old = inlinee->checksum;
    bool admitted = admit(*inlinee, fresh, checksum, own ? own->attributes : 0, addition_.rule);
    if (!admitted || (!fresh && old != 0 && old != checksum)) ++replaced_;
    if (admitted)
      add_function(*inlinee, own);
    else
      skip_function();
  }
}

void FunctionAdder::add_vtables(FunctionSamples& into) {
  for (u64 n = number(); n > 0; --n) {
    if (!into.vtables) into.vtables = std::make_unique<FillMap<LineLocation, NameCounts>>();
    auto place = location();
    add_counts((*into.vtables)[place]);
  }
}

void FunctionAdder::skip_function() {
  auto skip = [&](u64 numbers) {
    for (; numbers > 0; --numbers) number();
  };
  auto skip_counts = [&] { skip(2 * number()); };
  number();  // total
  for (u64 n = number(); n > 0; --n) {
    skip(3);
    skip_counts();
  }
  for (u64 n = number(); n > 0; --n) {
    skip(3);
    skip_function();
  }
  if (!index_.vtables) return;
  for (u64 n = number(); n > 0; --n) {
    skip(2);
    skip_counts();
  }
}

}  // namespace pgokit::profile
