# find_package(xfjit): targets xfjit::xfjit (shared) and xfjit::static. Lies in lib/cmake/xfjit of what capi/install.sh makes.
get_filename_component(_xfjit_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
set(xfjit_INCLUDE_DIR "${_xfjit_prefix}/include")
if(NOT TARGET xfjit::xfjit)
  add_library(xfjit::xfjit SHARED IMPORTED)
  if(WIN32)
    set_target_properties(xfjit::xfjit PROPERTIES
      IMPORTED_LOCATION "${_xfjit_prefix}/bin/xfjit.dll"
      IMPORTED_IMPLIB "${_xfjit_prefix}/lib/libxfjit.dll.a")
    set(_xfjit_system kernel32 ntdll userenv ws2_32 dbghelp)
  else()
    set_target_properties(xfjit::xfjit PROPERTIES
      IMPORTED_LOCATION "${_xfjit_prefix}/lib/libxfjit.so.1"
      IMPORTED_SONAME "libxfjit.so.1")
    set(_xfjit_system gcc_s util rt pthread m dl)
  endif()
  set_target_properties(xfjit::xfjit PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${xfjit_INCLUDE_DIR}")
  add_library(xfjit::static STATIC IMPORTED)
  set_target_properties(xfjit::static PROPERTIES
    IMPORTED_LOCATION "${_xfjit_prefix}/lib/libxfjit.a"
    INTERFACE_INCLUDE_DIRECTORIES "${xfjit_INCLUDE_DIR}"
    INTERFACE_LINK_LIBRARIES "${_xfjit_system}")
endif()
set(xfjit_FOUND TRUE)
