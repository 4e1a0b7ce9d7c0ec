/* Measures calls of one and of three vertices, and compares them with an interpreter structured like nv2a_vsh_cpu (parsed steps,
 * one function for each operation). Arguments: rounds, then files of microcode (those of the project are in programs). Prints a
 * table. Each figure is the least of several runs. The ways take turns in each run, so a busy machine affects all of them. */
#define _POSIX_C_SOURCE 199309L
#include "nv2a_vsh_emulator.h"

#include "nv2a_vsh_xfjit.h"

#include "../shapes.h"

enum { MOST_SLOTS = 136, TURNS = 25 };

/* Before: the interpreter. */

typedef union {
    struct {
        float x, y, z, w;
    } reg;
    float raw[4];
} reg;

#define EACH(expression) do { int i; for (i = 0; i < 4; i++) out->raw[i] = expression; } while (0)
#define A in[0].raw
#define B in[1].raw
#define C in[2].raw

static float sum(const reg *in, int count) {
    float of = A[0] * B[0];
    int i;
    for (i = 1; i < count; i++) of += A[i] * B[i];
    return of;
}

static void run_mov(reg *out, const reg *in) { *out = in[0]; }
static void run_mul(reg *out, const reg *in) { EACH(A[i] * B[i]); }
static void run_add(reg *out, const reg *in) { EACH(A[i] + B[i]); }
static void run_mad(reg *out, const reg *in) { EACH(A[i] * B[i] + C[i]); }
static void run_dp3(reg *out, const reg *in) { float of = sum(in, 3); EACH(of); }
static void run_dph(reg *out, const reg *in) { float of = sum(in, 3) + B[3]; EACH(of); }
static void run_dp4(reg *out, const reg *in) { float of = sum(in, 4); EACH(of); }
static void run_min(reg *out, const reg *in) { EACH(A[i] < B[i] ? A[i] : B[i]); }
static void run_max(reg *out, const reg *in) { EACH(A[i] >= B[i] ? A[i] : B[i]); }
static void run_slt(reg *out, const reg *in) { EACH(A[i] < B[i] ? 1.0f : 0.0f); }
static void run_sge(reg *out, const reg *in) { EACH(A[i] >= B[i] ? 1.0f : 0.0f); }
static void run_arl(reg *out, const reg *in) { float of = floorf(A[0]); EACH(of); }
static void run_rcp(reg *out, const reg *in) { float of = 1.0f / A[0]; EACH(of); }
static void run_rsq(reg *out, const reg *in) { float of = 1.0f / sqrtf(fabsf(A[0])); EACH(of); }

static void four(reg *out, float x, float y, float z, float w) { out->reg.x = x, out->reg.y = y, out->reg.z = z, out->reg.w = w; }
static void run_dst(reg *out, const reg *in) { four(out, 1, A[1] * B[1], A[2], B[3]); }
static void run_exp(reg *out, const reg *in) { four(out, exp2f(floorf(A[0])), A[0] - floorf(A[0]), exp2f(A[0]), 1); }
static void run_log(reg *out, const reg *in) {
    float x = fabsf(A[0]);
    int exponent;
    float mantissa = frexpf(x, &exponent);
    four(out, (float)(exponent - 1), 2 * mantissa, log2f(x), 1);
}
static void run_lit(reg *out, const reg *in) {
    float power = A[3] < -127.9961f ? -127.9961f : A[3] > 127.9961f ? 127.9961f : A[3];
    four(out, 1, A[0] > 0 ? A[0] : 0, A[0] > 0 ? powf(A[1] > 0 ? A[1] : 0, power) : 0, 1);
}

static void (*const RUNS[NV2AOP_LIT + 1])(reg *, const reg *) = {NULL, run_mov, run_mul, run_add, run_mad, run_dp3, run_dph, run_dp4, run_dst, run_min,
    run_max, run_slt, run_sge, run_arl, run_rcp, run_rcp, run_rsq, run_exp, run_log, run_lit};

static void operate(const Nv2aVshExecutionState *state, const Nv2aVshOperation *operation, reg *out) {
    reg in[3];
    int at, component;
    for (at = 0; at < 3 && operation->inputs[at].type != NV2ART_NONE; at++) {
        const Nv2aVshInput *input = &operation->inputs[at];
        static const float zero[4];
        const float *from = zero;
        int row;
        switch (input->type) {
        case NV2ART_TEMPORARY: from = input->index == 12 ? state->output_regs : &state->temp_regs[4 * input->index]; break;
        case NV2ART_INPUT: from = &state->input_regs[4 * input->index]; break;
        case NV2ART_CONTEXT:
            row = (int)input->index + (input->is_relative ? (int)state->address_reg[0] : 0);
            if (row >= 0 && row < 192) from = &state->context_regs[4 * row];
            break;
        default: break;
        }
        for (component = 0; component < 4; component++) {
            float value = from[input->swizzle[component]];
            in[at].raw[component] = input->is_negated ? -value : value;
        }
    }
    RUNS[operation->opcode](out, in);
}

