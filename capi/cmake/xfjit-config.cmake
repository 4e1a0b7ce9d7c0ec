# find_package(xfjit): targets xfjit::xfjit (shared) and xfjit::static. Lies in cmake/xfjit beside the libraries: in lib of what capi/install.sh makes, in
# lib/ARCHITECTURE of a Debian package.
get_filename_component(_xfjit_libraries "${CMAKE_CURRENT_LIST_DIR}/../.." ABSOLUTE)
get_filename_component(_xfjit_prefix "${_xfjit_libraries}/.." ABSOLUTE)
if(NOT EXISTS "${_xfjit_prefix}/include/xfjit.h")
  get_filename_component(_xfjit_prefix "${_xfjit_prefix}/.." ABSOLUTE)
endif()
set(xfjit_INCLUDE_DIR "${_xfjit_prefix}/include")
if(NOT TARGET xfjit::xfjit)
  add_library(xfjit::xfjit SHARED IMPORTED)
  if(WIN32)
    set_target_properties(xfjit::xfjit PROPERTIES
      IMPORTED_LOCATION "${_xfjit_prefix}/bin/xfjit.dll"
      IMPORTED_IMPLIB "${_xfjit_libraries}/libxfjit.dll.a")
    set(_xfjit_system kernel32 ntdll userenv ws2_32 dbghelp)
  else()
    set_target_properties(xfjit::xfjit PROPERTIES
      IMPORTED_LOCATION "${_xfjit_libraries}/libxfjit.so.1"
      IMPORTED_SONAME "libxfjit.so.1")
    set(_xfjit_system gcc_s util rt pthread m dl)
  endif()
  set_target_properties(xfjit::xfjit PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${xfjit_INCLUDE_DIR}")
  add_library(xfjit::static STATIC IMPORTED)
  set_target_properties(xfjit::static PROPERTIES
    IMPORTED_LOCATION "${_xfjit_libraries}/libxfjit.a"
    INTERFACE_INCLUDE_DIRECTORIES "${xfjit_INCLUDE_DIR}"
    INTERFACE_LINK_LIBRARIES "${_xfjit_system}")
endif()
set(xfjit_FOUND TRUE)
