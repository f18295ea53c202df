# How targets are declared. A folder of src/ is a library and a test program:
#
#   slipway_library(store DEPENDS base sys PRIVATE SQLite::SQLite3)
#
# and everything else is one of:
#
#   slipway_program(hello SOURCES hello.cc DEPENDS fsm)
#   slipway_test(crash_test SOURCES a_test.cc b_test.cc DEPENDS fsm LABELS crash TIMEOUT 600 LONG_TIMEOUT 3600)
#   slipway_fuzzer(ulid_fuzz SOURCES ulid_fuzz.cc DEPENDS base)
#
# DEPENDS names folders of src/. Includes are written from src/: #include "fsm/manager.h".

# Optimising what gtest's macros expand to takes longer than the tests do. (What lies in testing/ is optimised in a
# release build, since the benchmarks use it.)
function(slipway_test_code target)
  if(target MATCHES "_testing$")
    target_compile_options(${target} PRIVATE $<$<CONFIG:Debug>:-O0>)
  else()
    target_compile_options(${target} PRIVATE -O0)
  endif()
endfunction()

# For what uses gtest: its headers and other big ones are read once for a target, and not once for each file.
function(slipway_test_headers target)
  target_precompile_headers(${target} PRIVATE <gmock/gmock.h> <gtest/gtest.h> <nlohmann/json.hpp> <fmt/format.h>
                            <filesystem> <fstream> <functional> <map> <optional> <string> <thread> <vector>)
endfunction()

# The folders `folders` and all that they depend on, each once.
function(slipway_closure out)
  set(all)
  foreach(folder IN LISTS ARGN)
    get_property(below GLOBAL PROPERTY SLIPWAY_CLOSURE_${folder})
    list(APPEND all ${folder} ${below})
  endforeach()
  list(REMOVE_DUPLICATES all)
  set(${out} ${all} PARENT_SCOPE)
endfunction()

