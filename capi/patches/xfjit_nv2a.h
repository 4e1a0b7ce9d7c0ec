/* xfjit_nv2a.h: programs that write constants, as xemu and Cxbx-Reloaded launch them, in xfjit. Included by
 * hw/xbox/nv2a/pgraph/pgraph.c or src/core/hle/D3D8/XbVertexShader.cpp, into which xemu.py or cxbx.py puts the call.
 *
 * License: MIT or Apache-2.0, at your choice. */
#ifndef XFJIT_NV2A_H
#define XFJIT_NV2A_H

#include "xfjit_rows.h"

/* One launch: v0 is `parameter`, four floats or null, the other attributes are zeros. `slots` is where the words of slot 0 of 136
 * are; `constants` are 192 rows, `dirty` has a byte for each, which becomes 1 when the row is written. */
static int xfjit_nv2a_launch(const void *slots, size_t start, const void *parameter, void *constants, void *dirty) {
    static const xfjit_rows shape = {XFJIT_LIKE_NV2A_VSH_CPU, XFJIT_KELVIN, 0, 16, 136, 192, 0};
    float in[16][4], out[16][4];
    memset(in, 0, sizeof in);
    if (parameter != NULL) memcpy(in[0], parameter, sizeof in[0]);
    return xfjit_rows_run(&shape, slots, start, constants, (uint8_t *)dirty, in, out, 1);
}

#endif
