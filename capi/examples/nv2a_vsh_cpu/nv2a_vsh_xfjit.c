/* The interface of nv2a_vsh_cpu over xfjit.h. C99; compile it with the emulator and link xfjit instead of nv2a_vsh_cpu.
 *
 * Each thread that runs something has an engine, a worker and the programs that it has run last, until it calls
 * nv2a_vsh_xfjit_release; nothing is shared, so that there is nothing to lock. A program is known by where its steps lie, and
 * these are compared with a copy each time: they may be changed, copied, freed or entered in the middle as one likes. Steps
 * that are not known are made into microcode, which the worker finds by comparison. */
#include "nv2a_vsh_xfjit.h"

#include <stdlib.h>
#include <string.h>

#include "xfjit.h"

#if defined _MSC_VER
#define OF_THIS_THREAD __declspec(thread)
#else
#define OF_THIS_THREAD __thread
#endif

enum { SLOTS = 136, ROWS = 192, INPUTS = 16, OUTPUTS = 13, TEMPS = 12, TEMPS_OF_STATE_PROGRAMS = 11, READ_BACK = 12, KNOWN = 32 };

/* Flags are handed on as bytes. */
typedef char bool_is_a_byte[sizeof(bool) == 1 ? 1 : -1];

/* ---- The fields of a slot (docs/isa/kelvin.md) --------------------------------------------------------------- */

/* Where they begin, bit 0 being the lowest of the last word, and how many bits they have. */
#define END_BIT 0, 1
#define INDEXED 1, 1
#define FROM_SCALAR 2, 1
#define OUT_ADDRESS 3, 8
#define OUT_BUFFER 11, 1
#define OUT_MASK 12, 4
#define SCALAR_MASK 16, 4
#define TEMPORARY 20, 4
#define VECTOR_MASK 24, 4
#define INPUT 73, 4
#define CONSTANT 77, 8
#define VECTOR_OPCODE 85, 4
#define SCALAR_OPCODE 89, 3
#define SOURCE(operand) 58 - 15 * (operand), 15

enum { NOWHERE = 255, MUX_TEMPORARY = 1, MUX_INPUT = 2, MUX_CONSTANT = 3, UNREAD = 0x1b << 6 | MUX_INPUT, NO_TEMPORARY = 7 };

static uint32_t get(const uint32_t *words, unsigned low, unsigned width) {
    uint64_t bits = words[3 - low / 32];
    if (low % 32 + width > 32) bits |= (uint64_t)words[2 - low / 32] << 32;
    return (uint32_t)(bits >> low % 32) & ((1u << width) - 1);
}

/* Sets a field that is zero. */
static void put(uint32_t *words, unsigned low, unsigned width, uint32_t value) {
    uint64_t bits = (uint64_t)value << low % 32;
    words[3 - low / 32] |= (uint32_t)bits;
    if (low % 32 + width > 32) words[2 - low / 32] |= (uint32_t)(bits >> 32);
}

/* Which of a slot's three operands an operation's inputs are; how many it has. */
static unsigned operands(bool scalar, Nv2aVshOpcode opcode, unsigned which[3]) {
    which[0] = scalar ? 2 : 0;
    which[1] = opcode == NV2AOP_ADD ? 2 : 1;
    which[2] = 2;
    if (opcode == NV2AOP_NOP) return 0;
    if (scalar || opcode == NV2AOP_MOV || opcode == NV2AOP_ARL) return 1;
    return opcode == NV2AOP_MAD ? 3 : 2;
}

/* The scalar unit's opcode of an operation, or 8. */
static uint32_t scalar_code(Nv2aVshOpcode opcode) {
    if (opcode == NV2AOP_NOP || opcode == NV2AOP_MOV) return (uint32_t)opcode;
    return opcode >= NV2AOP_RCP && opcode <= NV2AOP_LIT ? (uint32_t)opcode - NV2AOP_RCP + 2 : 8;
}

/* ---- Words to steps ------------------------------------------------------------------------------------------ */

