/* xfjit_rows.h: vertex programs of an emulator that holds registers as rows of four floats, one after the other: 16 rows of
 * attributes in, 16 rows of outputs out, rows of constants. They run in xfjit if its library is installed; if not, or if it refuses,
 * xfjit_rows_run returns 0 and has touched nothing, and the emulator goes on with its own interpreter.
 *
 * C11 or C++11. Included by one file of the emulator, which needs xfjit_loader.h beside it and nothing to link. Each thread that
 * runs vertices has an engine of its own until the process ends.
 *
 * The environment:  XFJIT_LIBRARY=path   the library, where the system does not find it; "off": none
 *                   XFJIT_VERBOSE=1      says on the standard error why there is none, and what is refused
 *                   XFJIT_CAPTURE=path   what the first such thread runs, recorded for `xfjit prof` and `xfjit run --trace`,
 *                                        up to a gigabyte
 *
 * License: MIT or Apache-2.0, at your choice. */
#ifndef XFJIT_ROWS_H
#define XFJIT_ROWS_H

#define XFJIT_LOADER_IMPLEMENTATION
#include "xfjit_loader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What an emulator has. One static object for each kind of program: it is known by its address. */
typedef struct xfjit_rows {
    uint32_t like;          /* XFJIT_LIKE_* */
    uint32_t generation;    /* XFJIT_KELVIN, XFJIT_RANKINE, XFJIT_CURIE */
    uint32_t live_outputs;  /* The outputs that somebody reads, as a mask; 0: programs that write constants alone. */
    size_t slot_stride;     /* Bytes from one slot's words to those of the next. */
    size_t slot_count;      /* Slots of the memory of programs. */
    size_t constant_rows;   /* Rows of constants. */
    uint32_t forms;         /* XFJIT_FORMS_* beyond those of `like`. */
} xfjit_rows;

/* What a thread has. */
typedef struct xfjit_rows_state {
    int is_tried;              /* Loading the library. */
    xfjit_api api;
    xfjit_engine *engine;
    xfjit_worker *worker;
    const xfjit_rows *shape;   /* What the configuration was made for. */
    xfjit_config config;
    const xfjit_program *program; /* What ran last. */
    FILE *capture;
} xfjit_rows_state;

#if defined __cplusplus
#define XFJIT_ROWS_THREAD thread_local
#elif defined _MSC_VER
#define XFJIT_ROWS_THREAD __declspec(thread)
#else
#define XFJIT_ROWS_THREAD _Thread_local
#endif
static XFJIT_ROWS_THREAD xfjit_rows_state xfjit_rows_here;

static void xfjit_rows_tell(const char *what, const char *why) {
    if (getenv("XFJIT_VERBOSE") != NULL) fprintf(stderr, "xfjit: %s: %s\n", what, why);
}

/* Says what the library says of the last call. */
static void xfjit_rows_fail(const xfjit_rows_state *here, const char *what) {
    char why[256];
    here->api.last_error(why, sizeof why);
    xfjit_rows_tell(what, why);
}

static int32_t xfjit_rows_write(void *file, const void *bytes, size_t size) {
    return bytes == NULL || fwrite(bytes, 1, size, (FILE *)file) == size ? 0 : 1;
}

/* Whose calls are recorded. */
static xfjit_rows_state *xfjit_rows_captured;

static void xfjit_rows_close(void) {
    xfjit_rows_captured->api.worker_record_end(xfjit_rows_captured->worker);
    fclose(xfjit_rows_captured->capture);
}

/* Opens the library, once a thread. Programs are interpreted at first, and compiled by a thread of the engine. */
static void xfjit_rows_open(xfjit_rows_state *here) {
    const char *path = getenv("XFJIT_LIBRARY"), *capture = getenv("XFJIT_CAPTURE");
    xfjit_options options;
    here->is_tried = 1;
    if (path != NULL && strcmp(path, "off") == 0) return;
    if (xfjit_load(&here->api, path) != XFJIT_LOADED) {
        xfjit_rows_tell("the library", here->api.error);
        return;
    }
    memset(&options, 0, sizeof options);
    options.size = sizeof options;
    options.compile_after = 64;
    if (here->api.engine_create(&options, &here->engine) != XFJIT_OK
        || here->api.worker_create(here->engine, &here->worker) != XFJIT_OK) {
        xfjit_rows_fail(here, "the engine");
        here->worker = NULL;
        return;
    }
    if (capture == NULL || xfjit_rows_captured != NULL) return;
    here->capture = fopen(capture, "wb");
    if (here->capture == NULL) {
        xfjit_rows_tell(capture, "cannot be written");
    } else if (here->api.worker_record(here->worker, (uint64_t)1 << 30, xfjit_rows_write, here->capture) != XFJIT_OK) {
        xfjit_rows_fail(here, capture);
        fclose(here->capture);
    } else {
        xfjit_rows_captured = here;
        atexit(xfjit_rows_close);
    }
}

/* Runs `count` vertices from slot `start` on. `slots` is where the words of slot 0 are. Outputs that the program does not write
 * become 0, 0, 0, 1. `dirty` is null, or a byte for each row of constants, which becomes 1 when the row is written. */
static int xfjit_rows_run(const xfjit_rows *shape, const void *slots, size_t start, void *constants, uint8_t *dirty, const void *in,
    void *out, size_t count) {
    xfjit_rows_state *here = &xfjit_rows_here;
    if (!here->is_tried) xfjit_rows_open(here);
    if (here->worker == NULL || start >= shape->slot_count) return 0;
    if (here->shape != shape) {
        memset(&here->config, 0, sizeof here->config);
        here->config.size = sizeof here->config;
        if (here->api.config_like(&here->config, shape->like, shape->generation) != XFJIT_OK) {
            xfjit_rows_fail(here, "the configuration");
            return 0;
        }
        here->config.live_outputs = shape->live_outputs;
        here->config.keep_outputs = 0;
        here->config.forms |= shape->forms;
        here->shape = shape;
    }
    if (here->api.worker_program(here->worker, slots, shape->slot_stride, shape->slot_count, start, &here->config, &here->program)
            != XFJIT_OK
        || here->api.run_rows(here->program, here->worker, constants, shape->constant_rows, dirty, in, out, count) != XFJIT_OK) {
        xfjit_rows_fail(here, "a program");
        return 0;
    }
    return 1;
}

#endif
