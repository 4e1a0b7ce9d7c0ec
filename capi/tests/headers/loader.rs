//! `xfjit_loader.h`.

use crate::render::{functions, prototype, types};
use std::fmt::Write;
use xfjit_capi::table::Section;

pub(crate) fn header(interface: &[Section]) -> String {
    let functions = functions(interface);
    let short = |name: &str| name.strip_prefix("xfjit_").expect(name).to_owned();
    let mut text = String::from(HEAD);
    text += &types(interface);
    text += TABLE;
    for function in &functions {
        let _ = writeln!(text, "    {};", prototype(function, &format!("(*{})", short(function.name))));
    }
    text += DECLARATIONS;
    text += OPEN;
    for function in &functions {
        // A pointer to a function is no pointer to an object in C, so its bytes are copied.
        let (name, field) = (function.name, short(function.name));
        let _ = writeln!(
            text,
            "    found &= xfjit_loader_find(api->library, \"{name}\", &api->{field}, sizeof api->{field});"
        );
    }
    text += CLOSE;
    text
}

const HEAD: &str = "\
/* xfjit_loader.h: opens the shared library xfjit while the program runs, if it is there.
 *
 * One file, C89 (with <stdint.h>) and C++98, no dependency but dlopen or LoadLibrary; nothing to link. Made of the library's
 * source (capi/tests/headers); do not edit.
 *
 * In one file of the program, before it is included:  #define XFJIT_LOADER_IMPLEMENTATION
 *
 *     xfjit_api xfjit;
 *     if (xfjit_load(&xfjit, NULL) == XFJIT_LOADED)
 *         status = xfjit.engine_create(NULL, &engine);
 *     else
 *         ... go on alone ...
 *
 * What the functions do stands in xfjit.h. License: MIT or Apache-2.0, at your choice. */
#ifndef XFJIT_LOADER_H
#define XFJIT_LOADER_H

";

const TABLE: &str = "\
/* The functions of the library; xfjit.h has them with the prefix xfjit_. */
typedef struct xfjit_api {
    void *library; /* null if it is not loaded; then all functions are, too */
";

const DECLARATIONS: &str = "\
} xfjit_api;

/* How loading ends. */
enum {
    XFJIT_LOADED = 0,     /* all functions are there */
    XFJIT_NOT_FOUND = 1,  /* there is no such library, or it cannot be opened */
    XFJIT_OTHER_ABI = 2,  /* its interface is not that of this header */
    XFJIT_INCOMPLETE = 3  /* it lacks functions that this header has: it is older */
};

#if defined __cplusplus
extern \"C\" {
#endif
/* Opens the library: the file at a path, or with a null pointer the one that the system finds by its usual name. Any thread. */
int xfjit_load(xfjit_api *api, const char *path);
/* Closes it, after all handles have been destroyed. One thread, while no other is in the library. */
void xfjit_unload(xfjit_api *api);
#if defined __cplusplus
}
#endif

#endif

#if defined XFJIT_LOADER_IMPLEMENTATION && !defined XFJIT_LOADER_IMPLEMENTED
#define XFJIT_LOADER_IMPLEMENTED

#include <string.h>

#if defined _WIN32
#include <windows.h>
#define XFJIT_LOADER_NAME \"xfjit.dll\"
static void *xfjit_loader_open(const char *path) { return (void *)LoadLibraryA(path); }
static void xfjit_loader_close(void *library) { FreeLibrary((HMODULE)library); }
static int xfjit_loader_find(void *library, const char *name, void *function, size_t size) {
    FARPROC found = GetProcAddress((HMODULE)library, name);
    if (found == NULL || size != sizeof found) return 0;
    memcpy(function, &found, size);
    return 1;
}
#else
#include <dlfcn.h>
#if defined __APPLE__
#define XFJIT_LOADER_NAME \"libxfjit.1.dylib\"
#else
#define XFJIT_LOADER_NAME \"libxfjit.so.1\"
#endif
static void *xfjit_loader_open(const char *path) { return dlopen(path, RTLD_NOW | RTLD_LOCAL); }
static void xfjit_loader_close(void *library) { dlclose(library); }
static int xfjit_loader_find(void *library, const char *name, void *function, size_t size) {
    void *found = dlsym(library, name);
    if (found == NULL || size != sizeof found) return 0;
    memcpy(function, &found, size);
    return 1;
}
#endif

void xfjit_unload(xfjit_api *api) {
    if (api->library != NULL) xfjit_loader_close(api->library);
    memset(api, 0, sizeof *api);
}

";

const OPEN: &str = "\
int xfjit_load(xfjit_api *api, const char *path) {
    int found = 1;
    memset(api, 0, sizeof *api);
    api->library = xfjit_loader_open(path != NULL ? path : XFJIT_LOADER_NAME);
    if (api->library == NULL) return XFJIT_NOT_FOUND;
    if (!xfjit_loader_find(api->library, \"xfjit_abi_version\", &api->abi_version, sizeof api->abi_version)
        || api->abi_version() != XFJIT_ABI) {
        xfjit_unload(api);
        return XFJIT_OTHER_ABI;
    }
";

const CLOSE: &str = "    \
    if (!found) {
        xfjit_unload(api);
        return XFJIT_INCOMPLETE;
    }
    return XFJIT_LOADED;
}

#endif
";