static void parse_input(Nv2aVshInput *input, const uint32_t *words, unsigned operand) {
    uint32_t source = get(words, SOURCE(operand)), mux = source & 3;
    unsigned at;
    for (at = 0; at < 4; at++)
        input->swizzle[at] = (uint8_t)(source >> (12 - 2 * at) & 3);
    input->is_negated = source >> 14 != 0;
    if (mux == MUX_TEMPORARY) {
        input->type = NV2ART_TEMPORARY;
        input->index = source >> 2 & 15;
        if (input->index > READ_BACK) input->index = READ_BACK;
    } else if (mux == MUX_CONSTANT) {
        input->type = NV2ART_CONTEXT;
        input->index = get(words, CONSTANT);
        input->is_relative = get(words, INDEXED) != 0;
    } else if (mux == MUX_INPUT || operand < 2) {
        input->type = NV2ART_INPUT;
        input->index = get(words, INPUT);
    } /* else operand C reads no register */
}

static void parse_operation(Nv2aVshOperation *operation, const uint32_t *words, bool scalar, Nv2aVshOpcode opcode) {
    unsigned which[3], count = operands(scalar, opcode, which), at;
    operation->opcode = opcode;
    for (at = 0; at < count; at++)
        parse_input(&operation->inputs[at], words, which[at]);
}

static void add_output(Nv2aVshOperation *operation, Nv2aVshRegisterType type, uint32_t index, uint32_t mask) {
    Nv2aVshOutput *output = &operation->outputs[operation->outputs[0].type != NV2ART_NONE];
    output->type = type;
    output->index = index;
    output->writemask = (Nv2aVshWritemask)mask;
}

Nv2aVshParseResult nv2a_vsh_parse_step(Nv2aVshStep *out, const uint32_t *token) {
    uint32_t vector = get(token, VECTOR_OPCODE), scalar = get(token, SCALAR_OPCODE);
    uint32_t temporary = get(token, TEMPORARY), row = get(token, OUT_ADDRESS), mask = get(token, OUT_MASK);
    uint32_t scalar_temporary = vector != 0 ? 1 : temporary;
    bool is_output = get(token, OUT_BUFFER) != 0;
    Nv2aVshOperation *to = get(token, FROM_SCALAR) ? &out->ilu : &out->mac;
    memset(out, 0, sizeof *out);
    if (vector > NV2AOP_ARL) return NV2AVPR_BAD_MAC_OPCODE;
    parse_operation(&out->mac, token, false, (Nv2aVshOpcode)vector);
    parse_operation(&out->ilu, token, true, (Nv2aVshOpcode)(scalar < 2 ? scalar : scalar - 2 + NV2AOP_RCP));
    if (to->opcode == NV2AOP_NOP || (is_output && row == NOWHERE)) mask = 0;
    if (vector == NV2AOP_ARL) {
        /* Whether it reaches anything but A0, nobody knows. */
        if ((get(token, VECTOR_MASK) != 0 && temporary < TEMPS) || (mask != 0 && to == &out->mac)) return NV2AVPR_ARL_CONFLICT;
        add_output(&out->mac, NV2ART_ADDRESS, 0, NV2AWM_X);
    } else if (vector != 0 && get(token, VECTOR_MASK) != 0 && temporary < TEMPS) {
        add_output(&out->mac, NV2ART_TEMPORARY, temporary, get(token, VECTOR_MASK));
    }
    if (scalar != 0 && get(token, SCALAR_MASK) != 0 && scalar_temporary < TEMPS)
        add_output(&out->ilu, NV2ART_TEMPORARY, scalar_temporary, get(token, SCALAR_MASK));
    if (mask != 0) {
        if (row >= (is_output ? (uint32_t)OUTPUTS : (uint32_t)ROWS)) return NV2AVPR_BAD_OUTPUT;
        add_output(to, is_output ? NV2ART_OUTPUT : NV2ART_CONTEXT, row, mask);
    }
    out->is_final = get(token, END_BIT) != 0;
    return NV2AVPR_SUCCESS;
}

