/* xfjit_mame.h: vertex programs of MAME's Xbox in xfjit. Included by src/mame/shared/xbox_nv2a.cpp, into which mame.py puts the
 * call. Constants that a program writes stay written, as there.
 *
 * License: MIT or Apache-2.0, at your choice. */
#ifndef XFJIT_MAME_H
#define XFJIT_MAME_H

#include "xfjit_rows.h"

/* Vertices one after the other, from slot `start` on. `slots` is the memory of 256 slots, each a structure that begins with its
 * words; `slot_stride` is the structure's size. */
static int xfjit_mame_process(const void *slots, size_t slot_stride, int start, void *constants, const void *in, void *out, int count) {
    static xfjit_rows shape = {XFJIT_LIKE_MAME, XFJIT_KELVIN, 0xffff, 0, 256, 192, 0};
    shape.slot_stride = slot_stride;
    return start >= 0 && count >= 0 && xfjit_rows_run(&shape, slots, (size_t)start, constants, NULL, in, out, (size_t)count);
}

#endif