static void put_out(Nv2aVshExecutionState *state, const Nv2aVshOperation *operation, const reg *value) {
    int at, component;
    for (at = 0; at < 2; at++) {
        const Nv2aVshOutput *output = &operation->outputs[at];
        float *to;
        switch (output->type) {
        case NV2ART_TEMPORARY: to = &state->temp_regs[4 * output->index]; break;
        case NV2ART_OUTPUT: to = &state->output_regs[4 * output->index]; break;
        case NV2ART_ADDRESS: to = state->address_reg; break;
        case NV2ART_CONTEXT: to = &state->context_regs[4 * output->index]; break;
        default: continue;
        }
        for (component = 0; component < 4; component++)
            if ((unsigned)output->writemask >> (3 - component) & 1) to[component] = value->raw[component];
    }
}

static void apply(Nv2aVshExecutionState *state, const Nv2aVshStep *step) {
    reg mac, ilu;
    if (step->mac.opcode != NV2AOP_NOP) operate(state, &step->mac, &mac);
    if (step->ilu.opcode != NV2AOP_NOP) operate(state, &step->ilu, &ilu);
    if (step->mac.opcode != NV2AOP_NOP) put_out(state, &step->mac, &mac);
    if (step->ilu.opcode != NV2AOP_NOP) put_out(state, &step->ilu, &ilu);
}

static void execute(Nv2aVshExecutionState *state, const Nv2aVshProgram *program) {
    const Nv2aVshStep *step = program->steps;
    do
        apply(state, step);
    while (!step++->is_final);
}

/* The ways, and what they run on. */

static struct {
    Nv2aVshCPUFullExecutionState full;
    Nv2aVshExecutionState state;
    Nv2aVshProgram program;
    uint32_t words[MOST_SLOTS][4], slots;
    float in[3][16][4], out[3][16][4], rows[3][16][4], constants[192][4];
    xfjit_worker *worker;
    const xfjit_program *native;
    xfjit_attribute attributes[16];
    xfjit_output outputs[16];
    xfjit_batch batch;
} now_running;

#define here now_running

static void shape(void) { execute(&here.state, &here.program); }

static void shape_of_three(void) {
    Nv2aVshExecutionState state = here.state;
    int vertex;
    for (vertex = 0; vertex < 3; vertex++) {
        state.input_regs = here.in[vertex][0];
        state.output_regs = here.rows[vertex][0];
        execute(&state, &here.program);
    }
}

static void shim(void) { nv2a_vsh_emu_execute(&here.state, &here.program); }

static void shim_fast(void) { nv2a_vsh_emu_execute_fast(&here.state, &here.program, NULL); }

static void shim_steps(void) {
    const Nv2aVshStep *step = here.program.steps;
    do
        nv2a_vsh_emu_apply(&here.state, step);
    while (!step++->is_final);
}

static void rows(int count) { (void)xfjit_run_rows(here.native, here.worker, here.constants, 192, NULL, here.in, here.out, (size_t)count); }
static void rows_of_one(void) { rows(1); }
static void rows_of_three(void) { rows(3); }

static void batch_of(uint32_t count) {
    here.batch.count = count;
    (void)xfjit_run(here.native, here.worker, &here.batch, NULL);
}
static void batch_of_one(void) { batch_of(1); }
static void batch_of_three(void) { batch_of(3); }

/* The first is what the others are compared with, and so is the one that runs three vertices. */
enum { OF_THREE = 6 };
static const struct {
    const char *name;
    void (*run)(void);
    int vertices;
} WAYS[] = {{"interpreter, 1", shape, 1}, {"shim, execute, 1", shim, 1}, {"shim, fast, 1", shim_fast, 1}, {"shim, steps, 1", shim_steps, 1},
    {"run_rows, 1", rows_of_one, 1}, {"run, 1", batch_of_one, 1}, {"interpreter, 3", shape_of_three, 3}, {"run_rows, 3", rows_of_three, 3}, {"run, 3", batch_of_three, 3}};
enum { COUNT = sizeof WAYS / sizeof *WAYS };

static void read_program(const char *path) {
    FILE *file = fopen(path, "r");
    uint32_t *slot = here.words[0];
    unsigned long a, b, c, d;
    uint32_t at;
    here.slots = 0;
    while (file != NULL && here.slots < MOST_SLOTS && fscanf(file, "%lx %lx %lx %lx", &a, &b, &c, &d) == 4) {
        slot = here.words[here.slots++];
        slot[0] = (uint32_t)a, slot[1] = (uint32_t)b, slot[2] = (uint32_t)c, slot[3] = (uint32_t)d;
    }
    if (file != NULL) fclose(file);
    if (here.slots == 0 || nv2a_vsh_parse_program(&here.program, here.words[0], here.slots) != NV2AVPR_SUCCESS) {
        fprintf(stderr, "%s is not a program\n", path);
        exit(1);
    }
    /* Parsed ARLs write nothing; here all ways are to do the same. */
    for (at = 0; at < here.slots; at++)
        if (here.program.steps[at].mac.opcode == NV2AOP_ARL) here.program.steps[at].mac.outputs[0].writemask = NV2AWM_X;
}

