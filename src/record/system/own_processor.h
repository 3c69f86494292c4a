#pragma once

// Where the recorder itself runs.
//
//   leave_processor(status.processor_of(tid));   // nothing if the recorder is on another one
//
// The kernel likes to wake whoever waits for a thread where that thread was, and the thread where
// it was let go on. If the recorder stays there, each waits for the other while another processor
// idles: the kernel moves neither before some milliseconds have gone by.

namespace pgokit::record {

// False: it is there still, as there is no other that it may use. It may come back at any time.
bool leave_processor(int processor);

}  // namespace pgokit::record
