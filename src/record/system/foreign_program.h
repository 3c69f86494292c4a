#pragma once

// Programs that this machine cannot record, because they are for another processor.
//
//   TRY(check_processor(command[0]));

#include <string>

#include "base/result.h"

namespace pgokit::record {

// Looks for the command as exec() does. Fails (exit code 126) if it is an ELF program for another
// processor; what is no such program, or cannot be found or read, is left to exec().
Status check_processor(const std::string& command);

}  // namespace pgokit::record