Nv2aVshParseResult nv2a_vsh_parse_program(Nv2aVshProgram *out, const uint32_t *program, uint32_t program_size) {
    uint32_t count = 0, slot;
    out->steps = NULL;
    if (program_size % 4 != 0) return NV2AVPR_BAD_PROGRAM_SIZE;
    do {
        if (count >= program_size / 4 || count >= SLOTS) return NV2AVPR_BAD_PROGRAM;
    } while (!get(program + 4 * count++, END_BIT));
    out->steps = (Nv2aVshStep *)calloc(count, sizeof *out->steps);
    if (out->steps == NULL) return NV2AVPR_BAD_PROGRAM;
    for (slot = 0; slot < count; slot++) {
        Nv2aVshParseResult result = nv2a_vsh_parse_step(&out->steps[slot], program + 4 * slot);
        if (result != NV2AVPR_SUCCESS) {
            nv2a_vsh_program_destroy(out);
            return result;
        }
    }
    return NV2AVPR_SUCCESS;
}

void nv2a_vsh_program_destroy(Nv2aVshProgram *program) {
    free(program->steps);
    program->steps = NULL;
}

/* ---- Steps to words ------------------------------------------------------------------------------------------ */

/* What the operations of a slot share; -1 is nothing yet. */
struct shared {
    int64_t source[3], input, constant, relative, temporary, port;
};

/* Whether it was nothing yet, or the same. */
static bool agree(int64_t *shared, int64_t value) {
    if (*shared >= 0) return *shared == value;
    *shared = value;
    return true;
}

static bool encode_input(const Nv2aVshInput *input, unsigned operand, struct shared *shared) {
    uint32_t source = (uint32_t)input->is_negated << 14;
    unsigned at;
    for (at = 0; at < 4; at++) {
        if (input->swizzle[at] > 3) return false;
        source |= (uint32_t)input->swizzle[at] << (12 - 2 * at);
    }
    switch (input->type) {
    case NV2ART_TEMPORARY:
        if (input->index > READ_BACK) return false;
        source |= input->index << 2 | MUX_TEMPORARY;
        break;
    case NV2ART_INPUT:
        if (input->index >= INPUTS || !agree(&shared->input, input->index)) return false;
        source |= MUX_INPUT;
        break;
    case NV2ART_CONTEXT:
        if (input->index > 255 || !agree(&shared->constant, input->index) || !agree(&shared->relative, input->is_relative)) return false;
        source |= MUX_CONSTANT;
        break;
    default:
        if (input->type != NV2ART_NONE || operand < 2) return false;
    }
    return agree(&shared->source[operand], source);
}

static bool encode_output(uint32_t *words, const Nv2aVshStep *step, bool scalar, const Nv2aVshOutput *output, struct shared *shared) {
    Nv2aVshOpcode opcode = scalar ? step->ilu.opcode : step->mac.opcode;
    uint32_t mask = (uint32_t)output->writemask;
    if (output->type == NV2ART_NONE) return true;
    if (opcode == NV2AOP_NOP || mask == 0 || mask > 15) return false;
    if ((output->type == NV2ART_ADDRESS) != (opcode == NV2AOP_ARL)) return false;
    switch (output->type) {
    case NV2ART_ADDRESS: return output->index == 0;
    case NV2ART_TEMPORARY:
        if (output->index >= TEMPS || (scalar ? get(words, SCALAR_MASK) : get(words, VECTOR_MASK)) != 0) return false;
        if (scalar && step->mac.opcode != NV2AOP_NOP) {
            if (output->index != 1) return false;
        } else if (!agree(&shared->temporary, output->index)) {
            return false;
        }
        if (scalar) put(words, SCALAR_MASK, mask);
        else put(words, VECTOR_MASK, mask);
        return true;
    case NV2ART_OUTPUT:
    case NV2ART_CONTEXT:
        if (shared->port >= 0 || output->index >= (output->type == NV2ART_OUTPUT ? (uint32_t)OUTPUTS : (uint32_t)ROWS)) return false;
        shared->port = output->index;
        put(words, FROM_SCALAR, scalar);
        put(words, OUT_ADDRESS, output->index);
        put(words, OUT_BUFFER, output->type == NV2ART_OUTPUT);
        put(words, OUT_MASK, mask);
        return true;
    default: return false;
    }
}

