/* xfjit_rpcs3.h: the vertex programs that RPCS3's guests upload, looked at by xfjit. Included by rpcs3/Emu/RSX/RSXThread.cpp, into
 * which rpcs3.py puts the call. RPCS3 runs them on the host's GPU, and goes on doing so: nothing that is drawn comes from here.
 *
 * XFJIT_VERBOSE=1 reports what xfjit does not decode, and where it finds attributes read that RPCS3's own analysis misses;
 * XFJIT_CAPTURE=path records each program with its constants, for `xfjit prof`, `xfjit list` and `xfjit run --trace`.
 *
 * License: MIT or Apache-2.0, at your choice. */
#ifndef XFJIT_RPCS3_H
#define XFJIT_RPCS3_H

#include "xfjit_rows.h"

/* A program of 512 slots that is started in one of them; its 512 rows of constants; the attributes that RPCS3 says it reads. Returns
 * those beyond them that it reads. */
static uint32_t xfjit_rpcs3_program(const void *slots, uint32_t start, const void *constants, uint32_t inputs) {
    static const xfjit_rows shape = {XFJIT_LIKE_RPCS3, XFJIT_CURIE, 0xffff, 16, 512, 544, 0};
    /* What the chip has beyond these rows, no guest of the PlayStation 3 can load. */
    static XFJIT_ROWS_THREAD float rows[544][4];
    float in[16][4], out[16][4];
    xfjit_info info;
    memset(in, 0, sizeof in);
    memcpy(rows, constants, 512 * sizeof rows[0]);
    if (!xfjit_rows_run(&shape, slots, start, rows, NULL, in, out, 1)) return 0;
    memset(&info, 0, sizeof info);
    info.size = sizeof info;
    if (xfjit_rows_here.api.program_info(xfjit_rows_here.program, &info) != XFJIT_OK) return 0;
    if ((info.inputs_read & ~inputs) != 0) xfjit_rows_tell("a program", "it reads more attributes than RPCS3 has found");
    return info.inputs_read & ~inputs;
}

#endif
