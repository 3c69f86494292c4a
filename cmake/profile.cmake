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
include_guard(GLOBAL)
include("${CMAKE_CURRENT_LIST_DIR}/pgokitConfig.cmake")
if(NOT PGOKIT_PROFILE)
  message(FATAL_ERROR "pgokit: -DPGOKIT_PROFILE=FILE says which profile")
endif()
set(pgokit_files)
foreach(pgokit_file IN LISTS PGOKIT_PROFILE PGOKIT_ORDER)
  get_filename_component(pgokit_file "${pgokit_file}" ABSOLUTE BASE_DIR "${CMAKE_SOURCE_DIR}")
  list(APPEND pgokit_files "${pgokit_file}")
endforeach()
set(pgokit_name project)
if(PGOKIT_TARGET)
  set(pgokit_name "${PGOKIT_TARGET}")
endif()
pgokit_profile_flags(pgokit_own ${pgokit_name} "${PGOKIT_BY}" "${pgokit_files}" "${PGOKIT_TRAIN}")
foreach(pgokit_word IN LISTS pgokit_own_compile)
  add_compile_options("$<$<COMPILE_LANGUAGE:C,CXX,OBJC,OBJCXX>:${pgokit_word}>")
endforeach()
add_link_options(${pgokit_own_link})
if(PGOKIT_TARGET AND PGOKIT_TRAIN)
  list(GET pgokit_files 0 pgokit_file)
  set(pgokit_order)
  if(PGOKIT_ORDER)
    list(GET pgokit_files -1 pgokit_order)
  endif()
  cmake_language(EVAL CODE "cmake_language(DEFER DIRECTORY [==[${CMAKE_SOURCE_DIR}]==] CALL
    pgokit_add_training [==[${PGOKIT_TARGET}]==] [==[${pgokit_file}]==] [==[${pgokit_order}]==] ${pgokit_own_compiler}
    [==[${PGOKIT_SAMPLED}]==] [==[${CMAKE_BINARY_DIR}]==] [==[${PGOKIT_TRAIN}]==])")
endif()
