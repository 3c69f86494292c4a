# bin/pgokit, which cargo knows as cargo-pgokit; what `pgokit flags` names in lib/pgokit, which is looked for beside bin (so not
# GNUInstallDirs' lib/ARCH); links under the names of LLVM's tools, out of the way of PATH.
include(CMakePackageConfigHelpers)
set(pgokit_doc share/doc/pgokit)

install(TARGETS pgokit RUNTIME DESTINATION bin)
install(TARGETS pgokit_rt pgokit_rt_small pgokit_rt_bare ARCHIVE DESTINATION lib/pgokit)
install(FILES runtime/pgokit.h DESTINATION include)
if(TARGET pgokit_plugin)
  install(TARGETS pgokit_plugin LIBRARY DESTINATION lib/pgokit/llvm-22)
  install(TARGETS pgokit_rustc_plugin LIBRARY DESTINATION lib/pgokit)
endif()

# Documents and what they link to, as they lie here. Of the examples all but the demo, which ./dev runs, and what
# builds in their folders leave; scripts keep their modes, whatever the umask of the checkout was.
file(GLOB benches CONFIGURE_DEPENDS bench/*.md bench/*.svg)
install(FILES LICENSE README.md CHANGELOG.md ARCHITECTURE.md CONTRIBUTING.md SECURITY.md DESTINATION ${pgokit_doc})
install(FILES ${benches} DESTINATION ${pgokit_doc}/bench)
install(DIRECTORY docs DESTINATION ${pgokit_doc} PATTERN "*.py" EXCLUDE)
install(DIRECTORY examples DESTINATION ${pgokit_doc} FILES_MATCHING
        REGEX "/examples/build/[^/]+/(build|plain|autom4te[.]cache)$" EXCLUDE
        PATTERN "__pycache__" EXCLUDE
        REGEX "/(fleet|profile|s3|tree)[.]sh$" PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE
                                                           WORLD_READ WORLD_EXECUTE
        REGEX "[.](c|cc|h|md|sh|yml|sbatch|sprig|am|ac|build|bazel|bazelrc)$"
        REGEX "/(CMakeLists[.]txt|Makefile)$")

# Manual pages and completions: the program prints them.
set(printed ${CMAKE_BINARY_DIR}/printed)
add_custom_command(OUTPUT ${printed}/complete
                   COMMAND ${CMAKE_COMMAND} -E rm -rf ${printed}
                   COMMAND ${CMAKE_COMMAND} -E make_directory ${printed}
                   COMMAND pgokit help --man -o ${printed}/man1
                   COMMAND pgokit completion bash > ${printed}/pgokit
                   COMMAND pgokit completion zsh > ${printed}/_pgokit
                   COMMAND pgokit completion fish > ${printed}/pgokit.fish
                   COMMAND ${CMAKE_COMMAND} -E touch ${printed}/complete
                   DEPENDS pgokit)
add_custom_target(manual ALL DEPENDS ${printed}/complete)
install(DIRECTORY ${printed}/man1 DESTINATION share/man)
install(FILES ${printed}/pgokit DESTINATION share/bash-completion/completions)
install(FILES ${printed}/_pgokit DESTINATION share/zsh/site-functions)
install(FILES ${printed}/pgokit.fish DESTINATION share/fish/vendor_completions.d)

# All that is installed, and nothing else.
add_custom_target(installed DEPENDS pgokit pgokit_rt pgokit_rt_small pgokit_rt_bare manual)
if(TARGET pgokit_plugin)
  add_dependencies(installed pgokit_plugin pgokit_rustc_plugin)
endif()

# TARGET is seen from the folder of the link.
function(install_link target name)
  set(link ${CMAKE_BINARY_DIR}/links/${name})
  file(CREATE_LINK ${target} ${link} SYMBOLIC)
  get_filename_component(folder ${name} DIRECTORY)
  install(FILES ${link} DESTINATION ${folder})
endfunction()

file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/links/bin ${CMAKE_BINARY_DIR}/links/lib/pgokit/bin ${CMAKE_BINARY_DIR}/links/share/man/man1)
install_link(pgokit bin/cargo-pgokit)
install_link(pgokit-cargo-pgokit.1 share/man/man1/cargo-pgokit.1)  # which `cargo help pgokit` shows
install_link(../../../bin/pgokit lib/pgokit/bin/llvm-profgen)
install_link(../../../bin/pgokit lib/pgokit/bin/llvm-profdata)
install_link(../../../bin/pgokit lib/pgokit/bin/perf2bolt)
install_link(../../../bin/pgokit lib/pgokit/bin/create_llvm_prof)
install_link(../../../bin/pgokit lib/pgokit/bin/generate_propeller_profiles)
install_link(../../../bin/pgokit lib/pgokit/bin/create_gcov)
install_link(../../../bin/pgokit lib/pgokit/bin/profile_merger)
if(TARGET pgokit_plugin)
  file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/links/lib/pgokit/llvm-22)
  install_link(llvm-22/pgokit-plugin.so lib/pgokit/pgokit-plugin.so)
  install_link(llvm-22/pgokit-plugin.so lib/pgokit/pgokit-plugin)  # for Meson
  install_link(pgokit-plugin.so lib/pgokit/llvm-22/pgokit-plugin)
endif()

write_basic_package_version_file(${CMAKE_BINARY_DIR}/pgokitConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES cmake/pgokitConfig.cmake cmake/pgokitProfile.cmake cmake/profile.cmake
        src/cli/linked_file.cmake ${CMAKE_BINARY_DIR}/pgokitConfigVersion.cmake
        DESTINATION lib/cmake/pgokit)