/* The words of a step, or false: there are none. */
static bool encode(uint32_t *words, const Nv2aVshStep *step, bool is_final) {
    struct shared shared = {{-1, -1, -1}, -1, -1, -1, -1, -1};
    unsigned unit, at, which[3];
    memset(words, 0, 16);
    if ((uint32_t)step->mac.opcode > NV2AOP_ARL || scalar_code(step->ilu.opcode) > 7) return false;
    for (unit = 0; unit < 2; unit++) {
        const Nv2aVshOperation *operation = unit ? &step->ilu : &step->mac;
        unsigned count = operands(unit != 0, operation->opcode, which);
        for (at = 0; at < count; at++)
            if (!encode_input(&operation->inputs[at], which[at], &shared)) return false;
        for (at = 0; at < 2; at++)
            if (!encode_output(words, step, unit != 0, &operation->outputs[at], &shared)) return false;
    }
    for (at = 0; at < 3; at++)
        put(words, SOURCE(at), shared.source[at] < 0 ? (uint32_t)UNREAD : (uint32_t)shared.source[at]);
    if (shared.input >= 0) put(words, INPUT, (uint32_t)shared.input);
    if (shared.constant >= 0) put(words, CONSTANT, (uint32_t)shared.constant);
    if (shared.relative > 0) put(words, INDEXED, 1);
    put(words, TEMPORARY, shared.temporary < 0 ? (uint32_t)NO_TEMPORARY : (uint32_t)shared.temporary);
    if (shared.port < 0) {
        put(words, OUT_BUFFER, 1);
        put(words, OUT_ADDRESS, NOWHERE);
    }
    put(words, VECTOR_OPCODE, (uint32_t)step->mac.opcode);
    put(words, SCALAR_OPCODE, scalar_code(step->ilu.opcode));
    put(words, END_BIT, is_final);
    return true;
}

/* ---- What is known of a program ------------------------------------------------------------------------------ */

struct known {
    const Nv2aVshStep *at; /* where its steps lay; null: nothing is known */
    bool single; /* one step, final or not */
    bool alone; /* reads nothing that other programs have left in temporaries, A0 and o0 */
    bool writes_address;
    uint32_t count;
    Nv2aVshStep *steps; /* a copy */
    const xfjit_program *program;
    xfjit_info info;
};

static OF_THIS_THREAD struct {
    xfjit_config config;
    xfjit_engine *engine;
    xfjit_worker *worker;
    xfjit_status status;
    struct known known[KNOWN];
} here;

static void forget(struct known *known) {
    if (known->at == NULL) return;
    (void)xfjit_program_unref(known->program);
    free(known->steps);
    memset(known, 0, sizeof *known);
}

/* The components that an operation reads of an input, before the swizzle, as a mask with x as 8. */
static uint32_t components(const Nv2aVshOperation *operation, unsigned input) {
    switch (operation->opcode) {
    case NV2AOP_DP3: return NV2AWM_XYZ;
    case NV2AOP_DPH: return input == 0 ? NV2AWM_XYZ : NV2AWM_XYZW;
    case NV2AOP_DP4: return NV2AWM_XYZW;
    case NV2AOP_DST: return input == 0 ? NV2AWM_YZ : NV2AWM_YW;
    case NV2AOP_LIT: return NV2AWM_XYW;
    case NV2AOP_ARL: case NV2AOP_RCP: case NV2AOP_RCC: case NV2AOP_RSQ: case NV2AOP_EXP: case NV2AOP_LOG: return NV2AWM_X;
    default: return (uint32_t)operation->outputs[0].writemask | (uint32_t)operation->outputs[1].writemask;
    }
}

