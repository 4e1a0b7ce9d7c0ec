# find_package(xfjit): targets xfjit::xfjit (shared) and xfjit::static. Lies in lib/cmake/xfjit of what capi/install.sh makes.
get_filename_component(_xfjit_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
set(xfjit_INCLUDE_DIR "${_xfjit_prefix}/include")
if(NOT TARGET xfjit::xfjit)
  add_library(xfjit::xfjit SHARED IMPORTED)
  set_target_properties(xfjit::xfjit PROPERTIES
    IMPORTED_LOCATION "${_xfjit_prefix}/lib/libxfjit.so.1"
    IMPORTED_SONAME "libxfjit.so.1"
    INTERFACE_INCLUDE_DIRECTORIES "${xfjit_INCLUDE_DIR}")
  add_library(xfjit::static STATIC IMPORTED)
  set_target_properties(xfjit::static PROPERTIES
    IMPORTED_LOCATION "${_xfjit_prefix}/lib/libxfjit.a"
    INTERFACE_INCLUDE_DIRECTORIES "${xfjit_INCLUDE_DIR}"
    INTERFACE_LINK_LIBRARIES "gcc_s;util;rt;pthread;m;dl")
endif()
set(xfjit_FOUND TRUE)
