# As aarch64.cmake, by GCC: ./dev build aarch64-gcc.
set(PGOKIT_CROSS_GCC TRUE)
include(${CMAKE_CURRENT_LIST_DIR}/aarch64.cmake)
