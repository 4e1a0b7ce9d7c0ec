/* What the drivers of other implementations share: files of a case, and a clock (benches/peers/run).
 *
 * crates/testing/examples/peers.rs writes the files of a case: NAME.in (vertices, float4s one behind the other), NAME.rows (192 rows of constants) and
 * NAME.MODEL.out (the results that xfjit has). */
#ifndef PEER_H
#define PEER_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define ROWS 192
/* A sample lasts about so long, and the best of so many counts. */
#define SAMPLE_NS 2e6
#define SAMPLES 60

static void fail(const char *what, const char *of) {
    fprintf(stderr, "%s: %s\n", of, what);
    exit(1);
}

/* The words of a file, in memory that suits all vectors. */
static uint32_t *read_words(const char *name, const char *ending, size_t *words) {
    char path[4096];
    FILE *file;
    long bytes;
    uint32_t *memory;
    if (snprintf(path, sizeof path, "%s.%s", name, ending) >= (int)sizeof path) fail("its name is too long", name);
    file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END)) fail("it cannot be read", path);
    bytes = ftell(file);
    rewind(file);
    memory = aligned_alloc(64, ((size_t)bytes + 127) / 64 * 64);
    if (!memory || fread(memory, 1, (size_t)bytes, file) != (size_t)bytes) fail("it cannot be read", path);
    fclose(file);
    *words = (size_t)bytes / 4;
    return memory;
}

static double now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return 1e9 * (double)now.tv_sec + (double)now.tv_nsec;
}

/* Nanoseconds of a call, the best of SAMPLES. */
static double best_ns(void (*call)(void *), void *of) {
    double start = now_ns(), once, best = 1e30;
    int repeats, sample, i;
    call(of);
    once = now_ns() - start;
    repeats = once < SAMPLE_NS ? (int)(SAMPLE_NS / (once + 1)) + 1 : 1;
    for (sample = 0; sample < SAMPLES; ++sample) {
        double taken;
        start = now_ns();
        for (i = 0; i < repeats; ++i) call(of);
        taken = (now_ns() - start) / repeats;
        if (taken < best) best = taken;
    }
    return best;
}

/* Components that are further from those of xfjit than a part of their magnitude, or of 1. A NaN is nowhere near. */
static size_t differences(const uint32_t *got, const uint32_t *want, size_t words, float part) {
    size_t at, wrong = 0;
    for (at = 0; at < words; ++at) {
        float a, b, limit;
        if (got[at] == want[at]) continue;
        memcpy(&a, got + at, 4);
        memcpy(&b, want + at, 4);
        limit = part * (b < 0 ? (b < -1 ? -b : 1) : (b > 1 ? b : 1));
        wrong += !(a - b <= limit && b - a <= limit);
    }
    return wrong;
}

#endif
