#include "isa/capstone_engine.h"

#ifndef PGOKIT_STATIC
#include <dlfcn.h>
#endif

namespace pgokit::isa {
namespace {

struct Library {
  decltype(&cs_open) open = nullptr;
  decltype(&cs_close) close = nullptr;
  decltype(&cs_option) option = nullptr;
  decltype(&cs_malloc) malloc = nullptr;
  decltype(&cs_free) free = nullptr;
  decltype(&cs_disasm_iter) disassemble = nullptr;

  bool ok() const { return open && close && option && malloc && free && disassemble; }
};

#ifdef PGOKIT_STATIC
Library load() {
  return {.open = cs_open,
          .close = cs_close,
          .option = cs_option,
          .malloc = cs_malloc,
          .free = cs_free,
          .disassemble = cs_disasm_iter};
}
#else
Library load() {
  Library out;
  void* handle = dlopen("libcapstone.so.4", RTLD_NOW | RTLD_LOCAL);
  if (!handle) return out;
  auto get = [&]<class F>(F& function, const char* name) {
    function = reinterpret_cast<F>(dlsym(handle, name));
  };
  get(out.open, "cs_open");
  get(out.close, "cs_close");
  get(out.option, "cs_option");
  get(out.malloc, "cs_malloc");
  get(out.free, "cs_free");
  get(out.disassemble, "cs_disasm_iter");
  return out;
}
#endif

// Stays loaded until the program ends.
const Library& library() {
  static const Library loaded = load();
  return loaded;
}

}  // namespace

CapstoneEngine::CapstoneEngine(cs_arch machine, unsigned mode, cs_opt_value syntax) {
  if (!library().ok()) return;
  if (library().open(machine, static_cast<cs_mode>(mode), &engine_) != CS_ERR_OK) return;
  if (syntax != CS_OPT_SYNTAX_DEFAULT) library().option(engine_, CS_OPT_SYNTAX, syntax);
  instruction_ = library().malloc(engine_);
}

CapstoneEngine::~CapstoneEngine() {
  if (instruction_) library().free(instruction_, 1);
  if (engine_) library().close(&engine_);
}

const cs_insn* CapstoneEngine::decode(Bytes code, u64 address) const {
  const u8* at = code.data();
  size_t left = code.size();
  return library().disassemble(engine_, &at, &left, &address, instruction_) ? instruction_
                                                                            : nullptr;
}

}  // namespace pgokit::isa
