# pgokit_profile(TARGET... PROFILE FILE... [TRAIN COMMAND...] [BY probes|lines] [SAMPLED]
#                [WORKING_DIRECTORY DIR] [CHECK] [MAX_STALE PERCENT])
#
# Compiles and links the targets with the files, as `pgokit flags use=FILE` does: a profile, and
# perhaps an order of functions or a layout of blocks. Relative paths are of the current source
# folder. A file with other contents compiles the targets again; one that was only touched does not.
#
#   PROFILE   the first is the profile. As long as it is not there the targets are compiled to be
#             recorded.
#   TRAIN     commands that run the first target with typical work. The target `FIRST-train` (all of
#             them: `pgokit-train`) records them and writes the profile. A command that begins with
#             the name of a target runs that.
#   BY        what the profile counts at (probes; of GCC lines)
#   SAMPLED   record samples of the commands, instead of counting all that they do
#   WORKING_DIRECTORY   where the commands run (the current binary folder)
#   CHECK     print after linking how well the profile matches the program
#   MAX_STALE fail where more than this share of its samples is of other code
include("${CMAKE_CURRENT_LIST_DIR}/linked_file.cmake")

# The name of the compiler for `--for`.
function(pgokit_compiler result)
  foreach(language CXX C)
    if(CMAKE_${language}_COMPILER_ID)
      set(id "${CMAKE_${language}_COMPILER_ID}")
      break()
    endif()
  endforeach()
  if(id STREQUAL "GNU")
    set(${result} gcc PARENT_SCOPE)
  elseif(id MATCHES "Clang")
    string(REGEX MATCH "^[0-9]+" version "${CMAKE_${language}_COMPILER_VERSION}")
    set(name clang)
    if(id STREQUAL "Clang" AND version GREATER_EQUAL 13 AND version LESS_EQUAL 22)
      set(name clang-${version})
    endif()
    set(${result} ${name} PARENT_SCOPE)
  else()
    message(FATAL_ERROR "pgokit: the compiler is ${id}, and profiles are for clang and GCC")
  endif()
endfunction()

# What `pgokit flags` says, by names with this prefix: _compile, _link, _files, _by.
function(pgokit_read_flags prefix)
  execute_process(COMMAND "${pgokit_PROGRAM}" flags ${ARGN} --root "${CMAKE_SOURCE_DIR}" --style json
                  OUTPUT_VARIABLE json ERROR_VARIABLE why RESULT_VARIABLE failed
                  OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_STRIP_TRAILING_WHITESPACE)
  if(failed)
    message(FATAL_ERROR "${why}")
  endif()
  foreach(part compile link files)
    set(words)
    string(JSON count LENGTH "${json}" ${part})
    if(count)
      math(EXPR last "${count} - 1")
      foreach(i RANGE ${last})
        string(JSON word GET "${json}" ${part} ${i})
        list(APPEND words "${word}")
      endforeach()
    endif()
    set(${prefix}_${part} "${words}" PARENT_SCOPE)
  endforeach()
  string(JSON by GET "${json}" by)
  set(${prefix}_by "${by}" PARENT_SCOPE)
endfunction()

# Of the words in a list that end so.
function(pgokit_replace_end list old new)
  set(words)
  string(LENGTH "${old}" old_length)
  foreach(word IN LISTS ${list})
    string(FIND "${word}" "${old}" at REVERSE)
    string(LENGTH "${word}" length)
    math(EXPR start "${length} - ${old_length}")
    if(at GREATER_EQUAL 0 AND at EQUAL start)
      string(SUBSTRING "${word}" 0 ${start} word)
      string(APPEND word "${new}")
    endif()
    list(APPEND words "${word}")
  endforeach()
  set(${list} "${words}" PARENT_SCOPE)
endfunction()

# The same of a build with those of the files that are there and fit it; PREFIX_missing: the first
# is none of them.
function(pgokit_profile_flags prefix name by files)
  pgokit_compiler(compiler)
  if(NOT by)
    set(by probes)
    if(compiler STREQUAL "gcc")
      set(by lines)
    endif()
  endif()
  list(GET files 0 profile)
  set(missing FALSE)
  set(why "is not there yet")
  if(EXISTS "${profile}")
    pgokit_read_flags(used "use=${profile}" --for ${compiler})
    if(used_by AND NOT used_by STREQUAL by)
      set(why "is by ${used_by}, not by ${by}, and not used")
      set(missing TRUE)
    endif()
  else()
    set(missing TRUE)
  endif()
  # Said once.
  if(missing AND NOT pgokit_missing_${name})
    message(WARNING "pgokit: ${profile} ${why}: the build can be recorded. "
                    "cmake --build ${CMAKE_BINARY_DIR} --target ${name}-train makes it, "
                    "where there are commands to record; otherwise configure again when it is there")
  endif()
  set(pgokit_missing_${name} ${missing} CACHE INTERNAL "")

  set(uses)
  foreach(file IN LISTS files)
    if(EXISTS "${file}" AND NOT (missing AND file STREQUAL profile))
      list(APPEND uses "use=${file}")
    endif()
  endforeach()
  if(missing AND NOT uses)
    set(uses profile)
  endif()
  pgokit_read_flags(own ${uses} --by ${by} --for ${compiler})
  foreach(file IN LISTS own_files)
    pgokit_link_file(link "${file}")
    pgokit_replace_end(own_compile "${file}" "${link}")
    pgokit_replace_end(own_link "${file}" "${link}")
  endforeach()
  foreach(part compile link)
    set(${prefix}_${part} "${own_${part}}" PARENT_SCOPE)
  endforeach()
  set(${prefix}_missing ${missing} PARENT_SCOPE)
  set(${prefix}_compiler ${compiler} PARENT_SCOPE)
