/* This example is structured like Bochs. All memories are arrays of the device: words in u32[544][4], constants in
 * float[512][4]. It runs the three vertices of a triangle at a time; each has 16 rows of inputs and 16 of outputs. Each draw
 * finds its program by the words. */
#define _POSIX_C_SOURCE 199309L
#include "shapes.h"

static struct {
    uint32_t words[544][4];
    float constants[512][4];
    float in[3][16][4], out[3][16][4];
} card;

static xfjit_engine *engine;
static xfjit_worker *worker;
static xfjit_config config;

static void triangle_before(void) {
    int vertex;
    for (vertex = 0; vertex < 3; vertex++)
        interpret(card.words[0], 4, card.in[vertex], card.constants, NULL, card.out[vertex]);
}

/* The lines to change: where a draw begins ... */
static const xfjit_program *draw_begins(uint32_t start) {
    const xfjit_program *program;
    done(xfjit_worker_program(worker, card.words, 16, 544, start, &config, &program));
    return program;
}

/* ... and where a triangle runs. */
static void triangle_after(const xfjit_program *program) {
    done(xfjit_run_rows(program, worker, card.constants, 512, NULL, card.in, card.out, 3));
}

int main(int count, char **arguments) {
    int rounds = rounds_of(count, arguments), round;
    float before[3][16][4];
    const xfjit_program *program;
    double start, first, second;
    FILE *capture;
    memcpy(card.words, LIT_PROGRAM, sizeof LIT_PROGRAM);
    fill(card.constants, 192);
    card.constants[10][3] = 2.0f; /* the power of the highlight: tables show little of a small one */
    fill(card.in[0], 48);
    done(xfjit_engine_create(NULL, &engine));
    done(xfjit_worker_create(engine, &worker));
    config.size = sizeof config;
    done(xfjit_config_like(&config, XFJIT_LIKE_BOCHS, XFJIT_KELVIN));
    config.live_outputs = 1 << 0 | 1 << 3 | 1 << 9; /* what the rasteriser takes */
    config.forms |= XFJIT_FORMS_512_ROWS; /* Bochs has so many for each card */

    start = now();
    for (round = 0; round < rounds; round++)
        triangle_before();
    first = now() - start;
    memcpy(before, card.out, sizeof before);
    memset(card.out, 0, sizeof card.out);
    program = draw_begins(0);
    start = now();
    for (round = 0; round < rounds; round++) {
        if (round % 10 == 0) program = draw_begins(0); /* ten triangles a draw */
        triangle_after(program);
    }
    second = now() - start;
    compare(before[0][0], card.out[0][0], 3 * 64, "Bochs' shape");
    report("Bochs, three at a time", first, second, 3 * rounds);
    if ((capture = capture_of(count, arguments)) != NULL) {
        done(xfjit_worker_record(worker, 1 << 20, write_capture, capture));
        triangle_after(program);
        done(xfjit_worker_record_end(worker));
        fclose(capture);
    }
    done(xfjit_worker_destroy(worker));
    done(xfjit_engine_destroy(engine));
    return 0;
}
