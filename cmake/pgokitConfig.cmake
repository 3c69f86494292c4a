# find_package(pgokit): the installed program, its plugin and its run time.
#
#   pgokit_PROGRAM, pgokit_PLUGIN          paths; the plugin is for clang and lld of LLVM 22
#   pgokit_LLVM_TOOLS                      the folder with llvm-profgen and llvm-profdata
#   pgokit::pgokit                         the program, for add_custom_command()
#   pgokit::rt, pgokit::rt_small, pgokit::rt_bare    run times, with pgokit.h
#   pgokit_instrument(app blocks targets)  compiles and links `app` with what
#                                          `pgokit flags blocks targets` says
#   pgokit_profile(app PROFILE app.prof TRAIN "app input")
#                                          compiles `app` with its profile, which the target
#                                          `app-train` makes: pgokitProfile.cmake
get_filename_component(pgokit_root "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
set(pgokit_PROGRAM "${pgokit_root}/bin/pgokit")
if(NOT EXISTS "${pgokit_PROGRAM}")
  message(FATAL_ERROR "pgokit: there is no ${pgokit_PROGRAM}: use this file where pgokit is installed, "
                      "not in its sources (cmake --install build/release --prefix DIR)")
endif()
set(pgokit_PLUGIN "${pgokit_root}/lib/pgokit/pgokit-plugin.so")
set(pgokit_LLVM_TOOLS "${pgokit_root}/lib/pgokit/bin")

if(NOT TARGET pgokit::pgokit)
  add_executable(pgokit::pgokit IMPORTED)
  set_target_properties(pgokit::pgokit PROPERTIES IMPORTED_LOCATION "${pgokit_PROGRAM}")
  foreach(pgokit_kind rt rt_small rt_bare)
    add_library(pgokit::${pgokit_kind} STATIC IMPORTED)
    set_target_properties(pgokit::${pgokit_kind} PROPERTIES
      IMPORTED_LOCATION "${pgokit_root}/lib/pgokit/libpgokit_${pgokit_kind}.a"
      INTERFACE_INCLUDE_DIRECTORIES "${pgokit_root}/include")
  endforeach()
endif()

# The words of `pgokit flags ...`, one of them --compile or --link.
function(pgokit_flags result)
  execute_process(COMMAND "${pgokit_PROGRAM}" flags ${ARGN}
                  OUTPUT_VARIABLE line ERROR_VARIABLE why RESULT_VARIABLE failed)
  if(failed)
    message(FATAL_ERROR "pgokit_instrument: ${why}")
  endif()
  separate_arguments(words UNIX_COMMAND "${line}")
  set(${result} "${words}" PARENT_SCOPE)
endfunction()

# pgokit_instrument(TARGET KIND... [OPTION...]): kinds and options as of `pgokit flags`. pgokit.h
# can be included. What links a static library that is instrumented gets the run time from it.
function(pgokit_instrument target)
  pgokit_flags(compile ${ARGN} --compile)
  pgokit_flags(link ${ARGN} --link)
  # Together, as words that are there twice would be dropped.
  list(JOIN compile " " line)
  target_compile_options(${target} PRIVATE
                         "$<$<COMPILE_LANGUAGE:C,CXX,OBJC,OBJCXX>:SHELL:${line}>")
  target_include_directories(${target} PRIVATE "${pgokit_root}/include")
  target_link_libraries(${target} PRIVATE ${link})
endfunction()

include("${CMAKE_CURRENT_LIST_DIR}/pgokitProfile.cmake")