/* Programs have no branches: what is read before it has been written can be told by going through the steps. */
static void look_through(struct known *known) {
    uint32_t written[READ_BACK + 1] = {0}, step;
    unsigned unit, at, component;
    known->alone = true;
    for (step = 0; step < known->count; step++) {
        for (unit = 0; unit < 2; unit++) {
            const Nv2aVshOperation *operation = unit ? &known->steps[step].ilu : &known->steps[step].mac;
            unsigned which[3], count = operands(unit != 0, operation->opcode, which);
            for (at = 0; at < count; at++) {
                const Nv2aVshInput *input = &operation->inputs[at];
                uint32_t read = components(operation, at);
                if (input->type == NV2ART_CONTEXT && input->is_relative && !known->writes_address) known->alone = false;
                for (component = 0; component < 4 && input->type == NV2ART_TEMPORARY; component++)
                    if (read >> (3 - component) & 1 && !(written[input->index] >> (3 - input->swizzle[component]) & 1)) known->alone = false;
            }
        }
        /* All reads of a slot come before its writes. */
        for (unit = 0; unit < 2; unit++)
            for (at = 0; at < 2; at++) {
                const Nv2aVshOutput *output = unit ? &known->steps[step].ilu.outputs[at] : &known->steps[step].mac.outputs[at];
                if (output->type == NV2ART_ADDRESS) known->writes_address = true;
                if (output->type == NV2ART_TEMPORARY) written[output->index] |= (uint32_t)output->writemask;
                if (output->type == NV2ART_OUTPUT && output->index == 0) written[READ_BACK] |= (uint32_t)output->writemask;
            }
    }
}

static xfjit_status configure(void) {
    if (here.config.size != 0) return XFJIT_OK;
    here.config.size = sizeof here.config;
    here.status = xfjit_config_like(&here.config, XFJIT_LIKE_NV2A_VSH_CPU, XFJIT_KELVIN);
    here.config.live_outputs = (1u << OUTPUTS) - 1;
    here.config.keep_outputs = 1;
    return here.status;
}

static xfjit_status prepare(void) {
    xfjit_options options;
    if (here.worker != NULL) return XFJIT_OK;
    if (configure() != XFJIT_OK) return here.status;
    memset(&options, 0, sizeof options);
    options.size = sizeof options;
    options.compile_after = 64; /* programs that only step are never compiled, and nobody waits for a compiler */
    if (here.engine == NULL && (here.status = xfjit_engine_create(&options, &here.engine)) != XFJIT_OK) return here.status;
    return here.status = xfjit_worker_create(here.engine, &here.worker);
}

/* Whether these are the steps that are known. Goes no further than the steps do. */
static bool is_same(const struct known *known, const Nv2aVshStep *steps, bool single) {
    uint32_t step;
    if (known->at != steps || known->single != single) return false;
    for (step = 0; step < known->count; step++)
        if (memcmp(&known->steps[step], &steps[step], sizeof *steps) != 0) return false;
    return true;
}

/* The program of steps, or null, and here.status tells why. */
static struct known *find(const Nv2aVshStep *steps, bool single) {
    struct known *known = &here.known[((uintptr_t)steps / 16 ^ (uintptr_t)steps / 512) % KNOWN];
    const xfjit_program *program;
    uint32_t words[SLOTS][4], count = 0;
    bool is_final;
    here.status = XFJIT_OK;
    if (steps == NULL) {
        here.status = XFJIT_E_ARGUMENT;
        return NULL;
    }
    if (is_same(known, steps, single)) return known;
    do {
        is_final = single || (count < SLOTS && steps[count].is_final);
        if (count == SLOTS || !encode(words[count], &steps[count], is_final)) {
            here.status = XFJIT_E_DECODE;
            return NULL;
        }
        count++;
    } while (!is_final);
    if (prepare() != XFJIT_OK) return NULL;
    here.status = xfjit_worker_program(here.worker, words, 16, count, 0, &here.config, &program);
    if (here.status != XFJIT_OK) return NULL;
    forget(known);
    known->info.size = sizeof known->info;
    known->steps = (Nv2aVshStep *)malloc(count * sizeof *steps);
    if (known->steps == NULL) here.status = XFJIT_E_INTERNAL;
    if (here.status == XFJIT_OK) here.status = xfjit_program_info(program, &known->info);
    if (here.status == XFJIT_OK) here.status = xfjit_program_ref(program);
    if (here.status != XFJIT_OK) {
        free(known->steps);
        memset(known, 0, sizeof *known);
        return NULL;
    }
    memcpy(known->steps, steps, count * sizeof *steps);
    known->at = steps;
    known->single = single;
    known->count = count;
    known->program = program;
    look_through(known);
    return known;
}

