#include "optimize/cargo.h"

#include <gmock/gmock.h>

#include <filesystem>

#include "test/support/shell.h"

namespace pgokit::optimize {
namespace {

using testing::HasSubstr;
namespace fs = std::filesystem;

// An executable, as cargo leaves it.
void add_program(const test::ScratchDir& folder, const std::string& name) {
  auto path = fs::path(folder.file(name));
  fs::create_directories(path.parent_path());
  folder.write(name, "program");
  fs::permissions(path, fs::perms(0755));
}

TEST(Cargo, WhatItMadeHasToBeOneProgram) {
  test::ScratchDir folder;
  Cargo cargo;
  auto target = folder.file("target");
  auto none = cargo.built(target);
  ASSERT_FALSE(none);
  EXPECT_THAT(none.error().message, HasSubstr("made no program: --bin NAME"));
  add_program(folder, "target/release/app");
  add_program(folder, "target/release/libapp.so");
  folder.write("target/release/app.d", "");
  EXPECT_EQ(cargo.built(target).value_or(""), target + "/release/app");
  add_program(folder, "target/release/other");
  auto several = cargo.built(target);
  ASSERT_FALSE(several);
  EXPECT_EQ(several.error().message,
            "there are several programs (app, other): --bin NAME says which");
  cargo.bin = "app";
  EXPECT_EQ(cargo.built(target).value_or(""), target + "/release/app");
  cargo.bin = "third";
  auto another = cargo.built(target);
  ASSERT_FALSE(another);
  EXPECT_THAT(another.error().message, HasSubstr("made no program third"));
}

TEST(Cargo, FoldersAreThoseOfProfilesAndTargets) {
  test::ScratchDir folder;
  auto target = folder.file("target");
  add_program(folder, "target/debug/app");
  add_program(folder, "target/armv7/thin/examples/app");
  EXPECT_EQ(Cargo{.profile = "dev"}.built(target).value_or(""), target + "/debug/app");
  auto example = target + "/armv7/thin/examples/app";
  EXPECT_EQ(
      (Cargo{.profile = "thin", .target = "armv7", .example = "app"}.built(target).value_or("")),
      example);
  EXPECT_EQ(
      (Cargo{.profile = "thin", .target = "of/armv7.json", .example = "app"}.built(target).value_or(
          "")),
      example);
  // Where cargo's own settings name the target.
  EXPECT_EQ((Cargo{.profile = "thin", .example = "app"}.built(target).value_or("")), example);
  EXPECT_FALSE((Cargo{.profile = "thin", .target = "x86", .example = "app"}.built(target)));
}

TEST(Cargo, IsCalledWithWhatWasGiven) {
  EXPECT_EQ(Cargo{}.build_command(), "cargo build --release");
  EXPECT_EQ((Cargo{.command = "/usr/bin/cargo",
                   .profile = "thin",
                   .target = "x86_64-unknown-linux-musl",
                   .bin = "my app",
                   .arguments = {"--config", "a='b'"}}
                 .build_command()),
            "/usr/bin/cargo build --profile thin --bin 'my app' --target x86_64-unknown-linux-musl "
            "--config 'a='\\''b'\\'''");
}

}  // namespace
}  // namespace pgokit::optimize
