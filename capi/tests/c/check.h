/* What the tests in C share: a check that tells where it failed, and a few programs, unless CHECK_ALONE is defined. C89. */
#ifndef CHECK_H
#define CHECK_H
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition) \
    do { \
        if (!(condition)) { \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
            exit(1); \
        } \
    } while (0)

#ifndef CHECK_ALONE
/* oPos = (v0 . c[0], v0 . c[1], v0 . c[2], v0 . c[3]); oD0 = v3 * c[4] */
static const uint32_t TRANSFORM[5][4] = {
    {0x00000000, 0x00e0001b, 0x0836186c, 0x20708800}, {0x00000000, 0x00e0201b, 0x0836186c, 0x20704800},
    {0x00000000, 0x00e0401b, 0x0836186c, 0x20702800}, {0x00000000, 0x00e0601b, 0x0836186c, 0x20701800},
    {0x00000000, 0x0040861b, 0x0836186c, 0x2070f819}};

/* c[96] = v0 + c[95] */
static const uint32_t STATE[2][4] = {
    {0x00000000, 0x0020001b, 0x0836106c, 0x2f100ff8}, {0x00000000, 0x006be01b, 0x1436106c, 0x3070f301}};

/* Vertices and constants for TRANSFORM, and what comes out; all of it is exact. */
static void fill_constants(float (*constants)[4]) {
    int row, component;
    for (row = 0; row < 192; row++)
        for (component = 0; component < 4; component++)
            constants[row][component] = (float)(row + component);
}

static void fill_vertex(float (*in)[4], int vertex) {
    int attribute, component;
    for (attribute = 0; attribute < 16; attribute++)
        for (component = 0; component < 4; component++)
            in[attribute][component] = (float)(vertex % 7 - attribute + component);
}

static void expected(float (*in)[4], float (*constants)[4], float *position, float *colour) {
    int row, component;
    for (row = 0; row < 4; row++) {
        position[row] = 0;
        for (component = 0; component < 4; component++)
            position[row] += in[0][component] * constants[row][component];
        colour[row] = in[3][row] * constants[4][row];
    }
}
#endif
#endif