/* ---- Running ------------------------------------------------------------------------------------------------- */

Nv2aVshExecutionState nv2a_vsh_emu_initialize_full_execution_state(Nv2aVshCPUFullExecutionState *state) {
    Nv2aVshExecutionState made = {state->input_regs, state->output_regs, state->temp_regs, state->context_regs, state->address_reg, NULL};
    return made;
}

Nv2aVshExecutionState nv2a_vsh_emu_initialize_xss_execution_state(Nv2aVshCPUXVSSExecutionState *state, float *context_regs, bool *context_dirty) {
    Nv2aVshExecutionState made = {state->input_regs, NULL, state->temp_regs, context_regs, state->address_reg, context_dirty};
    state->output_regs = NULL;
    state->context_regs = context_regs;
    state->context_dirty = context_dirty;
    return made;
}

/* The components of outputs that the program writes. */
static void store_outputs(const struct known *known, float *to, const void *rows) {
    const float (*from)[4] = (const float (*)[4])rows;
    unsigned row, component;
    for (row = 0; row < OUTPUTS && to != NULL; row++)
        for (component = 0; component < 4 && known->info.output_masks[row]; component++)
            if (known->info.output_masks[row] >> component & 1) memcpy(&to[4 * row + component], &from[row][component], 4);
}

/* A0 of a float, rounded down. What xfjit cannot have as an address, it limits itself. */
static int32_t address_of(float value) {
    int32_t whole;
    if (!(value > -1e6f)) return value <= -1e6f ? -1000000 : 0;
    if (value > 1e6f) return 1000000;
    whole = (int32_t)value;
    return whole - ((float)whole > value);
}

/* Step after step on all of the caller's registers: temporaries and A0 are what he has left there. Then, if they are wanted,
 * he has those of the program. */
static void step_through(const struct known *known, Nv2aVshExecutionState *state, bool with_temporaries) {
    xfjit_vertex vertex;
    size_t inputs = state->output_regs == NULL ? 1 : INPUTS;
    size_t temps = state->output_regs == NULL ? (size_t)TEMPS_OF_STATE_PROGRAMS : (size_t)TEMPS;
    memset(&vertex, 0, sizeof vertex);
    vertex.size = sizeof vertex;
    memcpy(vertex.input, state->input_regs, 16 * inputs);
    here.status = xfjit_vertex_reset(known->program, &vertex);
    if (here.status != XFJIT_OK) return;
    memcpy(vertex.temp, state->temp_regs, 16 * temps);
    if (state->output_regs != NULL) {
        memcpy(vertex.output, state->output_regs, 16 * OUTPUTS);
        memcpy(vertex.temp[READ_BACK], state->output_regs, 16);
    }
    vertex.address[0][0] = address_of(state->address_reg[0]);
    here.status = xfjit_step(known->program, &vertex, state->context_regs, ROWS, (uint8_t *)state->context_dirty, UINT32_MAX);
    if (here.status != XFJIT_OK) return;
    store_outputs(known, state->output_regs, vertex.output);
    if (!with_temporaries) return;
    memcpy(state->temp_regs, vertex.temp, 16 * temps);
    if (known->writes_address) state->address_reg[0] = (float)vertex.address[0][0];
}

void nv2a_vsh_emu_execute(Nv2aVshExecutionState *state, const Nv2aVshProgram *program) {
    const struct known *known = find(program->steps, false);
    if (known != NULL) step_through(known, state, true);
}

void nv2a_vsh_emu_apply(Nv2aVshExecutionState *state, const Nv2aVshStep *step) {
    const struct known *known = find(step, true);
    if (known != NULL) step_through(known, state, true);
}

