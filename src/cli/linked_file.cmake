# pgokit_link_file(RESULT FILE): RESULT is a link to FILE that is named by FILE's contents. Options
# that name the link change with the contents, so that another profile compiles everything again,
# and one that was only touched compiles nothing.
function(pgokit_link_file result file)
  set_property(DIRECTORY "${CMAKE_SOURCE_DIR}" APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${file}")
  file(SHA256 "${file}" contents)
  string(SUBSTRING "${contents}" 0 16 contents)
  get_filename_component(name "${file}" NAME)
  set(folder "${CMAKE_BINARY_DIR}/pgokit/files/${contents}")
  file(MAKE_DIRECTORY "${folder}")
  file(CREATE_LINK "${file}" "${folder}/${name}" SYMBOLIC)
  set(${result} "${folder}/${name}" PARENT_SCOPE)
endfunction()
