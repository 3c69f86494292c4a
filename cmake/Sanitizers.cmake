# -DPGOKIT_SANITIZE=address,undefined | thread | fuzzer-no-link,address,undefined
set(PGOKIT_SANITIZE "" CACHE STRING "Sanitizers for every target")
option(PGOKIT_FUZZ "Build the libFuzzer targets (clang only)" OFF)
option(PGOKIT_WERROR "Warnings are errors" OFF)
if(PGOKIT_SANITIZE)
  add_compile_options(-fsanitize=${PGOKIT_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${PGOKIT_SANITIZE})
endif()