# slipway_library(NAME [THREADS] [DEPENDS folder...] [PUBLIC target...] [PRIVATE target...])
#
# From src/NAME: NAME/*.cc and NAME/PART/*.cc are the library slipway::NAME, NAME/testing/*.cc (fakes, contract suites)
# is slipway::NAME_testing, and the *_test.cc of all these are the test program NAME_test. PUBLIC and PRIVATE are
# libraries from outside. A folder of headers only is an interface library. A main.cc is a program's, not the library's.
# THREADS: it works with threads, and its tests are worth running under the thread sanitizer; but for those of its parts,
# which are then a test program of their own, NAME_parts_test.
function(slipway_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "THREADS" "" "DEPENDS;PUBLIC;PRIVATE")
  set(dir ${CMAKE_CURRENT_SOURCE_DIR}/${name})
  file(GLOB sources CONFIGURE_DEPENDS ${dir}/*.cc ${dir}/*/*.cc)
  file(GLOB testing_sources CONFIGURE_DEPENDS ${dir}/testing/*.cc)
  list(FILTER sources EXCLUDE REGEX "/testing/[^/]+$")
  set(tests ${sources} ${testing_sources})
  list(FILTER sources EXCLUDE REGEX "(_test|/main)\\.cc$")
  list(FILTER testing_sources EXCLUDE REGEX "_test\\.cc$")
  list(FILTER tests INCLUDE REGEX "_test\\.cc$")

  slipway_closure(below ${arg_DEPENDS})
  set_property(GLOBAL PROPERTY SLIPWAY_CLOSURE_${name} ${below})
  list(TRANSFORM arg_DEPENDS PREPEND slipway:: OUTPUT_VARIABLE depends)

  set(target slipway_${name})
  if(sources)
    add_library(${target} STATIC ${sources})
    target_link_libraries(${target} PRIVATE ${arg_PRIVATE})
    set(scope PUBLIC)
  else()
    add_library(${target} INTERFACE)
    set(scope INTERFACE)
  endif()
  add_library(slipway::${name} ALIAS ${target})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name})
  target_compile_features(${target} ${scope} cxx_std_23)
  target_include_directories(${target} ${scope} $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src>
                                                $<INSTALL_INTERFACE:include/slipway>)
  target_link_libraries(${target} ${scope} ${depends} ${arg_PUBLIC})

  if(NOT SLIPWAY_TESTS)
    return()
  endif()
  if(testing_sources)
    add_library(${target}_testing STATIC ${testing_sources})
    slipway_test_code(${target}_testing)
    slipway_test_headers(${target}_testing)
    add_library(slipway::${name}_testing ALIAS ${target}_testing)
    slipway_testing_libraries(testing ${arg_DEPENDS})
    target_link_libraries(${target}_testing PUBLIC slipway::${name} ${testing} GTest::gmock GTest::gtest)
  endif()
  if(arg_THREADS)
    set(part_tests ${tests})
    list(FILTER part_tests INCLUDE REGEX "^${dir}/[^/]+/[^/]+$")
    list(FILTER part_tests EXCLUDE REGEX "/testing/[^/]+$")
    if(part_tests)
      list(REMOVE_ITEM tests ${part_tests})
      slipway_test(${name}_parts_test SOURCES ${part_tests} DEPENDS ${name} PREFIX ${name}. LABELS unit)
      set_property(GLOBAL APPEND PROPERTY SLIPWAY_UNIT_TESTS ${name}_parts_test)
    endif()
  endif()
  if(tests)
    set(label unit)
    if(arg_THREADS)
      set(label unit-threads)
      set_property(GLOBAL APPEND PROPERTY SLIPWAY_THREAD_TESTS ${name}_test)
    endif()
    slipway_test(${name}_test SOURCES ${tests} DEPENDS ${name} PREFIX ${name}. LABELS ${label})
    set_property(GLOBAL APPEND PROPERTY SLIPWAY_UNIT_TESTS ${name}_test)
  endif()
endfunction()

# The testing libraries of `folders` and of all that they depend on.
function(slipway_testing_libraries out)
  slipway_closure(folders ${ARGN})
  set(libraries)
  foreach(folder IN LISTS folders)
    if(TARGET slipway::${folder}_testing)
      list(APPEND libraries slipway::${folder}_testing)
    endif()
  endforeach()
  set(${out} ${libraries} PARENT_SCOPE)
endfunction()

# slipway_program(NAME SOURCES file... [DEPENDS folder...])
function(slipway_program name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;DEPENDS")
  list(TRANSFORM arg_DEPENDS PREPEND slipway::)
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE ${arg_DEPENDS})
endfunction()

# slipway_test(NAME SOURCES file... [DEPENDS folder...] [LABELS label...] [PREFIX text] [TIMEOUT seconds]
#              [LONG_TIMEOUT seconds] [RUN_SERIAL] [AS_ONE])
#
# A GoogleTest program with its own main() from gtest_main; each TEST becomes a test of ctest, named PREFIXSuite.Name.
# It links the testing libraries of DEPENDS too. TIMEOUT is for one TEST (120 when not given); under SLIPWAY_LONG=1
# LONG_TIMEOUT takes its place. RUN_SERIAL: nothing else runs beside these tests. AS_ONE: the whole program is one test
# of ctest, for one whose start is dear; TIMEOUT is for all of it.
function(slipway_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "RUN_SERIAL;AS_ONE" "PREFIX;TIMEOUT;LONG_TIMEOUT" "SOURCES;DEPENDS;LABELS")
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 120)
  endif()
  slipway_program(${name} SOURCES ${arg_SOURCES} DEPENDS ${arg_DEPENDS})
  slipway_test_code(${name})
  slipway_test_headers(${name})
  slipway_testing_libraries(testing ${arg_DEPENDS})
  target_link_libraries(${name} PRIVATE ${testing} GTest::gmock GTest::gtest_main)

  set(properties TIMEOUT ${arg_TIMEOUT})
  if(arg_LABELS)
    list(JOIN arg_LABELS "\\;" labels)
    list(APPEND properties LABELS "${labels}")
  endif()
  if(arg_RUN_SERIAL)
    list(APPEND properties RUN_SERIAL TRUE)
  endif()
  if(arg_AS_ONE)
    add_test(NAME ${name} COMMAND ${name})
    set_tests_properties(${name} PROPERTIES TIMEOUT ${arg_TIMEOUT} LABELS "${arg_LABELS}"
                         SKIP_REGULAR_EXPRESSION "all tests are skipped")
    return()
  endif()
  gtest_discover_tests(${name} TEST_PREFIX "${arg_PREFIX}" TEST_LIST ${name}_TESTS DISCOVERY_MODE PRE_TEST
                       DISCOVERY_TIMEOUT 60 PROPERTIES ${properties})
  if(arg_LONG_TIMEOUT)
    slipway_long_timeout(${name} ${arg_LONG_TIMEOUT})
  endif()
endfunction()

# ctest reads this file after the list of the program's tests, with the environment it was started in.
function(slipway_long_timeout name seconds)
  set(file ${CMAKE_CURRENT_BINARY_DIR}/${name}_long.cmake)
  file(CONFIGURE OUTPUT ${file} @ONLY CONTENT [[
if("$ENV{SLIPWAY_LONG}" STREQUAL "1")
  foreach(test IN LISTS @name@_TESTS)
    set_tests_properties("${test}" PROPERTIES TIMEOUT @seconds@)
  endforeach()
endif()
]])
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${file})
endfunction()

# slipway_fuzzer(NAME SOURCES file... [DEPENDS folder...]): the file has LLVMFuzzerTestOneInput.
function(slipway_fuzzer name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;DEPENDS")
  slipway_program(${name} SOURCES ${arg_SOURCES} DEPENDS ${arg_DEPENDS})
  target_link_options(${name} PRIVATE -fsanitize=fuzzer)
  set_property(GLOBAL APPEND PROPERTY SLIPWAY_FUZZERS ${name})
endfunction()

# Targets that `./dev` builds by name: `unit_tests` (the test programs of src/), `thread_tests` (of these, those of
# folders that work with threads), `whole_tests` (those of tests/ and the
# examples), `fuzzers`, and for each program bench/X_bench a line X in bench/groups of the build directory.
function(slipway_summary_targets)
  get_property(unit_tests GLOBAL PROPERTY SLIPWAY_UNIT_TESTS)
  add_custom_target(unit_tests DEPENDS ${unit_tests})
  get_property(thread_tests GLOBAL PROPERTY SLIPWAY_THREAD_TESTS)
  add_custom_target(thread_tests DEPENDS ${thread_tests})
  get_property(dirs DIRECTORY PROPERTY SUBDIRECTORIES)
  list(FILTER dirs INCLUDE REGEX "/(tests/[^/]+|examples)$")
  set(whole_tests)
  foreach(dir IN LISTS dirs)
    get_property(targets DIRECTORY ${dir} PROPERTY BUILDSYSTEM_TARGETS)
    list(APPEND whole_tests ${targets})
  endforeach()
  add_custom_target(whole_tests DEPENDS ${whole_tests})
  get_property(fuzzers GLOBAL PROPERTY SLIPWAY_FUZZERS)
  add_custom_target(fuzzers DEPENDS ${fuzzers})

  set(groups "")
  if(EXISTS ${PROJECT_SOURCE_DIR}/bench/CMakeLists.txt)
    get_property(targets DIRECTORY ${PROJECT_SOURCE_DIR}/bench PROPERTY BUILDSYSTEM_TARGETS)
    foreach(target IN LISTS targets)
      if(target MATCHES "^(.+)_bench$")
        string(APPEND groups "${CMAKE_MATCH_1}\n")
      endif()
    endforeach()
  endif()
  file(WRITE ${PROJECT_BINARY_DIR}/bench/groups "${groups}")
endfunction()

if(SLIPWAY_TESTS)
  include(GoogleTest)
endif()
