/* xfjit_bochs.h: vertex programs of Bochs' GeForce cards in xfjit. Included by iodev/display/geforce.cc, into which bochs.py puts
 * the calls.
 *
 * License: MIT or Apache-2.0, at your choice. */
#ifndef XFJIT_BOCHS_H
#define XFJIT_BOCHS_H

#include "xfjit_rows.h"

/* A triangle: vertices base, base + 1 and base + 2 of the four that the card collects, of which the one behind the last is the
 * first, so that a quad's second triangle is 2, 3, 0. Everything that the interpreter would have written is in `out`. */
static bool xfjit_bochs_triangle(uint32_t card_type, const void *program, uint32_t start, void *constants, const float (*vertices)[16][4],
    uint32_t base, float (*out)[16][4]) {
    static const xfjit_rows kelvin = {XFJIT_LIKE_BOCHS, XFJIT_KELVIN, 0xffff, 16, 544, 512};
    static const xfjit_rows rankine = {XFJIT_LIKE_BOCHS, XFJIT_RANKINE, 0xffff, 16, 544, 512};
    static const xfjit_rows curie = {XFJIT_LIKE_BOCHS, XFJIT_CURIE, 0xffff, 16, 544, 512};
    const xfjit_rows *shape = card_type == 0x20 ? &kelvin : card_type == 0x35 ? &rankine : card_type >= 0x40 ? &curie : NULL;
    float turned[3][16][4];
    base &= 3;
    if (shape == NULL) return false;
    if (base > 1) {
        for (uint32_t vertex = 0; vertex < 3; vertex++)
            memcpy(turned[vertex], vertices[(base + vertex) & 3], sizeof turned[vertex]);
        return xfjit_rows_run(shape, program, start, constants, NULL, turned, out, 3) != 0;
    }
    return xfjit_rows_run(shape, program, start, constants, NULL, vertices[base], out, 3) != 0;
}

#endif
