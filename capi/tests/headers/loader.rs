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
            "    found &= xfjit_loader_find(api, \"{name}\", &api->{field}, sizeof api->{field});"
        );
    }
    text += CLOSE;
    text
}

const HEAD: &str = "\
/* xfjit_loader.h: opens the shared library xfjit at run time, if it is installed.
 *
 * This one file is C89 (with <stdint.h>) and C++98. It needs only dlopen or LoadLibrary; there is nothing to link. It is
 * generated from the library's source (capi/tests/headers); do not edit.
 *
 * In exactly one file of the program, write this before the #include:  #define XFJIT_LOADER_IMPLEMENTATION
 *
 *     xfjit_api xfjit;
 *     if (xfjit_load(&xfjit, NULL) == XFJIT_LOADED)
 *         status = xfjit.engine_create(NULL, &engine);
 *     else
 *         ... continue without it; xfjit.error says why ...
 *
 * xfjit.h documents the functions. License: MIT or Apache-2.0, at your choice. */
#ifndef XFJIT_LOADER_H
#define XFJIT_LOADER_H

";

const TABLE: &str = "\
/* The functions of the library. In xfjit.h they have the prefix xfjit_. */
typedef struct xfjit_api {
    void *library; /* null if it is not loaded; then all functions are null, too */
    char error[256]; /* why xfjit_load failed, in the system's words if possible; empty after success */
";

const DECLARATIONS: &str = "\
} xfjit_api;

/* The result of xfjit_load. */
enum {
    XFJIT_LOADED = 0,     /* all functions were found */
    XFJIT_NOT_FOUND = 1,  /* the library was not found, or cannot be opened */
    XFJIT_OTHER_ABI = 2,  /* its interface differs from this header */
    XFJIT_INCOMPLETE = 3  /* it is older, and lacks functions of this header */
};

#if defined __cplusplus
extern \"C\" {
#endif
/* Opens the library at a path (on Windows in UTF-8). With a null pointer, the system searches for it under its usual name.
 * Any thread. */
int xfjit_load(xfjit_api *api, const char *path);
/* Closes the library. Destroy all handles first. One thread, while no other is in the library. */
void xfjit_unload(xfjit_api *api);
#if defined __cplusplus
}
#endif

#endif

#if defined XFJIT_LOADER_IMPLEMENTATION && !defined XFJIT_LOADER_IMPLEMENTED
#define XFJIT_LOADER_IMPLEMENTED

#include <string.h>

/* Appends a text to the error, as much of it as fits. */
static void xfjit_loader_tell(xfjit_api *api, const char *text) {
    strncat(api->error, text, sizeof api->error - 1 - strlen(api->error));
}

/* Clears everything, then sets the error. */
static void xfjit_loader_fail(xfjit_api *api, const char *error) {
    memset(api, 0, sizeof *api);
    xfjit_loader_tell(api, error);
}

#if defined _WIN32
#include <windows.h>
#define XFJIT_LOADER_NAME \"xfjit.dll\"
static void *xfjit_loader_open(const char *path) {
    WCHAR wide[2048];
    int length = MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, path, -1, wide, sizeof wide / sizeof wide[0]);
    return length != 0 ? (void *)LoadLibraryW(wide) : NULL;
}
static void xfjit_loader_close(void *library) { FreeLibrary((HMODULE)library); }
static void xfjit_loader_why(xfjit_api *api, const char *path) {
    char text[200];
    DWORD flags = FORMAT_MESSAGE_FROM_SYSTEM | FORMAT_MESSAGE_IGNORE_INSERTS | FORMAT_MESSAGE_MAX_WIDTH_MASK;
    DWORD length = FormatMessageA(flags, NULL, GetLastError(), 0, text, sizeof text, NULL);
    xfjit_loader_tell(api, path);
    xfjit_loader_tell(api, length != 0 ? \": \" : \": cannot be loaded\");
    xfjit_loader_tell(api, length != 0 ? text : \"\");
}
static int xfjit_loader_find(xfjit_api *api, const char *name, void *function, size_t size) {
    FARPROC found = GetProcAddress((HMODULE)api->library, name);
    if (found != NULL && size == sizeof found) {
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
static void xfjit_loader_why(xfjit_api *api, const char *path) {
    const char *text = dlerror();
    xfjit_loader_tell(api, text != NULL ? text : path);
}
static int xfjit_loader_find(xfjit_api *api, const char *name, void *function, size_t size) {
    void *found = dlsym(api->library, name);
    if (found != NULL && size == sizeof found) {
        memcpy(function, &found, size);
        return 1;
    }
#endif
    /* Report only the first one. */
    if (api->error[0] == 0) {
        xfjit_loader_tell(api, \"the library lacks the function \");
        xfjit_loader_tell(api, name);
    }
    return 0;
}

/* Closes the library, and keeps the error. */
static void xfjit_loader_leave(xfjit_api *api) {
    char error[sizeof api->error];
    memcpy(error, api->error, sizeof error);
    xfjit_loader_close(api->library);
    xfjit_loader_fail(api, error);
}

void xfjit_unload(xfjit_api *api) {
    if (api->library != NULL) xfjit_loader_close(api->library);
    memset(api, 0, sizeof *api);
}

";

const OPEN: &str = "\
int xfjit_load(xfjit_api *api, const char *path) {
    int found = 1;
    xfjit_loader_fail(api, \"\");
    if (path == NULL) path = XFJIT_LOADER_NAME;
    api->library = xfjit_loader_open(path);
    if (api->library == NULL) {
        xfjit_loader_why(api, path);
        return XFJIT_NOT_FOUND;
    }
    if (xfjit_loader_find(api, \"xfjit_abi_version\", &api->abi_version, sizeof api->abi_version)
        && api->abi_version() != XFJIT_ABI)
        xfjit_loader_tell(api, \"the library and this header have different interface versions\");
    if (api->error[0] != 0) {
        xfjit_loader_leave(api);
        return XFJIT_OTHER_ABI;
    }
";

const CLOSE: &str = "    \
    if (!found) {
        xfjit_loader_leave(api);
        return XFJIT_INCOMPLETE;
    }
    return XFJIT_LOADED;
}

#endif
";