endfunction()

# A file whose time says when the target was trained last: the build configures itself again then.
function(pgokit_trained_stamp result name)
  set(stamp "${CMAKE_BINARY_DIR}/pgokit/${name}/trained")
  if(NOT EXISTS "${stamp}")
    file(WRITE "${stamp}" "")
  endif()
  set_property(DIRECTORY "${CMAKE_SOURCE_DIR}" APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${stamp}")
  set(${result} "${stamp}" PARENT_SCOPE)
endfunction()

# The target NAME-train: records the commands and writes the profile.
function(pgokit_add_training name profile compiler sampled folder commands)
  pgokit_trained_stamp(stamp ${name})
  get_filename_component(recordings_folder "${stamp}" DIRECTORY)
  set(exact --exact)
  if(sampled)
    set(exact)
  endif()
  set(recordings)
  set(steps)
  foreach(command IN LISTS commands)
    separate_arguments(words UNIX_COMMAND "${command}")
    list(GET words 0 first)
    if(TARGET ${first})
      list(REMOVE_AT words 0)
      list(PREPEND words "$<TARGET_FILE:${first}>")
    endif()
    list(LENGTH recordings number)
    set(recording "${recordings_folder}/${number}.perf")
    list(APPEND recordings "${recording}")
    list(APPEND steps COMMAND "${pgokit_PROGRAM}" record ${exact} -q -o "${recording}" -- ${words})
  endforeach()
  get_filename_component(profile_folder "${profile}" DIRECTORY)
  add_custom_target(${name}-train ${steps}
    COMMAND "${CMAKE_COMMAND}" -E make_directory "${profile_folder}"
    COMMAND "${pgokit_PROGRAM}" generate -q ${recordings} -b "$<TARGET_FILE:${name}>" --for ${compiler}
            -o "${profile}"
    COMMAND "${CMAKE_COMMAND}" -E touch "${stamp}"
    COMMAND "${CMAKE_COMMAND}" -E echo "pgokit: wrote ${profile}: build again to use it"
    WORKING_DIRECTORY "${folder}" COMMENT "Recording ${name}" VERBATIM)
  add_dependencies(${name}-train ${name})
  if(NOT TARGET pgokit-train)
    add_custom_target(pgokit-train)
  endif()
  add_dependencies(pgokit-train ${name}-train)
endfunction()

function(pgokit_profile)
  cmake_parse_arguments(PARSE_ARGV 0 arg "SAMPLED;CHECK" "BY;WORKING_DIRECTORY;MAX_STALE" "PROFILE;TRAIN")
  set(targets ${arg_UNPARSED_ARGUMENTS})
  if(NOT targets OR NOT arg_PROFILE)
    message(FATAL_ERROR "pgokit_profile(TARGET... PROFILE FILE...) wants targets and a profile")
  endif()
  foreach(target IN LISTS targets)
    if(NOT TARGET ${target})
      message(FATAL_ERROR "pgokit_profile: there is no target ${target} before this line")
    endif()
  endforeach()
  list(GET targets 0 first)
  set(files)
  foreach(file IN LISTS arg_PROFILE)
    get_filename_component(file "${file}" ABSOLUTE BASE_DIR "${CMAKE_CURRENT_SOURCE_DIR}")
    list(APPEND files "${file}")
  endforeach()
  list(GET files 0 profile)

  pgokit_profile_flags(own ${first} "${arg_BY}" "${files}")
  # Together, as words that are there twice would be dropped.
  list(JOIN own_compile " " line)
  foreach(target IN LISTS targets)
    target_compile_options(${target} PRIVATE
                           "$<$<COMPILE_LANGUAGE:C,CXX,OBJC,OBJCXX>:SHELL:${line}>")
    target_link_options(${target} PRIVATE ${own_link})
  endforeach()
  if(arg_TRAIN)
    set(folder "${CMAKE_CURRENT_BINARY_DIR}")
    if(arg_WORKING_DIRECTORY)
      get_filename_component(folder "${arg_WORKING_DIRECTORY}" ABSOLUTE)
    endif()
    pgokit_add_training(${first} "${profile}" ${own_compiler} "${arg_SAMPLED}" "${folder}" "${arg_TRAIN}")
  endif()
  if((arg_CHECK OR DEFINED arg_MAX_STALE) AND NOT own_missing)
    if(NOT DEFINED arg_MAX_STALE)
      set(arg_MAX_STALE 100)
    endif()
    add_custom_command(TARGET ${first} POST_BUILD VERBATIM
      COMMAND "${pgokit_PROGRAM}" check "${profile}" -b "$<TARGET_FILE:${first}>" --max-stale ${arg_MAX_STALE})
  endif()
endfunction()
