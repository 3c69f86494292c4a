// Runs a reader's fuzz target over files and folders of seeds, without libFuzzer: READER SEEDS...
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <string_view>

#define READER(name) extern "C" int fuzz_##name(const uint8_t* data, size_t size);
#include "readers.inc"
#undef READER

namespace {

using Target = int (*)(const uint8_t* data, size_t size);

const std::map<std::string_view, Target> targets = {
#define READER(name) {#name, fuzz_##name},
#include "readers.inc"
#undef READER
};

int run(Target target, const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(file), {}};
  target(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  auto target = targets.find(argc > 1 ? argv[1] : "");
  if (target == targets.end()) return 2;
  int count = 0;
  for (int i = 2; i < argc; ++i) {
    if (!std::filesystem::is_directory(argv[i])) {
      count += run(target->second, argv[i]);
      continue;
    }
    for (const auto& entry : std::filesystem::recursive_directory_iterator(argv[i]))
      if (entry.is_regular_file()) count += run(target->second, entry.path());
  }
  std::printf("%d inputs\n", count);
  return count == 0;
}
