# A whole project with a profile, without a change in it:
#
#   cmake -B build -DCMAKE_PROJECT_INCLUDE=PREFIX/lib/cmake/pgokit/profile.cmake -DPGOKIT_PROFILE=app.prof
#
#   PGOKIT_PROFILE   files as of PROFILE in pgokitProfile.cmake; relative paths are of the sources
#   PGOKIT_ORDER     an order of functions, which the training writes too
#   PGOKIT_BY        probes, lines or blocks
#   PGOKIT_TARGET    a target of the project, and
#   PGOKIT_TRAIN     commands that run it: the target NAME-train makes the profile
#   PGOKIT_SAMPLED   record samples
#   PGOKIT_NO_NOTE   write no note of the recording
include_guard(GLOBAL)
include("${CMAKE_CURRENT_LIST_DIR}/pgokitConfig.cmake")
if(NOT PGOKIT_PROFILE)
  message(FATAL_ERROR "pgokit: -DPGOKIT_PROFILE=FILE says which profile")
endif()
if(PGOKIT_TRAIN AND NOT PGOKIT_TARGET)
  message(FATAL_ERROR "pgokit: PGOKIT_TRAIN wants -DPGOKIT_TARGET=NAME: the program that is recorded")
endif()
set(pgokit_files)
foreach(pgokit_file IN LISTS PGOKIT_PROFILE PGOKIT_ORDER)
  get_filename_component(pgokit_file "${pgokit_file}" ABSOLUTE BASE_DIR "${CMAKE_SOURCE_DIR}")
  list(APPEND pgokit_files "${pgokit_file}")
endforeach()
list(GET pgokit_files 0 pgokit_file)
pgokit_profile_flags(pgokit_own "${PGOKIT_BY}" "${pgokit_files}")
foreach(pgokit_word IN LISTS pgokit_own_compile)
  add_compile_options("$<$<COMPILE_LANGUAGE:C,CXX,OBJC,OBJCXX>:${pgokit_word}>")
endforeach()
add_link_options(${pgokit_own_link})

function(pgokit_programs result folder)
  get_property(programs DIRECTORY "${folder}" PROPERTY BUILDSYSTEM_TARGETS)
  set(found)
  foreach(target IN LISTS programs)
    get_target_property(type ${target} TYPE)
    if(type STREQUAL "EXECUTABLE")
      list(APPEND found ${target})
    endif()
  endforeach()
  get_property(inner DIRECTORY "${folder}" PROPERTY SUBDIRECTORIES)
  foreach(folder IN LISTS inner)
    pgokit_programs(more "${folder}")
    list(APPEND found ${more})
  endforeach()
  set(${result} "${found}" PARENT_SCOPE)
endfunction()

# Behind the project, which has all its targets then.
function(pgokit_train_project name profile order compiler missing)
  if(NOT TARGET "${name}")
    pgokit_programs(programs "${CMAKE_SOURCE_DIR}")
    list(JOIN programs ", " programs)
    message(FATAL_ERROR "pgokit: PGOKIT_TARGET: there is no target ${name}. Programs: ${programs}")
  endif()
  pgokit_add_training(${name} "${profile}" "${order}" ${compiler} "${PGOKIT_SAMPLED}" "${PGOKIT_NO_NOTE}"
                      "${CMAKE_BINARY_DIR}" "${PGOKIT_TRAIN}")
  pgokit_say_missing(${name} "${profile}" "${missing}" ${compiler} TRUE)
endfunction()

if(PGOKIT_TRAIN)
  set(pgokit_order)
  if(PGOKIT_ORDER)
    list(GET pgokit_files -1 pgokit_order)
  endif()
  cmake_language(EVAL CODE "cmake_language(DEFER DIRECTORY [==[${CMAKE_SOURCE_DIR}]==] CALL
    pgokit_train_project [==[${PGOKIT_TARGET}]==] [==[${pgokit_file}]==] [==[${pgokit_order}]==] ${pgokit_own_compiler}
    [==[${pgokit_own_missing}]==])")
else()
  pgokit_say_missing(project "${pgokit_file}" "${pgokit_own_missing}" ${pgokit_own_compiler} FALSE)
endif()
