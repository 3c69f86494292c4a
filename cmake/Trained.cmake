# The preset pgo: the program built by its own profile, with ThinLTO, static libraries and in an order
# of functions.
# `./dev build pgo` builds it to be recorded, trains it and builds it again: a user's road, by the
# function that users have.
set(PGOKIT_TRAINER "" CACHE FILEPATH "A pgokit that records this one and makes its profile; empty: it has none")
if(NOT PGOKIT_TRAINER)
  return()
endif()
if(NOT EXISTS "${PGOKIT_TRAINER}")
  message(FATAL_ERROR "there is no ${PGOKIT_TRAINER} to train this build by: ./dev build pgo makes it first")
endif()
set(pgokit_PROGRAM ${PGOKIT_TRAINER})
# As they are installed: beside each other.
file(COPY cmake/pgokitProfile.cmake src/cli/linked_file.cmake DESTINATION ${CMAKE_BINARY_DIR}/cmake)
include(${CMAKE_BINARY_DIR}/cmake/pgokitProfile.cmake)

get_property(trained GLOBAL PROPERTY pgokit_layers)
list(TRANSFORM trained REPLACE "=.*" "")
list(TRANSFORM trained PREPEND layer_)
list(PREPEND trained pgokit)
# To load and bind twelve libraries is two thirds of what a start takes. The C library stays: Capstone
# is loaded by it.
if(PGOKIT_STATIC_LIBRARIES)
  set_target_properties(pgokit PROPERTIES PGOKIT_STATIC ON)
  target_link_options(pgokit PRIVATE -static-libstdc++ -static-libgcc)
  list(APPEND trained pgokit_static)
endif()
set_target_properties(${trained} PROPERTIES INTERPROCEDURAL_OPTIMIZATION ON)
foreach(program pgokit pgokit_static)
  if(TARGET ${program})
    target_link_options(${program} PRIVATE -Wl,--thinlto-cache-dir=${CMAKE_BINARY_DIR}/thinlto)
  endif()
endforeach()

set(training ${CMAKE_BINARY_DIR}/training)
pgokit_profile(${trained} PROFILE ${training}/pgokit.prof ORDER ${training}/pgokit.order
               TRAIN "sh ${training}/train.sh $<TARGET_FILE:pgokit>")
# The program that is recorded stays, for `pgokit check` and `explain`, and for ./dev bench pgo.
add_custom_target(training_inputs VERBATIM
                  COMMAND python3 ${CMAKE_SOURCE_DIR}/bench/support/main_commands.py ${training}
                  COMMAND ${CMAKE_COMMAND} -E copy $<TARGET_FILE:pgokit> ${training}/recorded)
add_dependencies(training_inputs pgokit)
add_dependencies(pgokit-train training_inputs)
