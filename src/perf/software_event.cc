#include "perf/software_event.h"

namespace pgokit::perf {

Writer::Event software_event(u64 period_ns, bool callchain) {
  Writer::Event event{.name = "cpu-clock:u", .attr = {}, .ids = {}};
  event.attr.type = event_type::software;  // and config 0: cpu-clock
  event.attr.period = period_ns;
  event.attr.sample_type = field::ip | field::tid | field::time | field::period;
  if (callchain) event.attr.sample_type |= field::callchain;
  event.attr.sample_type |= field::branch_stack;
  event.attr.branch_sample_type = branch::user | branch::any;
  event.attr.flags = attr_flag::sample_id_all | attr_flag::mmap | attr_flag::mmap2 |
                     attr_flag::comm | attr_flag::comm_exec | attr_flag::task |
                     attr_flag::exclude_kernel | attr_flag::exclude_hv | attr_flag::inherit;
  return event;
}

}  // namespace pgokit::perf
