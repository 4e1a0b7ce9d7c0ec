/* xfjit_bochs.h: vertex programs of Bochs' GeForce cards in xfjit. Included by iodev/display/geforce.cc, into which bochs.py puts
 * the calls.
 *
 * License: MIT or Apache-2.0, at your choice. */
#ifndef XFJIT_BOCHS_H
#define XFJIT_BOCHS_H

#include "xfjit_rows.h"

/* A triangle: vertices base, base + 1 and base + 2 of the four (16 rows each) that the card collects, of which the one after the last is the
 * first, so that a quad's second triangle is 2, 3, 0. Everything that the interpreter would have
 * written is in `out`, three vertices. */
static int xfjit_bochs_triangle(uint32_t card_type, const void *program, uint32_t start, void *constants, const void *vertices,
    uint32_t base, void *out) {
    static const xfjit_rows kelvin = {XFJIT_LIKE_BOCHS, XFJIT_KELVIN, 0xffff, 16, 544, 512, XFJIT_FORMS_512_ROWS};
    static const xfjit_rows rankine = {XFJIT_LIKE_BOCHS, XFJIT_RANKINE, 0xffff, 16, 544, 512, XFJIT_FORMS_512_ROWS};
    static const xfjit_rows curie = {XFJIT_LIKE_BOCHS, XFJIT_CURIE, 0xffff, 16, 544, 512, XFJIT_FORMS_512_ROWS};
    const xfjit_rows *shape = card_type == 0x20 ? &kelvin : card_type == 0x35 ? &rankine : card_type >= 0x40 ? &curie : NULL;
    float turned[3][16][4];
    const char *in = (const char *)vertices;
    uint32_t vertex;
    base &= 3;
    if (shape == NULL) return 0;
    if (base <= 1) return xfjit_rows_run(shape, program, start, constants, NULL, in + base * sizeof turned[0], out, 3);
    for (vertex = 0; vertex < 3; vertex++)
        memcpy(turned[vertex], in + (base + vertex) % 4 * sizeof turned[0], sizeof turned[0]);
    return xfjit_rows_run(shape, program, start, constants, NULL, turned, out, 3);
}

#endif
