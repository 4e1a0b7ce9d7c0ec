/* This example is structured like MAME. A slot is a structure with decoded fields between the words, so slots have a stride.
 * Each call runs one vertex, with 16 rows of inputs and 16 of outputs. */
#define _POSIX_C_SOURCE 199309L
#include "shapes.h"

struct operation {
    int modified;
    uint32_t words[4];
    int decoded[17];
};

static struct {
    struct operation operations[256];
    float constants[192][4];
    float in[16][4], out[16][4];
} device;

static xfjit_engine *engine;
static xfjit_worker *worker;
static xfjit_config config;
static const xfjit_program *program; /* null when an operation has been written */

/* The lines to change: where a vertex runs. Where an operation is written, set program = NULL. */
static void vertex_after(int start) {
    if (program == NULL)
        done(xfjit_worker_program(worker, device.operations[0].words, sizeof device.operations[0], 256, (size_t)start, &config, &program));
    done(xfjit_run_rows(program, worker, device.constants, 192, NULL, device.in, device.out, 1));
}

int main(int count, char **arguments) {
    int rounds = rounds_of(count, arguments), round, slot;
    float before[16][4];
    double start, first, second;
    FILE *capture;
    for (slot = 0; slot < 19; slot++)
        memcpy(device.operations[slot].words, LIT_PROGRAM[slot], 16);
    fill(device.constants, 192);
    device.constants[10][3] = 2.0f; /* the power of the highlight: tables show little of a small one */
    fill(device.in, 16);
    done(xfjit_engine_create(NULL, &engine));
    done(xfjit_worker_create(engine, &worker));
    config.size = sizeof config;
    done(xfjit_config_like(&config, XFJIT_LIKE_MAME, XFJIT_KELVIN));
    config.live_outputs = 1 << 0 | 1 << 3 | 1 << 9;
    config.keep_outputs = 0; /* outputs begin as 0, 0, 0, 1 for each vertex */

    start = now();
    for (round = 0; round < rounds; round++)
        interpret(device.operations[0].words, sizeof(struct operation) / 4, device.in, device.constants, NULL, device.out);
    first = now() - start;
    memcpy(before, device.out, sizeof before);
    memset(device.out, 0, sizeof device.out);
    vertex_after(0);
    start = now();
    for (round = 0; round < rounds; round++)
        vertex_after(0);
    second = now() - start;
    compare(before[0], device.out[0], 64, "MAME's shape");
    report("MAME, one at a time", first, second, rounds);
    if ((capture = capture_of(count, arguments)) != NULL) {
        done(xfjit_worker_record(worker, 1 << 20, write_capture, capture));
        vertex_after(0);
        done(xfjit_worker_record_end(worker));
        fclose(capture);
    }
    done(xfjit_worker_destroy(worker));
    done(xfjit_engine_destroy(engine));
    return 0;
}
