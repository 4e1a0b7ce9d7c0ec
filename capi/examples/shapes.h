/* The code that the examples share: an interpreter of Kelvin's programs as in emulators (IEEE floats of the host, each slot
 * decoded when it runs), a clock, vertices and constants. This is the "before" of each example. C99. */
#ifndef SHAPES_H
#define SHAPES_H
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "programs.h"
#include "xfjit.h"

/* Bits `low` .. `low + width` of a slot; bit 0 is the lowest of its last word. */
static unsigned slot_field(const uint32_t *slot, unsigned low, unsigned width) {
    uint64_t bits = slot[3 - low / 32] >> low % 32;
    if (low % 32 + width > 32)
        bits |= (uint64_t)slot[2 - low / 32] << (32 - low % 32);
    return (unsigned)(bits & ((1u << width) - 1));
}

static void read_source(const uint32_t *slot, unsigned low, float (*in)[4], float (*temps)[4], float (*constants)[4], int address, float *value) {
    unsigned source = slot_field(slot, low, 15), at;
    int row = (int)slot_field(slot, 77, 8) + (slot_field(slot, 1, 1) ? address : 0);
    static float zero[4];
    const float *from = zero;
    switch (source & 3) {
    case 1: from = temps[source >> 2 & 15]; break;
    case 2: from = in[slot_field(slot, 73, 4)]; break;
    case 3: from = row >= 0 && row < 192 ? constants[row] : zero; break;
    }
    for (at = 0; at < 4; at++) {
        value[at] = from[source >> (12 - 2 * at) & 3];
        if (source >> 14) value[at] = -value[at];
    }
}

static void write_masked(float *to, const float *from, unsigned mask) {
    unsigned at;
    for (at = 0; at < 4; at++)
        if (mask >> (3 - at) & 1) to[at] = from[at];
}

/* Writes the bytes of a recording to its file. */
static inline int32_t write_capture(void *file, const void *bytes, size_t size) {
    return bytes == NULL || fwrite(bytes, 1, size, (FILE *)file) == size ? 0 : 1;
}

/* The file of the third argument, if there is one. The example records its last run there, for `xfjit prof` and `xfjit run
 * --trace`. */
static inline FILE *capture_of(int count, char **arguments) {
    FILE *file = count > 3 ? fopen(arguments[3], "wb") : NULL;
    if (count > 3 && file == NULL) {
        perror(arguments[3]);
        exit(1);
    }
    return file;
}

/* One vertex. Slots are `words` words apart. `dirty` may be null. */
static inline void interpret(const uint32_t *slots, size_t words, float (*in)[4], float (*constants)[4], uint8_t *dirty, float (*out)[4]) {
    float temps[16][4];
    int address = 0, at;
    const uint32_t *slot;
    memset(temps, 0, sizeof temps);
    for (slot = slots;; slot += words) {
        float a[4], b[4], c[4], vector[4] = {0}, scalar[4] = {0}, power;
        unsigned operation = slot_field(slot, 85, 4), other = slot_field(slot, 89, 3), to;
        read_source(slot, 58, in, temps, constants, address, a);
        read_source(slot, 43, in, temps, constants, address, b);
        read_source(slot, 28, in, temps, constants, address, c);
        for (at = 0; at < 4; at++)
            switch (operation) {
            case 1: vector[at] = a[at]; break;
            case 2: vector[at] = a[at] * b[at]; break;
            case 3: vector[at] = a[at] + c[at]; break;
            case 4: vector[at] = a[at] * b[at] + c[at]; break;
            case 5: vector[at] = a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; break;
            case 6: vector[at] = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + b[3]; break;
            case 7: vector[at] = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3]; break;
            case 8: vector[at] = at == 0 ? 1 : at == 1 ? a[1] * b[1] : at == 2 ? a[2] : b[3]; break;
            case 9: vector[at] = a[at] < b[at] ? a[at] : b[at]; break;
            case 10: vector[at] = a[at] >= b[at] ? a[at] : b[at]; break;
            case 11: vector[at] = a[at] < b[at]; break;
            case 12: vector[at] = a[at] >= b[at]; break;
            }
        for (at = 0; at < 4; at++)
            switch (other) {
            case 1: scalar[at] = c[at]; break;
            case 2: case 3: scalar[at] = 1 / c[0]; break;
            case 4: scalar[at] = 1 / sqrtf(fabsf(c[0])); break;
            case 5: scalar[at] = at == 0 ? exp2f(floorf(c[0])) : at == 1 ? c[0] - floorf(c[0]) : at == 2 ? exp2f(c[0]) : 1; break;
            case 6: scalar[at] = at == 2 ? log2f(fabsf(c[0])) : 1; break;
            case 7:
                power = c[0] > 0 ? powf(c[1] > 0 ? c[1] : 0, c[3] > 127.9961f ? 127.9961f : c[3]) : 0;
                scalar[at] = at == 1 ? (c[0] > 0 ? c[0] : 0) : at == 2 ? power : 1;
                break;
            }
        if (operation == 13) address = (int)floorf(a[0]);
        else if (operation) write_masked(temps[slot_field(slot, 20, 4)], vector, slot_field(slot, 24, 4));
        if (other) write_masked(temps[operation ? 1 : slot_field(slot, 20, 4)], scalar, slot_field(slot, 16, 4));
        to = slot_field(slot, 3, 8);
        if (slot_field(slot, 12, 4)) {
            const float *result = slot_field(slot, 2, 1) ? scalar : vector;
            if (slot_field(slot, 11, 1)) {
                if (to < 16) write_masked(out[to], result, slot_field(slot, 12, 4));
                if (to == 0) memcpy(temps[12], out[0], 16);
            } else if (to < 192) {
                write_masked(constants[to], result, slot_field(slot, 12, 4));
                if (dirty) dirty[to] = 1;
            }
        }
        if (slot[3] & 1) return;
    }
}

static inline double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Some numbers between -1 and 1. */
static float number(void) {
    static uint32_t state = 12345;
    state = state * 1664525u + 1013904223u;
    return (float)(int32_t)state / 2147483648.0f;
}

static void fill(float (*rows)[4], int count) {
    int row, at;
    for (row = 0; row < count; row++)
        for (at = 0; at < 4; at++)
            rows[row][at] = number();
}

/* Ends the example if numbers differ by more than tables and the order of sums explain. */
static inline void compare(const float *before, const float *after, int count, const char *what) {
    int at;
    for (at = 0; at < count; at++)
        if (!(fabsf(before[at] - after[at]) <= 1e-2f * (1 + fabsf(before[at])))) {
            fprintf(stderr, "%s: number %d is %g before and %g after\n", what, at, before[at], after[at]);
            exit(1);
        }
}

static void done(xfjit_status status) {
    char text[300];
    if (status == XFJIT_OK) return;
    xfjit_last_error(text, sizeof text);
    fprintf(stderr, "%s: %s\n", xfjit_status_string(status), text);
    exit(1);
}

/* How often to run, from the command line. */
static inline int rounds_of(int count, char **arguments) { return count > 1 ? atoi(arguments[1]) : 20000; }

static inline void report(const char *what, double before, double after, int vertices) {
    printf("%-28s before %8.1f ns a vertex, after %8.1f, %5.1f times as fast\n", what, 1e9 * before / vertices,
        1e9 * after / vertices, before / after);
}
#endif
