#include "profile/extbinary/function_adder.h"

#include <algorithm>

#include "base/saturated.h"

namespace pgokit::profile {
namespace {

void increase(u64& sum, u64 count) { sum = add_saturated(sum, count); }

struct ContextTaker {
  std::span<const u32> names;
  Contexts& into;
  ContextId context = ContextId::none;
  LineLocation call_site = {};

  bool frame(u64 name, RawLocation at) {
    context = into.child(context, call_site, NameId{names[name]});
    call_site = at.narrow();
    return true;
  }
};

std::vector<ContextId> take_contexts(const ContextList& list, std::span<const u32> names,
                                     Profile& into) {
  std::vector<ContextId> contexts;
  contexts.reserve(list.count);
  KnownNumbers in(list.bytes.data());
  for (u64 i = 0; i < list.count; ++i) {
    ContextTaker taker{names, into.contexts};
    walk_context(in, taker);
    contexts.push_back(taker.context);
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
    guid = KnownNumbers(at).uleb128();
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

// Makes the list of metadata from that of a function and its inlinees.
class FunctionAdder::MetadataVisitor {
 public:
  MetadataVisitor(FunctionAdder& adder, u32 parent, LineLocation location, u32 name)
      : adder_(adder), id_(static_cast<u32>(adder.metadata_.size() + 1)) {
    adder.metadata_.push_back({parent, id_, location, name});
  }

  bool values(u64 checksum, u64 attributes) {
    adder_.metadata_.back().checksum = checksum;
    adder_.metadata_.back().attributes = static_cast<u32>(attributes);
    return true;
  }
  WalkEnd inlinee(RawLocation at, u64 name, auto enter) {
    return enter(MetadataVisitor(adder_, id_, adder_.location(at), adder_.names_[name]));
  }
  static bool end() { return true; }

 private:
  FunctionAdder& adder_;
  u32 id_;
};

class FunctionAdder::Body {
 public:
  Body(const FunctionAdder& adder, FunctionSamples& into) : adder_(adder), body_(into.body) {}

  bool place(RawLocation at, u64 samples) {
    record_ = &body_[adder_.location(at)];
    increase(record_->samples, adder_.weighted(samples));
    return true;
  }
  void begin_counts() {
    if (!record_->targets) record_->targets = std::make_unique<NameCounts>();
  }
  bool count(u64 name, u64 count) {
    auto callee = static_cast<NameId>(adder_.names_[name]);
    increase((*record_->targets)[callee], adder_.weighted(count));
    return true;
  }

 private:
  const FunctionAdder& adder_;
  FillMap<LineLocation, BodyRecord>::Walk body_;
  BodyRecord* record_ = nullptr;
};

class FunctionAdder::Vtables {
 public:
  Vtables(const FunctionAdder& adder, FunctionSamples& into) : adder_(adder), into_(into) {}

  bool place(RawLocation at) {
    if (!into_.vtables) into_.vtables = std::make_unique<FillMap<LineLocation, NameCounts>>();
    counts_ = &(*into_.vtables)[adder_.location(at)];
    return true;
  }
  bool count(u64 name, u64 count) {
    increase((*counts_)[static_cast<NameId>(adder_.names_[name])], adder_.weighted(count));
    return true;
  }

 private:
  const FunctionAdder& adder_;
  FunctionSamples& into_;
  NameCounts* counts_ = nullptr;
};

class FunctionAdder::Visitor {
 public:
  Visitor(FunctionAdder& adder, FunctionSamples& into, const Metadata* metadata)
      : adder_(adder), into_(into), metadata_(metadata) {}

  bool begin(u64 total, u64 places) {
    increase(into_.total, adder_.weighted(total));
    if (into_.body.empty()) into_.body.reserve(places);
    return true;
  }
  Body body() { return {adder_, into_}; }
  Inlinees inlinees();
  Vtables vtables() { return {adder_, into_}; }

 private:
  FunctionAdder& adder_;
  FunctionSamples& into_;
  const Metadata* metadata_;
};

class FunctionAdder::Inlinees {
 public:
  Inlinees(FunctionAdder& adder, FunctionSamples& into, const Metadata* metadata)
      : adder_(adder), inlinees_(into.inlinees), metadata_(metadata) {}

  WalkEnd inlinee(RawLocation at, u64 index, auto enter) {
    auto place = adder_.location(at);
    u32 name = adder_.names_[index];
    auto& inlinee = inlinees_[place][static_cast<NameId>(name)];
    bool fresh = !inlinee;
    if (fresh) inlinee = std::make_unique<FunctionSamples>();
    inlinee->name = static_cast<NameId>(name);
    const auto* own = metadata_ ? adder_.metadata_of(metadata_->id, place, name) : nullptr;
    if (!adder_.may_add(*inlinee, fresh, own)) return enter(SkipFunction());
    return enter(Visitor(adder_, *inlinee, own));
  }

 private:
  FunctionAdder& adder_;
  FillMap<LineLocation, FunctionSamples::Inlinees>::Walk inlinees_;
  const Metadata* metadata_;
};

FunctionAdder::Inlinees FunctionAdder::Visitor::inlinees() { return {adder_, into_, metadata_}; }

u64 FunctionAdder::add(const BinaryIndex::Entry& entry, FunctionSamples& into, bool fresh) {
  names_ = tables_.names(entry.tables);
  replaced_ = 0;
  metadata_.clear();
  if (const u8* metadata = index_.metadata_of(entry)) read_metadata(metadata);
  const Metadata* own = metadata_.empty() ? nullptr : &metadata_.front();
  if (!may_add(into, fresh, own)) return replaced_;
  KnownNumbers in(entry.at);
  increase(into.head, weighted(read_function_head(in).samples));
  walk_function(in, Visitor(*this, into, own), {.vtables = index_.vtables});
  return replaced_;
}

void FunctionAdder::read_metadata(const u8* at) {
  KnownNumbers in(at);
  walk_metadata(in, MetadataVisitor(*this, 0, {}, 0), index_.metadata_parts);
  std::ranges::stable_sort(metadata_, {}, &Metadata::key);
}

const FunctionAdder::Metadata* FunctionAdder::metadata_of(u32 parent, LineLocation location,
                                                          u32 name) const {
  auto key = std::tuple(parent, location, name);
  auto after = std::ranges::upper_bound(metadata_, key, {}, &Metadata::key);
  if (after == metadata_.begin() || after[-1].key() != key) return nullptr;
  return &after[-1];
}

bool FunctionAdder::may_add(FunctionSamples& into, bool fresh, const Metadata* metadata) {
  u64 checksum = metadata ? metadata->checksum : 0, old = into.checksum;
  bool admitted = admit(into, fresh, checksum, metadata ? metadata->attributes : 0, addition_.rule);
  if (!admitted || (!fresh && old != 0 && old != checksum)) ++replaced_;
  return admitted;
}

}  // namespace pgokit::profile
