# slipway_install(FOLDER): installs slipway::FOLDER and all that it depends on, so that another project can say
#
#   find_package(slipway REQUIRED)
#   target_link_libraries(mine PRIVATE slipway::fsm)
#
# with #include "fsm/manager.h". Build them with the target `installed`.
# slipway_install_program(PROGRAM): installs the program, with the manual page and the completions that it makes itself.
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

function(slipway_install)
  slipway_closure(folders ${ARGN})
  list(TRANSFORM folders PREPEND slipway_ OUTPUT_VARIABLE targets)
  add_custom_target(installed)
  add_dependencies(installed ${targets})

  set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/slipway)
  install(TARGETS ${targets} EXPORT slipway)
  install(EXPORT slipway FILE slipway-targets.cmake NAMESPACE slipway:: DESTINATION ${package_dir})
  foreach(folder IN LISTS folders)
    install(DIRECTORY ${PROJECT_SOURCE_DIR}/src/${folder} DESTINATION include/slipway
            FILES_MATCHING PATTERN "*.h" PATTERN testing EXCLUDE)
  endforeach()

  configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/slipway-config.cmake.in
                                ${PROJECT_BINARY_DIR}/slipway-config.cmake INSTALL_DESTINATION ${package_dir})
  write_basic_package_version_file(${PROJECT_BINARY_DIR}/slipway-config-version.cmake COMPATIBILITY SameMinorVersion)
  install(FILES ${PROJECT_BINARY_DIR}/slipway-config.cmake ${PROJECT_BINARY_DIR}/slipway-config-version.cmake
          DESTINATION ${package_dir})
  install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
endfunction()

function(slipway_install_program program)
  set(dir ${PROJECT_BINARY_DIR}/made)
  set(made ${dir}/${program}.1 ${dir}/bash/${program} ${dir}/zsh/_${program} ${dir}/fish/${program}.fish)
  add_custom_command(
    OUTPUT ${made}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${dir}/bash ${dir}/zsh ${dir}/fish
    COMMAND ${program} __man > ${dir}/${program}.1
    COMMAND ${program} completion bash > ${dir}/bash/${program}
    COMMAND ${program} completion zsh > ${dir}/zsh/_${program}
    COMMAND ${program} completion fish > ${dir}/fish/${program}.fish
    DEPENDS ${program}
    VERBATIM)
  add_custom_target(${program}_made DEPENDS ${made})
  add_dependencies(installed ${program} ${program}_made)

  install(TARGETS ${program} RUNTIME)
  install(FILES ${dir}/${program}.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
  install(FILES ${dir}/bash/${program} DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
  install(FILES ${dir}/zsh/_${program} DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
  install(FILES ${dir}/fish/${program}.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
endfunction()
