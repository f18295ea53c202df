# slipway_install(FOLDER): installs slipway::FOLDER and all that it depends on, so that another project can say
#
#   find_package(slipway REQUIRED)
#   target_link_libraries(mine PRIVATE slipway::fsm)
#
# with #include "fsm/manager.h". Build them with the target `installed`.
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
