/* This example launches state programs as xemu does. The words are in u32[136][4], with a start slot. The constants are words
 * in u32[192][4], which the program writes; each row has a flag that says that it was written. Only v0 is set. The example
 * uses the loader: without the library the emulator works as before. Arguments: rounds, and the library's path if the system
 * does not find it. */
#define _POSIX_C_SOURCE 199309L
#define XFJIT_LOADER_IMPLEMENTATION
#include "xfjit_loader.h"

#define XFJIT_H /* the loader has the types; the examples' helpers need two functions */
static xfjit_api api;
#define xfjit_last_error api.last_error
#define xfjit_status_string api.status_string
#include "shapes.h"

static struct {
    uint32_t program_data[136][4];
    uint32_t vsh_constants[192][4];
    uint8_t vsh_constants_dirty[192];
} device;

static xfjit_engine *engine;
static xfjit_worker *worker;
static xfjit_config config;

static void launch_before(uint32_t start, const float *parameter) {
    float in[16][4], out[16][4];
    memset(in, 0, sizeof in);
    memcpy(in[0], parameter, 16);
    interpret(device.program_data[start], 4, in, (float (*)[4])device.vsh_constants, device.vsh_constants_dirty, out);
}

/* The lines to change: the launch. It finds the program by its words, so no other code changes. */
static void launch_after(uint32_t start, const float *parameter) {
    float in[16][4], out[16][4];
    const xfjit_program *program;
    if (api.library == NULL) {
        launch_before(start, parameter);
        return;
    }
    memset(in, 0, sizeof in);
    memcpy(in[0], parameter, 16);
    done(api.worker_program(worker, device.program_data, 16, 136, start, &config, &program));
    done(api.run_rows(program, worker, device.vsh_constants, 192, device.vsh_constants_dirty, in, out, 1));
}

int main(int count, char **arguments) {
    int rounds = rounds_of(count, arguments), round;
    float parameter[4] = {0.5f, 2, -1, 1}, initial[192][4], before[192][4];
    uint8_t dirty[192];
    double start, first, second;
    FILE *capture;
    memcpy(device.program_data, STATE_PROGRAM, sizeof STATE_PROGRAM);
    fill(initial, 192);
    memcpy(device.vsh_constants, initial, sizeof initial);
    if (xfjit_load(&api, count > 2 ? arguments[2] : NULL) != XFJIT_LOADED)
        puts("xfjit is not there: before and after are the same");
    if (api.library != NULL) {
        xfjit_options options;
        memset(&options, 0, sizeof options);
        options.size = sizeof options;
        options.compile_after = 64; /* the first launches are interpreted, and no one waits for a compiler */
        done(api.engine_create(&options, &engine));
        done(api.worker_create(engine, &worker));
        config.size = sizeof config;
        done(api.config_like(&config, XFJIT_LIKE_NV2A_VSH_CPU, XFJIT_KELVIN));
        config.live_outputs = 0;
    }
    start = now();
    for (round = 0; round < rounds; round++)
        launch_before(0, parameter);
    first = now() - start;
    memcpy(before, device.vsh_constants, sizeof before);
    memcpy(dirty, device.vsh_constants_dirty, sizeof dirty);
    memcpy(device.vsh_constants, initial, sizeof initial);
    memset(device.vsh_constants_dirty, 0, sizeof device.vsh_constants_dirty);
    launch_after(0, parameter);
    start = now();
    for (round = 0; round < rounds; round++)
        launch_after(0, parameter);
    second = now() - start;
    compare(before[0], (const float *)device.vsh_constants, 4 * 192, "xemu's shape");
    if (memcmp(dirty, device.vsh_constants_dirty, sizeof dirty) != 0 || !dirty[104] || dirty[103]) {
        fputs("xemu's shape: other rows are dirty\n", stderr);
        return 1;
    }
    report("xemu, state programs", first, second, rounds);
    if (api.library != NULL && (capture = capture_of(count, arguments)) != NULL) {
        done(api.worker_record(worker, 1 << 20, write_capture, capture));
        launch_after(0, parameter);
        done(api.worker_record_end(worker));
        fclose(capture);
    }
    if (api.library != NULL) {
        done(api.worker_destroy(worker));
        done(api.engine_destroy(engine));
    }
    xfjit_unload(&api);
    return 0;
}
