# The headers of others that most files include are parsed once, for the layers and for programs
# that test them: builds take about half the time. The gcc preset goes without, and so finds files
# that do not include what they use.
option(PGOKIT_PRECOMPILE "Precompile the standard library's headers (clang only)" OFF)

set(layer_headers <algorithm> <charconv> <expected> <filesystem> <functional> <map> <memory>
    <optional> <ranges> <span> <string> <string_view> <unordered_map> <utility> <vector>
    <fmt/format.h>)
set(test_headers ${layer_headers} <gmock/gmock.h> <gtest/gtest.h>)

# Both are compiled as those that use them are: position-independent as a library, or as a program.
if(PGOKIT_PRECOMPILE)
  file(CONFIGURE OUTPUT precompiled.cc CONTENT "")
  add_library(precompiled_layer OBJECT ${CMAKE_BINARY_DIR}/precompiled.cc)
  target_link_libraries(precompiled_layer PRIVATE pgokit_flags fmt::fmt)
  target_precompile_headers(precompiled_layer PRIVATE ${layer_headers})
  add_executable(precompiled_test ${CMAKE_BINARY_DIR}/precompiled.cc)
  target_link_libraries(precompiled_test PRIVATE pgokit_test_flags fmt::fmt GTest::gmock_main)
  target_precompile_headers(precompiled_test PRIVATE ${test_headers})
  # So that ccache may give it to another build, whose files have other times.
  foreach(target precompiled_layer precompiled_test)
    target_compile_options(${target} PRIVATE "SHELL:-Xclang -fno-pch-timestamp")
  endforeach()
endif()

function(precompile_headers target set)
  if(PGOKIT_PRECOMPILE)
    target_precompile_headers(${target} REUSE_FROM precompiled_${set})
  endif()
endfunction()
