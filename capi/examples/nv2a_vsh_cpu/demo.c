/* A program that uses nv2a_vsh_cpu: it parses microcode, and executes it on its own state. "Before" is an interpreter with the
 * same structure. "After" is nv2a_vsh_xfjit.c, linked in place of that library. */
#define _POSIX_C_SOURCE 199309L
#include "nv2a_vsh_emulator.h"

#include "nv2a_vsh_xfjit.h" /* for functions beyond the interface */

#include "../shapes.h"

static Nv2aVshCPUFullExecutionState full;
static Nv2aVshCPUXVSSExecutionState launched;
static float constants[192][4], initial[192][4], before[192][4];
static bool dirty[192], dirty_before[192];

static void parsed(Nv2aVshParseResult result) {
    if (result == NV2AVPR_SUCCESS) return;
    fprintf(stderr, "the program is not parsed: %d\n", (int)result);
    exit(1);
}

/* One vertex of a draw. */
static void draw(int rounds) {
    Nv2aVshExecutionState state = nv2a_vsh_emu_initialize_full_execution_state(&full);
    Nv2aVshProgram program;
    float outputs[13][4], temporaries[12][4], rows[16][4];
    double start, first, second, third;
    int round;
    fill((float (*)[4])full.input_regs, 16); /* the state has been set to zeros */
    fill((float (*)[4])full.context_regs, 192);
    full.context_regs[4 * 10 + 3] = 2.0f; /* the power of the highlight: tables show little of a small one */
    memset(rows, 0, sizeof rows);
    start = now();
    for (round = 0; round < rounds; round++)
        interpret(LIT_PROGRAM[0], 4, (float (*)[4])full.input_regs, (float (*)[4])full.context_regs, NULL, rows);
    first = now() - start;

    parsed(nv2a_vsh_parse_program(&program, LIT_PROGRAM[0], 19));
    nv2a_vsh_emu_execute(&state, &program);
    done(nv2a_vsh_xfjit_status());
    start = now();
    for (round = 0; round < rounds; round++)
        nv2a_vsh_emu_execute(&state, &program);
    second = now() - start;
    compare(rows[0], full.output_regs, 4 * 13, "nv2a_vsh_cpu's shape");
    memcpy(outputs, full.output_regs, sizeof outputs);
    memcpy(temporaries, full.temp_regs, sizeof temporaries);

    memset(full.output_regs, 0, sizeof full.output_regs);
    memset(full.temp_regs, 0, sizeof full.temp_regs);
    nv2a_vsh_emu_execute_fast(&state, &program, NULL);
    done(nv2a_vsh_xfjit_status());
    start = now();
    for (round = 0; round < rounds; round++)
        nv2a_vsh_emu_execute_fast(&state, &program, NULL);
    third = now() - start;
    if (memcmp(outputs, full.output_regs, sizeof outputs) != 0) {
        fputs("nv2a_vsh_cpu's shape: the fast path puts out something else\n", stderr);
        exit(1);
    }

    /* Running step by step gives the same results, and the same temporaries. */
    memset(full.output_regs, 0, sizeof full.output_regs);
    for (round = 0; round == 0 || !program.steps[round - 1].is_final; round++)
        nv2a_vsh_emu_apply(&state, &program.steps[round]);
    if (memcmp(outputs, full.output_regs, sizeof outputs) != 0 || memcmp(temporaries, full.temp_regs, sizeof temporaries) != 0) {
        fputs("nv2a_vsh_cpu's shape: step by step it is something else\n", stderr);
        exit(1);
    }
    nv2a_vsh_program_destroy(&program);
    report("nv2a_vsh_cpu, execute", first, second, rounds);
    report("nv2a_vsh_cpu, execute_fast", first, third, rounds);
}

/* A launch of a state program, which is parsed each time, as in xemu. */
static void launch(const float *parameter, void (*execute)(Nv2aVshExecutionState *, const Nv2aVshProgram *, bool *)) {
    Nv2aVshExecutionState state = nv2a_vsh_emu_initialize_xss_execution_state(&launched, constants[0]);
    Nv2aVshProgram program;
    memcpy(launched.input_regs, parameter, sizeof launched.input_regs);
    parsed(nv2a_vsh_parse_program(&program, STATE_PROGRAM[0], sizeof STATE_PROGRAM / 16));
    execute(&state, &program, dirty);
    nv2a_vsh_program_destroy(&program);
}

static void launches(int rounds, const float *parameter, double first, const char *what, void (*execute)(Nv2aVshExecutionState *, const Nv2aVshProgram *, bool *)) {
    double start, second;
    int round;
    memcpy(constants, initial, sizeof constants);
    memset(dirty, 0, sizeof dirty);
    launch(parameter, execute);
    done(nv2a_vsh_xfjit_status());
    start = now();
    for (round = 0; round < rounds; round++)
        launch(parameter, execute);
    second = now() - start;
    compare(before[0], constants[0], 4 * 192, what);
    if (memcmp(dirty, dirty_before, sizeof dirty) != 0 || !dirty[104] || dirty[103]) {
        fprintf(stderr, "%s: other rows are dirty\n", what);
        exit(1);
    }
    report(what, first, second, rounds);
}

int main(int count, char **arguments) {
    int rounds = rounds_of(count, arguments), round;
    float in[16][4], out[16][4];
    double start, first;
    FILE *capture;
    draw(rounds);

    fill(initial, 192);
    memset(in, 0, sizeof in);
    memset(out, 0, sizeof out);
    fill(in, 1);
    memcpy(constants, initial, sizeof constants);
    start = now();
    for (round = 0; round < rounds; round++)
        interpret(STATE_PROGRAM[0], 4, in, constants, (uint8_t *)dirty, out);
    first = now() - start;
    memcpy(before, constants, sizeof before);
    memcpy(dirty_before, dirty, sizeof dirty);
    launches(rounds, in[0], first, "state program, execute", nv2a_vsh_emu_execute_track_context_writes);
    launches(rounds, in[0], first, "state program, execute_fast", nv2a_vsh_emu_execute_fast);
    if ((capture = capture_of(count, arguments)) != NULL) {
        done(nv2a_vsh_xfjit_record(1 << 20, write_capture, capture));
        launch(in[0], nv2a_vsh_emu_execute_track_context_writes);
        done(nv2a_vsh_xfjit_record_end());
        fclose(capture);
    }
    nv2a_vsh_xfjit_release();
    return 0;
}
