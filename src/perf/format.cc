#include "perf/format.h"

namespace pgokit::perf {
namespace {

constexpr std::string_view kernel_names[] = {"",
                                             "MMAP",
                                             "LOST",
                                             "COMM",
                                             "EXIT",
                                             "THROTTLE",
                                             "UNTHROTTLE",
                                             "FORK",
                                             "READ",
                                             "SAMPLE",
                                             "MMAP2",
                                             "AUX",
                                             "ITRACE_START",
                                             "LOST_SAMPLES",
                                             "SWITCH",
                                             "SWITCH_CPU_WIDE",
                                             "NAMESPACES",
                                             "KSYMBOL",
                                             "BPF_EVENT",
                                             "CGROUP",
                                             "TEXT_POKE",
                                             "AUX_OUTPUT_HW_ID"};

constexpr std::string_view user_names[] = {
    "ATTR",          "EVENT_TYPE",  "TRACING_DATA",   "BUILD_ID",   "FINISHED_ROUND", "ID_INDEX",
    "AUXTRACE_INFO", "AUXTRACE",    "AUXTRACE_ERROR", "THREAD_MAP", "CPU_MAP",        "STAT_CONFIG",
    "STAT",          "STAT_ROUND",  "EVENT_UPDATE",   "TIME_CONV",  "FEATURE",        "COMPRESSED",
    "FINISHED_INIT", "COMPRESSED2", "BPF_METADATA"};

}  // namespace

std::string_view record_type_name(RecordType type) {
  auto number = static_cast<u32>(type);
  if (number < std::size(kernel_names)) return kernel_names[number];
  if (number >= 64 && number - 64 < std::size(user_names)) return user_names[number - 64];
  return {};
}

}  // namespace pgokit::perf
