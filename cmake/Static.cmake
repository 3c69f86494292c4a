# pgokit_static, a second program of the same objects that needs no shared library: ./dev tarball.
# Layers link external_NAME, which is a shared library for all targets but those with the property
# PGOKIT_STATIC. Debian has no static fmt and Zydis: cmake/static_libraries.py makes them.
set(PGOKIT_STATIC_LIBRARIES "" CACHE PATH "Where cmake/static_libraries.py has put them; empty: no pgokit_static")

# external(NAME SHARED STATIC...): the name of the shared library for CMake, those of the static ones.
function(external name shared)
  set(files)
  if(PGOKIT_STATIC_LIBRARIES)
    foreach(library IN LISTS ARGN)
      find_library(static_${library} NAMES lib${library}.a PATHS ${PGOKIT_STATIC_LIBRARIES}/lib
                   NO_DEFAULT_PATH NO_CMAKE_FIND_ROOT_PATH)
      find_library(static_${library} NAMES lib${library}.a REQUIRED)
      list(APPEND files ${static_${library}})
    endforeach()
  endif()
  add_library(external_${name} INTERFACE)
  target_link_libraries(external_${name} INTERFACE
                        "$<IF:$<BOOL:$<TARGET_PROPERTY:PGOKIT_STATIC>>,${files},${shared}>")
endfunction()

external(fmt fmt::fmt fmt)
external(z ZLIB::ZLIB z)
external(zstd PkgConfig::zstd zstd)
external(lzma PkgConfig::lzma lzma)
external(md PkgConfig::md md)
external(zydis Zydis::Zydis Zydis)

# add_static_program(TARGET NAME SOURCE...): the program NAME in the folder static of the build.
function(add_static_program target name)
  if(NOT PGOKIT_STATIC_LIBRARIES)
    return()
  endif()
  find_library(static_capstone NAMES libcapstone.a REQUIRED)
  # There is nothing to load Capstone by: this copy of the file, which the linker takes in front of
  # that in the layer, is linked with it.
  add_executable(${target} EXCLUDE_FROM_ALL ${ARGN} src/isa/capstone_engine.cc)
  set_target_properties(${target} PROPERTIES OUTPUT_NAME ${name} PGOKIT_STATIC ON
                        RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/static)
  target_compile_definitions(${target} PRIVATE PGOKIT_STATIC)
  target_link_options(${target} PRIVATE -static-pie -Wl,--pack-dyn-relocs=relr)
  target_link_libraries(${target} PRIVATE layer_cli pgokit_flags ${static_capstone})
endfunction()