static void prepare(xfjit_config *config) {
    int at, row;
    for (at = 0; at < 3; at++) fill(here.in[at], 16);
    fill(here.constants, 192);
    for (at = 0; at < 3; at++)
        for (row = 0; row < 16; row++) here.in[at][row][0] = fabsf(here.in[at][row][0]); /* numbers of bones, too */
    here.state = nv2a_vsh_emu_initialize_full_execution_state(&here.full);
    memset(here.rows, 0, sizeof here.rows);
    memset(here.out, 0, sizeof here.out);
    memcpy(here.full.input_regs, here.in[0], sizeof here.full.input_regs);
    memcpy(here.full.context_regs, here.constants, sizeof here.full.context_regs);
    done(xfjit_worker_program(here.worker, here.words, 16, here.slots, 0, config, &here.native));
    memset(&here.batch, 0, sizeof here.batch);
    here.batch.size = sizeof here.batch;
    here.batch.attributes = here.attributes;
    here.batch.attribute_size = sizeof *here.attributes;
    here.batch.attribute_count = 16;
    here.batch.outputs = here.outputs;
    here.batch.output_size = sizeof *here.outputs;
    here.batch.output_count = 16;
    here.batch.constants = here.constants;
    here.batch.constant_rows = 192;
    for (at = 0; at < 16; at++) {
        here.attributes[at].data = here.in[0][at];
        here.attributes[at].size_bytes = sizeof here.in - 16 * (size_t)at;
        here.attributes[at].stride = 256;
        here.attributes[at].format = XFJIT_FORMAT_F32;
        here.attributes[at].components = 4;
        here.outputs[at].data = here.out[0][at];
        here.outputs[at].size_bytes = sizeof here.out - 16 * (size_t)at;
        here.outputs[at].stride = 256;
    }
}

static void check(void) {
    int vertex;
    rows_of_three();
    shape_of_three();
    for (vertex = 0; vertex < 3; vertex++) compare(here.rows[vertex][0], here.out[vertex][0], 4 * 13, "three vertices");
    memset(here.out, 0, sizeof here.out);
    batch_of_three();
    for (vertex = 0; vertex < 3; vertex++) compare(here.rows[vertex][0], here.out[vertex][0], 4 * 13, "three vertices of a batch");
    shim();
    done(nv2a_vsh_xfjit_status());
    compare(here.rows[0][0], here.full.output_regs, 4 * 13, "the shim");
    memset(here.full.output_regs, 0, sizeof here.full.output_regs);
    shim_steps();
    compare(here.rows[0][0], here.full.output_regs, 4 * 13, "steps of the shim");
}

int main(int count, char **arguments) {
    int rounds = rounds_of(count, arguments), file, way, turn, round;
    xfjit_engine *engine;
    xfjit_config config;
    memset(&config, 0, sizeof config);
    config.size = sizeof config;
    done(xfjit_config_like(&config, XFJIT_LIKE_NV2A_VSH_CPU, XFJIT_KELVIN));
    config.forms |= XFJIT_FORMS_CHIP_ADDRESSES; /* programs with ARL count on it */
    config.live_outputs = 0x1fff;
    config.keep_outputs = 1;
    done(xfjit_engine_create(NULL, &engine));
    done(xfjit_worker_create(engine, &here.worker));
    printf("%-22s", "ns a call");
    for (way = 0; way < COUNT; way++) printf(" %17s", WAYS[way].name);
    puts("");
    for (file = 2; file < count; file++) {
        const char *name = strrchr(arguments[file], '/');
        double least[COUNT];
        read_program(arguments[file]);
        prepare(&config);
        for (round = 0; round < 200; round++) shim(), shim_fast(); /* its engine compiles what has run often */
        for (round = 0; round < 100 && rounds > 1000; round++) {
            struct timespec wait = {0, 1000000};
            nanosleep(&wait, NULL);
        }
        check();
        for (turn = 0; turn < TURNS; turn++)
            for (way = 0; way < COUNT; way++) {
                double start = now(), time;
                for (round = 0; round < rounds; round++) WAYS[way].run();
                time = (now() - start) / rounds;
                if (turn == 0 || time < least[way]) least[way] = time;
            }
        printf("%-22s", name == NULL ? arguments[file] : name + 1);
        for (way = 0; way < COUNT; way++) printf(" %9.1f %6.2fx", 1e9 * least[way], least[way < OF_THREE ? 0 : OF_THREE] / least[way]);
        puts("");
        nv2a_vsh_program_destroy(&here.program);
    }
    done(xfjit_worker_destroy(here.worker));
    done(xfjit_engine_destroy(engine));
    nv2a_vsh_xfjit_release();
    return 0;
}
