#include "perf/build_ids.h"

#include <gtest/gtest.h>

#include "base/cursor.h"

namespace pgokit::perf {
namespace {

BuildId entry(std::string_view path, std::string_view id, u16 mode = misc::user) {
  return {.pid = -1, .mode = mode, .id = as_bytes(id), .path = path};
}

std::string_view found(const std::vector<BuildId>& list, std::string_view path) {
  return as_text(BuildIds(list).of(path));
}

TEST(BuildIds, FilesAreListedUnderTheirPaths) {
  std::vector<BuildId> list{entry("/bin/app", "first"), entry("/bin/app", "second")};
  EXPECT_EQ(found(list, "/bin/app"), "first");
  EXPECT_EQ(found(list, "/usr/bin/app"), "");
  EXPECT_EQ(found({}, "/bin/app"), "");
}

TEST(BuildIds, TheKernelIsListedUnderItsOwnNameOrThatOfAFile) {
  constexpr std::string_view mapped = "[kernel.kallsyms]_text";
  for (auto path : {"[kernel.kallsyms]", "/usr/lib/debug/boot/vmlinux-6.1", "/proc/kcore"})
    EXPECT_EQ(found({entry(path, "kernel", misc::kernel)}, mapped), "kernel") << path;
  EXPECT_EQ(found({entry("/tmp/vmlinux", "kernel")}, mapped), "kernel");
  EXPECT_EQ(found({entry("/tmp/vmlinux", "file", misc::kernel),
                   entry("[kernel.kallsyms]", "kernel", misc::kernel)},
                  "[kernel.kallsyms]"),
            "kernel");
  EXPECT_EQ(
      found({entry("/bin/app", "app"), entry("/lib/modules/6.1/x.ko", "x", misc::kernel)}, mapped),
      "");
}

TEST(BuildIds, ModulesAreListedUnderTheirFilesOrNames) {
  for (auto path : {"/lib/modules/6.1/kernel/sound/snd-hda-intel.ko",
                    "/lib/modules/6.1/kernel/sound/snd-hda-intel.ko.xz", "[snd_hda_intel]",
                    "[snd-hda-intel.ko]"})
    for (auto mapped : {"[snd_hda_intel]", "/lib/modules/6.1/kernel/sound/snd-hda-intel.ko",
                        "/root/snd-hda-intel.ko.zst"})
      EXPECT_EQ(found({entry(path, "sound", misc::kernel)}, mapped), "sound") << path << mapped;
  EXPECT_EQ(found({entry("/lib/modules/6.1/snd.ko", "sound", misc::kernel)}, "[snd_hda_intel]"),
            "");
  EXPECT_EQ(found({entry("/home/snd", "program")}, "[snd]"), "");
}

TEST(IsKernel, WithAndWithoutTheSymbolThatAddressesAreRelativeTo) {
  for (auto path : {"[kernel.kallsyms]", "[kernel.kallsyms]_stext", "[kernel.kallsyms]_text"})
    EXPECT_TRUE(is_kernel(path));
  for (auto path : {"[guest.kernel.kallsyms]", "[kernel.kallsyms]_end", "vmlinux", ""})
    EXPECT_FALSE(is_kernel(path));
}

}  // namespace
}  // namespace pgokit::perf
