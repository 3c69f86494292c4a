find_package(GTest REQUIRED)
include(GoogleTest)
include(cmake/Precompiled.cmake)
add_custom_target(unit_tests)

# One static library and one test program per folder of src/. Files are found by name, so that a
# *_test.cc can never be forgotten. NEEDS names the layers it may include, PARTS its own folders in
# the order in which they may include each other; EXCLUDE those not to be built for this processor;
# LINK other libraries.
function(add_layer name)
  cmake_parse_arguments(arg "" "" "NEEDS;PARTS;EXCLUDE;LINK" ${ARGN})
  set(dir ${CMAKE_SOURCE_DIR}/src/${name})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${dir}/*.cc)
  foreach(part IN LISTS arg_EXCLUDE)
    list(FILTER sources EXCLUDE REGEX "^${dir}/${part}/")
  endforeach()
  set(tests ${sources})
  list(FILTER tests INCLUDE REGEX "_test\\.cc$")
  set(live_tests ${tests})
  list(FILTER live_tests INCLUDE REGEX "_live_test\\.cc$")
  list(FILTER tests EXCLUDE REGEX "_live_test\\.cc$")
  list(FILTER sources EXCLUDE REGEX "(_test|/main)\\.cc$")

  add_library(layer_${name} STATIC ${sources})
  target_include_directories(layer_${name} PUBLIC ${CMAKE_SOURCE_DIR}/src)
  set(needed ${arg_NEEDS})
  list(TRANSFORM needed PREPEND layer_)
  target_link_libraries(layer_${name} PUBLIC ${needed} ${arg_LINK} PRIVATE pgokit_flags)
  precompile_headers(layer_${name} layer)
  string(REPLACE ";" "," needs "${arg_NEEDS}")
  string(REPLACE ";" "," parts "${arg_PARTS}")
  set_property(GLOBAL APPEND PROPERTY pgokit_layers "${name}=${needs}=${parts}")

  if(BUILD_TESTING AND tests)
    add_test_program(${name} ${name}_test unit ${tests})
    add_dependencies(unit_tests ${name}_test)
  endif()
  # These run other programs and wait for them.
  if(BUILD_TESTING AND live_tests)
    add_test_program(${name} ${name}_live_test live ${live_tests})
  endif()
endfunction()

function(add_test_program layer program label)
  add_executable(${program} ${ARGN})
  target_include_directories(${program} PRIVATE ${CMAKE_SOURCE_DIR})
  target_compile_definitions(${program} PRIVATE PGOKIT_SOURCE_DIR="${CMAKE_SOURCE_DIR}"
                             $<$<BOOL:${CMAKE_CROSSCOMPILING}>:PGOKIT_RUN_BY_QEMU>)
  target_link_libraries(${program} PRIVATE layer_${layer} pgokit_test_flags GTest::gmock_main)
  precompile_headers(${program} test)
  discover_tests(${layer} ${program} ${label} -*Alone.*)
  # What needs processors that nobody else wants.
  if(label STREQUAL live)
    discover_tests(${layer} ${program} ${label} *Alone.* RUN_SERIAL TRUE)
  endif()
endfunction()

function(discover_tests layer program label filter)
  gtest_discover_tests(${program} TEST_PREFIX "${layer}." TEST_FILTER ${filter} DISCOVERY_TIMEOUT 60
                       PROPERTIES LABELS ${label} SKIP_REGULAR_EXPRESSION "\\[  SKIPPED \\]" ${ARGN})
endfunction()

# One test per folder of `dir`: `cmd` is run, its output and exit code compared with `expected`.
function(add_golden_tests program dir)
  file(GLOB cases CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/${dir}/*/cmd)
  foreach(case IN LISTS cases)
    get_filename_component(folder ${case} DIRECTORY)
    get_filename_component(name ${folder} NAME)
    add_test(NAME golden.${name}
             COMMAND python3 ${CMAKE_SOURCE_DIR}/test/run_golden.py $<TARGET_FILE:${program}> ${folder}
                     ${CMAKE_CROSSCOMPILING_EMULATOR})
    set_tests_properties(golden.${name} PROPERTIES LABELS golden)
  endforeach()
endfunction()

# The include rule: a file of src/<layer>/<part>/ includes only what its add_layer() names.
function(add_layer_check)
  get_property(layers GLOBAL PROPERTY pgokit_layers)
  add_test(NAME layers
           COMMAND python3 ${CMAKE_SOURCE_DIR}/cmake/check_layers.py ${CMAKE_SOURCE_DIR}/src ${layers})
  set_tests_properties(layers PROPERTIES LABELS unit)
endfunction()

# The usage examples at the top of headers compile; one test per layer, and one of the run time.
function(add_example_checks)
  get_property(layers GLOBAL PROPERTY pgokit_layers)
  foreach(layer IN LISTS layers)
    string(REGEX REPLACE "=.*" "" name ${layer})
    set(folders $<TARGET_PROPERTY:layer_${name},INCLUDE_DIRECTORIES>)
    add_example_check(${name} ${CMAKE_CXX_COMPILER} "-std=c++23;-idirafter;$<JOIN:${folders},;-idirafter;>")
  endforeach()
  add_example_check(runtime ${CMAKE_C_COMPILER} -std=c11)
endfunction()

function(add_example_check name compiler flags)
  add_test(NAME examples.${name} COMMAND_EXPAND_LISTS
           COMMAND python3 ${CMAKE_SOURCE_DIR}/cmake/check_examples.py ${CMAKE_SOURCE_DIR} ${name}
           ${compiler} "${flags}")
  set_tests_properties(examples.${name} PROPERTIES LABELS unit)
endfunction()
