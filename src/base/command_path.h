#pragma once

// Where a command is: the search of exec() through the folders of PATH.
//
//   std::string file = path_of_command("clang++-22");    // "/usr/bin/clang++-22", or empty
//
//   std::string tool = newest_command("llvm-bolt");       // "llvm-bolt-22", or "llvm-bolt"
//
// What has a slash in it is named by its path and is not searched for.

#include <string>
#include <string_view>

namespace pgokit {

// The first file of that name that may be run; empty where no folder has one.
std::string path_of_command(std::string_view command);

// Of a tool of LLVM: its highest version that is installed beside others, by their names; else that
// name alone, whether that is installed or not.
std::string newest_command(std::string_view name);

}  // namespace pgokit