void nv2a_vsh_emu_execute_fast(Nv2aVshExecutionState *state, const Nv2aVshProgram *program) {
    const struct known *known = find(program->steps, false);
    float alone[INPUTS][4], out[16][4];
    const void *in = state->input_regs;
    unsigned row;
    if (known == NULL) return;
    if (!known->alone) {
        step_through(known, state, false);
        return;
    }
    if (state->output_regs == NULL) {
        memset(alone, 0, sizeof alone);
        memcpy(alone[0], in, 16);
        in = alone;
    }
    /* Outputs 13 to 15 have no memory, so that they cannot be written where they are. */
    for (row = 0; row < OUTPUTS && state->output_regs != NULL; row++)
        if (known->info.output_masks[row]) memcpy(out[row], state->output_regs + 4 * row, 16);
    here.status = xfjit_run_rows(known->program, here.worker, state->context_regs, ROWS, (uint8_t *)state->context_dirty, in, out, 1);
    if (here.status == XFJIT_OK) store_outputs(known, state->output_regs, out);
}

int32_t nv2a_vsh_xfjit_status(void) { return here.status; }

void nv2a_vsh_xfjit_release(void) {
    unsigned at;
    for (at = 0; at < KNOWN; at++)
        forget(&here.known[at]);
    (void)xfjit_worker_destroy(here.worker);
    (void)xfjit_engine_destroy(here.engine);
    memset(&here, 0, sizeof here);
}

/* ---- Single operations --------------------------------------------------------------------------------------- */

static void operate(bool scalar, Nv2aVshOpcode opcode, Nv2aVshRegister *out, const Nv2aVshRegister *inputs) {
    Nv2aVshRegister rows[3];
    unsigned which[3], count = operands(scalar, opcode, which), at;
    memset(rows, 0, sizeof rows);
    for (at = 0; at < count; at++)
        rows[which[at]] = inputs[at];
    if (configure() != XFJIT_OK) return;
    here.status = xfjit_op(&here.config, scalar ? XFJIT_UNIT_SCALAR : XFJIT_UNIT_VECTOR, scalar ? scalar_code(opcode) : (uint32_t)opcode, rows, out);
}

#define OPERATION(name, scalar, opcode) \
    void nv2a_vsh_cpu_##name(Nv2aVshRegister *out, const Nv2aVshRegister *inputs) { operate(scalar, opcode, out, inputs); }

OPERATION(mov, false, NV2AOP_MOV)
OPERATION(mul, false, NV2AOP_MUL)
OPERATION(add, false, NV2AOP_ADD)
OPERATION(mad, false, NV2AOP_MAD)
OPERATION(dp3, false, NV2AOP_DP3)
OPERATION(dph, false, NV2AOP_DPH)
OPERATION(dp4, false, NV2AOP_DP4)
OPERATION(dst, false, NV2AOP_DST)
OPERATION(min, false, NV2AOP_MIN)
OPERATION(max, false, NV2AOP_MAX)
OPERATION(slt, false, NV2AOP_SLT)
OPERATION(sge, false, NV2AOP_SGE)
OPERATION(rcp, true, NV2AOP_RCP)
OPERATION(rcc, true, NV2AOP_RCC)
OPERATION(rsq, true, NV2AOP_RSQ)
OPERATION(exp, true, NV2AOP_EXP)
OPERATION(log, true, NV2AOP_LOG)
OPERATION(lit, true, NV2AOP_LIT)

/* Its result is no row but an address, which a program of one step leaves in A0. */
void nv2a_vsh_cpu_arl(Nv2aVshRegister *out, const Nv2aVshRegister *inputs) {
    Nv2aVshStep step;
    xfjit_vertex vertex;
    const struct known *known;
    static float unused[ROWS][4]; /* never written: the program writes no constants */
    unsigned at;
    memset(&step, 0, sizeof step);
    step.mac.opcode = NV2AOP_ARL;
    step.mac.inputs[0].type = NV2ART_INPUT;
    add_output(&step.mac, NV2ART_ADDRESS, 0, NV2AWM_X);
    known = find(&step, true);
    if (known == NULL) return;
    memset(&vertex, 0, sizeof vertex);
    vertex.size = sizeof vertex;
    memcpy(vertex.input[0], inputs, 16);
    here.status = xfjit_vertex_reset(known->program, &vertex);
    if (here.status == XFJIT_OK) here.status = xfjit_step(known->program, &vertex, unused, ROWS, NULL, 1);
    if (here.status != XFJIT_OK) return;
    for (at = 0; at < 4; at++)
        out->raw[at] = (float)vertex.address[0][0];
}
