#pragma once

// What a whole run needs, whatever the command.

namespace pgokit::cli {

// First in main(). After it a run that has no memory left, or an input that shrinks while it is
// read, ends with a message and exit code 1, on whichever thread it happens; and no file that is
// opened takes the place of a closed standard stream.
void prepare_process();

}  // namespace pgokit::cli
