/* The interface of nv2a_vsh_cpu over the library (capi/examples/nv2a_vsh_cpu): parsing, running, single operations. C99. */
#include "nv2a_vsh_cpu.h"
#include "nv2a_vsh_disassembler.h"
#include "nv2a_vsh_emulator.h"
#include "nv2a_vsh_emulator_execution_state.h"
#include "nv2a_vsh_known.h"
#include "nv2a_vsh_xfjit.h"
#include "xfjit.h"

#include "check.h"

static uint32_t random_word(void) {
    static uint32_t state = 77;
    uint32_t high = (state = state * 1664525u + 1013904223u) >> 16;
    return high << 16 | (state = state * 1664525u + 1013904223u) >> 16;
}

/* A field of the words, as the library reads it. */
static unsigned field(const uint32_t *words, const char *name) {
    char text[1000], pattern[40], *found;
    text[0] = ' ';
    CHECK(xfjit_disassemble(XFJIT_KELVIN, words, XFJIT_STYLE_FIELDS, text + 1, sizeof text - 1) < sizeof text - 1);
    sprintf(pattern, " %s=", name);
    found = strstr(text, pattern);
    CHECK(found != NULL);
    return (unsigned)atoi(found + strlen(pattern));
}

static const Nv2aVshOutput *output_to(const Nv2aVshOperation *operation, Nv2aVshRegisterType first, Nv2aVshRegisterType second) {
    unsigned at;
    for (at = 0; at < 2; at++)
        if (operation->outputs[at].type == first || operation->outputs[at].type == second) return &operation->outputs[at];
    return NULL;
}

/* Parsed fields are those that the library reads, of words of any kind. */
static void fields_are_the_library_s(void) {
    unsigned round, results[7] = {0};
    for (round = 0; round < 4000; round++) {
        uint32_t words[4];
        unsigned at, mac, ilu;
        const Nv2aVshOutput *output;
        Nv2aVshStep step;
        Nv2aVshParseResult result;
        for (at = 0; at < 4; at++)
            words[at] = random_word();
        mac = field(words, "vec_op");
        ilu = field(words, "sca_op");
        result = nv2a_vsh_parse_step(&step, words);
        CHECK((unsigned)result < 7);
        results[result]++;
        CHECK((result == NV2AVPR_BAD_MAC_OPCODE) == (mac > 13));
        CHECK(step.is_final == (field(words, "end") != 0));
        if (result != NV2AVPR_SUCCESS || (mac == 0 && ilu == 0)) continue;
        CHECK((unsigned)step.mac.opcode == mac);
        CHECK((unsigned)step.ilu.opcode == (ilu < 2 ? ilu : ilu + 12));
        output = output_to(&step.mac, NV2ART_TEMPORARY, NV2ART_TEMPORARY);
        if (output != NULL) CHECK(output->index == field(words, "dst") && (unsigned)output->writemask == field(words, "vec_mask"));
        else CHECK(mac == 13 || field(words, "vec_mask") == 0);
        output = output_to(&step.ilu, NV2ART_TEMPORARY, NV2ART_TEMPORARY);
        if (output != NULL) CHECK(output->index == (mac ? 1 : field(words, "dst")) && (unsigned)output->writemask == field(words, "sca_mask"));
        else CHECK(field(words, "sca_mask") == 0);
        output = output_to(field(words, "out_from_sca") ? &step.ilu : &step.mac, NV2ART_OUTPUT, NV2ART_CONTEXT);
        if (output != NULL) {
            CHECK(output->index == field(words, "out_addr") && (unsigned)output->writemask == field(words, "out_mask"));
            CHECK((output->type == NV2ART_OUTPUT) == (field(words, "out_buffer") != 0));
        }
        output = output_to(&step.mac, NV2ART_ADDRESS, NV2ART_ADDRESS);
        CHECK((output != NULL) == (mac == 13));
        if (output != NULL) CHECK(output->index == 0 && output->writemask == 0);
        if (mac == 4 || mac == 3) { /* the last input is operand C */
            const Nv2aVshInput *input = &step.mac.inputs[mac == 4 ? 2 : 1];
            unsigned source = field(words, "src_c");
            CHECK((unsigned)input->type == ((source & 3) == 3 ? 4 : source & 3)); /* constants stand behind outputs */
            for (at = 0; at < 4 && input->type != NV2ART_NONE; at++)
                CHECK(input->swizzle[at] == (source >> (12 - 2 * at) & 3));
            if (input->type != NV2ART_NONE) CHECK(input->is_negated == source >> 14);
            if (input->type == NV2ART_TEMPORARY) CHECK(input->index == (source >> 2 & 15));
            if (input->type == NV2ART_INPUT) CHECK(input->index == field(words, "input"));
            if (input->type == NV2ART_CONTEXT) CHECK(input->index == field(words, "constant") && input->is_relative == field(words, "indexed"));
        }
        if (ilu > 1 && ilu < 7) { /* of one number */
            for (at = 1; at < 4; at++)
                CHECK(step.ilu.inputs[0].swizzle[at] == step.ilu.inputs[0].swizzle[0]);
        }
    }
    CHECK(results[NV2AVPR_SUCCESS] > 100 && results[NV2AVPR_ARL_CONFLICT] > 20);
}

/* ARLs that are parsed write nothing; these write A0. */
static void write_address(Nv2aVshStep *step) {
    if (step->mac.opcode == NV2AOP_ARL) step->mac.outputs[0].writemask = NV2AWM_X;
}

/* The library and the interface part where a word names nothing: MUX 0, temporaries above r12, rows and outputs beyond. */
static bool names_what_there_is(const Nv2aVshStep *step) {
    unsigned unit, at;
    for (unit = 0; unit < 2; unit++) {
        const Nv2aVshOperation *operation = unit ? &step->ilu : &step->mac;
        unsigned which[3], count = nv2a_vsh_operands(unit != 0, operation->opcode, which);
        for (at = 0; at < count; at++)
            if (operation->inputs[at].type == NV2ART_NONE || (operation->inputs[at].type == NV2ART_TEMPORARY && operation->inputs[at].index > 12)) return false;
        for (at = 0; at < 2; at++) {
            const Nv2aVshOutput *output = &operation->outputs[at];
            if (output->type == NV2ART_TEMPORARY && output->index > 11) return false;
            if (output->type == NV2ART_OUTPUT && output->index > 12) return false;
            if (output->type == NV2ART_CONTEXT && output->index > 191) return false;
        }
    }
    return true;
}

/* Which NaN it is depends on where a program ends. */
static bool are_same(const float *one, const float *other, size_t count) {
    size_t at;
    for (at = 0; at < count; at++)
        if (memcmp(&one[at], &other[at], 4) != 0 && (one[at] == one[at] || other[at] == other[at])) return false;
    return true;
}

/* What a step of any words does, encoded anew, is what the words do: all registers, against the library. */
static void steps_do_what_their_words_do(void) {
    xfjit_engine *engine;
    xfjit_config config;
    xfjit_options options;
    unsigned round, ran = 0, at;
    memset(&options, 0, sizeof options);
    options.size = sizeof options;
    options.backend = XFJIT_BACKEND_INTERPRETER;
    CHECK(xfjit_engine_create(&options, &engine) == XFJIT_OK);
    config.size = sizeof config;
    CHECK(xfjit_config_like(&config, XFJIT_LIKE_NV2A_VSH_CPU, XFJIT_KELVIN) == XFJIT_OK);
    CHECK(config.forms == XFJIT_FORMS_NV2A_VSH_CPU);
    config.forms |= XFJIT_FORMS_CHIP_ADDRESSES;
    for (round = 0; round < 2000; round++) {
        static Nv2aVshCPUFullExecutionState full;
        static float constants[192][4];
        Nv2aVshExecutionState state = nv2a_vsh_emu_initialize_full_execution_state(&full);
        bool dirty[192] = {0};
        uint8_t dirty_too[192] = {0};
        uint32_t words[4];
        Nv2aVshStep step;
        Nv2aVshProgram program_of_one;
        const xfjit_program *program;
        xfjit_vertex vertex;
        float old_output[13][4];
        for (at = 0; at < 4; at++)
            words[at] = random_word();
        if (random_word() & 1) words[3] = (words[3] & ~0x7f8u) | (random_word() % 13) << 3; /* more that can be written */
        words[3] |= 1; /* at the end NaNs become the canonical one, and a single step is a program */
        if (nv2a_vsh_parse_step(&step, words) != NV2AVPR_SUCCESS || !names_what_there_is(&step)) continue;
        write_address(&step);
        for (at = 0; at < sizeof full / 4; at++)
            full.input_regs[0] = 0, ((float *)&full)[at] = (float)(int32_t)random_word() / 1e8f;
        full.address_reg[0] = (float)(int)(random_word() % 9) - 4;
        memcpy(constants, full.context_regs, sizeof constants);
        memcpy(old_output, full.output_regs, sizeof old_output);
        memset(&vertex, 0, sizeof vertex);
        vertex.size = sizeof vertex;
        CHECK(xfjit_program_get(engine, words, 16, 1, 0, &config, &program) == XFJIT_OK);
        CHECK(xfjit_vertex_reset(program, &vertex) == XFJIT_OK);
        memcpy(vertex.input, full.input_regs, sizeof full.input_regs);
        memcpy(vertex.temp, full.temp_regs, sizeof full.temp_regs);
        memcpy(vertex.temp[12], full.output_regs, 16);
        memcpy(vertex.output, full.output_regs, sizeof full.output_regs);
        vertex.address[0][0] = (int32_t)full.address_reg[0];
        CHECK(xfjit_step(program, &vertex, constants, 192, dirty_too, 1) == XFJIT_OK);
        program_of_one.steps = &step;
        nv2a_vsh_emu_execute_track_context_writes(&state, &program_of_one, dirty);
        CHECK(nv2a_vsh_xfjit_status() == XFJIT_OK);
        CHECK(are_same(full.temp_regs, (const float *)vertex.temp, sizeof full.temp_regs / 4));
        CHECK(are_same(full.output_regs, (const float *)vertex.output, sizeof full.output_regs / 4));
        CHECK(are_same(full.context_regs, constants[0], sizeof constants / 4));
        CHECK(memcmp(dirty, dirty_too, sizeof dirty) == 0);
        CHECK(full.address_reg[0] == (float)vertex.address[0][0]);
        ran += memcmp(old_output, full.output_regs, sizeof old_output) != 0;
        CHECK(xfjit_program_unref(program) == XFJIT_OK);
    }
    CHECK(ran > 50);
    CHECK(xfjit_engine_destroy(engine) == XFJIT_OK);
}

static void set(Nv2aVshStep *step, Nv2aVshOpcode opcode, unsigned input, Nv2aVshRegisterType type, unsigned index, Nv2aVshWritemask mask) {
    unsigned at;
    memset(step, 0, sizeof *step);
    step->mac.opcode = opcode;
    step->mac.inputs[0].type = NV2ART_INPUT;
    step->mac.inputs[0].index = input;
    for (at = 0; at < 4; at++)
        step->mac.inputs[0].swizzle[at] = (uint8_t)at;
    step->mac.outputs[0].type = type;
    step->mac.outputs[0].index = index;
    step->mac.outputs[0].writemask = mask;
}

/* A program as a whole leaves in all registers what its steps do, one after the other. */
static void programs_do_what_their_steps_do(void) {
    static Nv2aVshCPUFullExecutionState full, old, stepped;
    static Nv2aVshStep steps[136];
    unsigned round, at, natively = 0, relative = 0, unset = 0;
    Nv2aVshProgram program;
    program.steps = steps;
    for (round = 0; round < 1500; round++) {
        Nv2aVshExecutionState state = nv2a_vsh_emu_initialize_full_execution_state(&full);
        bool dirty[192] = {0}, stepped_dirty[192] = {0}, zeros = round % 3 == 0 || round % 16 == 0;
        unsigned count = 0, more = round % 50 == 0 ? 136 : 14 + random_word() % 10, outputs = random_word() % 6;
        struct known *known;
        memset(steps, 0, sizeof steps);
        /* Mostly nothing is read that is not written. */
        for (at = 0; at < 12 && round % 8 != 0; at++)
            set(&steps[count++], NV2AOP_MOV, at, NV2ART_TEMPORARY, at, NV2AWM_XYZW);
        if (round % 8 != 1) set(&steps[count++], NV2AOP_MOV, random_word() % 16, NV2ART_OUTPUT, 0, NV2AWM_XYZW);
        if (round % 8 != 2) set(&steps[count++], NV2AOP_ARL, random_word() % 16, NV2ART_ADDRESS, 0, NV2AWM_X);
        while (count < more) {
            uint32_t words[4], row = random_word() % 3 == 0 ? random_word() % 192 : 0x100 + (outputs ? random_word() % outputs : 0);
            for (at = 0; at < 4; at++)
                words[at] = random_word();
            words[3] = (words[3] & ~0xff9u) | row << 3;
            if (nv2a_vsh_parse_step(&steps[count], words) != NV2AVPR_SUCCESS) continue;
            if (round % 8 != 3 && !names_what_there_is(&steps[count])) continue;
            count++;
            if (round % 4 != 0) write_address(&steps[count - 1]);
        }
        for (at = 0; at < count; at++)
            steps[at].is_final = false;
        steps[count - 1].is_final = true;
        for (at = 0; at < sizeof full / 4; at++)
            ((float *)&full)[at] = (float)(int32_t)random_word() / (at % 4 ? 1e8f : 1e7f);
        full.address_reg[0] = zeros ? 0 : (float)(int)(random_word() % 9) - 4;
        if (zeros) memset(full.temp_regs, 0, sizeof full.temp_regs);
        old = full;
        nv2a_vsh_emu_execute_track_context_writes(&state, &program, dirty);
        CHECK(nv2a_vsh_xfjit_status() == XFJIT_OK);
        known = nv2a_vsh_find(steps);
        CHECK(known != NULL);
        for (at = 0; known->native[WITH_TEMPORARIES].program != NULL && at < 12; at++)
            if (known->unset[at]) {
                unset++;
                break;
            }
        natively += known->native[WITH_TEMPORARIES].program != NULL;
        relative += known->native[WITH_TEMPORARIES].program != NULL && known->address_mask != 0;
        stepped = full;
        memcpy(stepped_dirty, dirty, sizeof dirty);
        full = old;
        memset(dirty, 0, sizeof dirty);
        for (at = 0; at < count; at++)
            CHECK(nv2a_vsh_apply(&state, &steps[at], dirty));
        CHECK(are_same((float *)&full, (float *)&stepped, sizeof full / 4));
        CHECK(memcmp(dirty, stepped_dirty, sizeof dirty) == 0);
    }
    CHECK(natively > 500 && natively < 1400 && relative > 400 && unset > 10);
}

static void what_is_no_program_is_refused(void) {
    Nv2aVshProgram program, rest;
    Nv2aVshStep step;
    static Nv2aVshCPUFullExecutionState full;
    Nv2aVshExecutionState state = nv2a_vsh_emu_initialize_full_execution_state(&full);
    uint32_t words[4 * 137], at;
    const uint32_t bad_output[4] = {0, 0x0020001b, 0x0836106c, 0x2070f869}; /* MOV o13, v0 */
    const uint32_t bad_row[4] = {0, 0x0020001b, 0x0836106c, 0x2070f601}; /* MOV c[192], v0 */
    const uint32_t conflict[4] = {0, 0x01a0001b, 0x0836106c, 0x2f1007f9}; /* ARL to r1, too */
    const uint32_t nothing[4] = {0, 0x01c0001b, 0x0836106c, 0x207007f9}; /* vector operation 14 */
    CHECK(nv2a_vsh_parse_program(NULL, TRANSFORM[0], 5) == NV2AVPR_BAD_OUTPUT);
    CHECK(nv2a_vsh_parse_program(&program, NULL, 5) == NV2AVPR_BAD_PROGRAM && program.steps == NULL);
    CHECK(nv2a_vsh_parse_program(&program, TRANSFORM[0], 0) == NV2AVPR_BAD_PROGRAM_SIZE && program.steps == NULL);
    CHECK(nv2a_vsh_parse_program(&program, TRANSFORM[0], 137) == NV2AVPR_BAD_PROGRAM_SIZE && program.steps == NULL);
    CHECK(nv2a_vsh_parse_step(&step, conflict) == NV2AVPR_ARL_CONFLICT);
    CHECK(nv2a_vsh_parse_step(&step, nothing) == NV2AVPR_BAD_MAC_OPCODE);
    CHECK(nv2a_vsh_parse_program(&program, nothing, 1) == NV2AVPR_BAD_MAC_OPCODE && program.steps == NULL);
    nv2a_vsh_program_destroy(&program);
    nv2a_vsh_program_destroy(NULL);
    /* Registers that do not exist are parsed, and nothing is written. */
    CHECK(nv2a_vsh_parse_step(&step, bad_output) == NV2AVPR_SUCCESS && step.mac.outputs[0].index == 13);
    program.steps = &step;
    full.input_regs[0] = 5;
    nv2a_vsh_emu_execute(&state, &program);
    CHECK(nv2a_vsh_xfjit_status() == XFJIT_OK);
    CHECK(nv2a_vsh_parse_step(&step, bad_row) == NV2AVPR_SUCCESS && step.mac.outputs[0].index == 192);
    nv2a_vsh_emu_execute(&state, &program);
    CHECK(nv2a_vsh_xfjit_status() == XFJIT_OK);
    for (at = 16 * 4; at < sizeof full / 4; at++)
        CHECK(((float *)&full)[at] == 0);
    /* All slots are parsed, whatever is final, and each may be the first that runs. */
    for (at = 0; at < 136; at++)
        memcpy(&words[4 * at], TRANSFORM[at == 4 ? 4 : at < 4 ? at : 0], 16);
    CHECK(nv2a_vsh_parse_program(&program, words, 136) == NV2AVPR_SUCCESS && program.steps[4].is_final);
    rest.steps = program.steps + 100;
    for (at = 0; at < 36; at++)
        CHECK(rest.steps[at].mac.opcode == NV2AOP_DP4 && !rest.steps[at].is_final);
    rest.steps[35].is_final = true;
    nv2a_vsh_emu_execute(&state, &rest);
    CHECK(nv2a_vsh_xfjit_status() == XFJIT_OK);
    program.steps[4].is_final = program.steps[135].is_final = false;
    nv2a_vsh_program_destroy(&program);
    /* None of 136 is final. */
    memcpy(&words[4 * 4], TRANSFORM[0], 16);
    CHECK(nv2a_vsh_parse_program(&program, words, 136) == NV2AVPR_SUCCESS);
    nv2a_vsh_emu_execute(&state, &program);
    CHECK(nv2a_vsh_xfjit_status() == XFJIT_E_DECODE);
    nv2a_vsh_program_destroy(&program);
}

static void registers_are_the_caller_s(void) {
    static Nv2aVshCPUFullExecutionState full, old;
    Nv2aVshExecutionState state = nv2a_vsh_emu_initialize_full_execution_state(&full);
    Nv2aVshProgram program, rest;
    Nv2aVshStep steps[2];
    float position[4], colour[4], in[16][4];
    int at;
    fill_constants((float (*)[4])full.context_regs);
    fill_vertex(in, 3);
    memcpy(full.input_regs, in, sizeof in);
    for (at = 0; at < 13 * 4; at++)
        full.output_regs[at] = (float)at;
    for (at = 0; at < 12 * 4; at++)
        full.temp_regs[at] = (float)(100 + at);
    old = full;
    expected(in, (float (*)[4])full.context_regs, position, colour);
    CHECK(nv2a_vsh_parse_program(&program, TRANSFORM[0], 5) == NV2AVPR_SUCCESS);
    nv2a_vsh_emu_execute(&state, &program);
    CHECK(nv2a_vsh_xfjit_status() == XFJIT_OK);
    CHECK(memcmp(full.output_regs, position, 16) == 0 && memcmp(full.output_regs + 12, colour, 16) == 0);
    CHECK(memcmp(full.output_regs + 4, old.output_regs + 4, 32) == 0); /* what is not written stays */
    CHECK(memcmp(full.output_regs + 16, old.output_regs + 16, 36 * 4) == 0);
    CHECK(memcmp(full.temp_regs, old.temp_regs, sizeof old.temp_regs) == 0);
    /* From the middle on, and with a step that has been changed since. */
    full = old;
    rest.steps = program.steps + 4;
    nv2a_vsh_emu_execute(&state, &rest);
    CHECK(memcmp(full.output_regs, old.output_regs, 16) == 0 && memcmp(full.output_regs + 12, colour, 16) == 0);
    program.steps[4].mac.outputs[0].index = NV2AOR_TEX0;
    full = old;
    nv2a_vsh_emu_execute_fast(&state, &program, NULL);
    CHECK(memcmp(full.output_regs, position, 16) == 0 && memcmp(full.output_regs + 36, colour, 16) == 0);
    CHECK(memcmp(full.output_regs + 12, old.output_regs + 12, 16) == 0);
    nv2a_vsh_program_destroy(&program);

    /* Of the caller's making: MOV r2, -r3.wzyx; MOV o0.y, r2.x; the temporary that is read is his. */
    memset(steps, 0, sizeof steps);
    steps[0].mac.opcode = steps[1].mac.opcode = NV2AOP_MOV;
    steps[0].mac.inputs[0].type = steps[1].mac.inputs[0].type = NV2ART_TEMPORARY;
    steps[0].mac.inputs[0].index = 3;
    steps[0].mac.inputs[0].is_negated = true;
    for (at = 0; at < 4; at++)
        steps[0].mac.inputs[0].swizzle[at] = (uint8_t)(3 - at);
    steps[0].mac.outputs[0].type = NV2ART_TEMPORARY;
    steps[0].mac.outputs[0].index = steps[1].mac.inputs[0].index = 2;
    steps[0].mac.outputs[0].writemask = NV2AWM_XYZW;
    steps[1].mac.outputs[1].type = NV2ART_OUTPUT;
    steps[1].mac.outputs[1].writemask = NV2AWM_Y;
    steps[1].is_final = true;
    program.steps = steps;
    full = old;
    nv2a_vsh_emu_execute_fast(&state, &program, NULL);
    CHECK(full.output_regs[1] == -old.temp_regs[15] && full.output_regs[0] == 0 && full.output_regs[2] == 2);
    full = old;
    nv2a_vsh_emu_execute(&state, &program);
    CHECK(full.output_regs[1] == -old.temp_regs[15] && full.output_regs[0] == 0 && full.output_regs[2] == 2);
    CHECK(full.temp_regs[8] == -old.temp_regs[15] && full.temp_regs[11] == -old.temp_regs[12]);
    CHECK(memcmp(full.temp_regs + 12, old.temp_regs + 12, 36 * 4) == 0);

    /* A0 of one program is seen by the next: ARL A0, v0.x; MOV o3, c[A0 + 5]. */
    memset(steps, 0, sizeof steps);
    steps[0].mac.opcode = NV2AOP_ARL;
    steps[0].mac.inputs[0].type = NV2ART_INPUT;
    steps[0].mac.outputs[0].type = NV2ART_ADDRESS;
    steps[0].mac.outputs[0].writemask = NV2AWM_X;
    steps[1].mac.opcode = NV2AOP_MOV;
    steps[1].mac.inputs[0].type = NV2ART_CONTEXT;
    steps[1].mac.inputs[0].index = 5;
    steps[1].mac.inputs[0].is_relative = true;
    steps[1].mac.outputs[0].type = NV2ART_OUTPUT;
    steps[1].mac.outputs[0].index = NV2AOR_DIFFUSE;
    steps[1].mac.outputs[0].writemask = NV2AWM_XYZW;
    full = old;
    full.input_regs[0] = -1.5f;
    nv2a_vsh_emu_apply(&state, &steps[0]);
    CHECK(full.address_reg[0] == -2);
    nv2a_vsh_emu_apply(&state, &steps[1]);
    CHECK(full.output_regs[12] == old.context_regs[12] && full.address_reg[0] == -2);
    /* Two rows of constants are in no microcode: the step runs by itself. */
    steps[1].mac.opcode = NV2AOP_ADD;
    steps[1].mac.inputs[1] = steps[1].mac.inputs[0];
    steps[1].mac.inputs[1].index = 6;
    steps[1].is_final = true;
    program.steps = steps;
    full.address_reg[0] = 0;
    nv2a_vsh_emu_execute(&state, &program);
    CHECK(nv2a_vsh_xfjit_status() == XFJIT_OK);
    CHECK(full.output_regs[12] == old.context_regs[4 * 3] + old.context_regs[4 * 4]);
    /* An operation that there is not. */
    steps[0].mac.opcode = (Nv2aVshOpcode)77;
    old = full;
    nv2a_vsh_emu_apply(&state, &steps[0]);
    CHECK(nv2a_vsh_xfjit_status() == XFJIT_E_ARGUMENT && memcmp(&old, &full, sizeof old) == 0);
}

static void state_programs_write_the_caller_s_constants(void) {
    static float constants[192][4];
    static Nv2aVshCPUXVSSExecutionState registers;
    bool dirty[192] = {0};
    Nv2aVshExecutionState state;
    Nv2aVshProgram program;
    Nv2aVshStep unset[2];
    int row, way;
    fill_constants(constants);
    memset(&registers, 0x55, sizeof registers);
    state = nv2a_vsh_emu_initialize_xss_execution_state(&registers, constants[0]);
    CHECK(state.output_regs == NULL && registers.output_regs == NULL && state.context_dirty == NULL);
    CHECK(registers.context_regs == constants[0] && registers.temp_regs[43] == 0 && registers.input_regs[3] == 0 && constants[95][0] == 95);
    registers.input_regs[0] = 7;
    CHECK(nv2a_vsh_parse_program(&program, STATE[0], 2) == NV2AVPR_SUCCESS);
    for (way = 0; way < 4; way++) {
        fill_constants(constants);
        memset(dirty, 0, sizeof dirty);
        if (way == 0) nv2a_vsh_emu_execute_track_context_writes(&state, &program, dirty);
        else if (way == 3) nv2a_vsh_emu_execute(&state, &program);
        else nv2a_vsh_emu_execute_fast(&state, &program, way == 2 ? NULL : dirty);
        CHECK(nv2a_vsh_xfjit_status() == XFJIT_OK);
        CHECK(constants[96][0] == 102 && constants[96][1] == 96 && constants[95][0] == 95);
        for (row = 0; row < 192; row++)
            CHECK(dirty[row] == (row == 96 && way < 2));
    }
    nv2a_vsh_program_destroy(&program);

    /* A temporary that nothing has set is zero; of twelve and more there are none. */
    set(&unset[0], NV2AOP_MUL, 0, NV2ART_CONTEXT, 5, NV2AWM_XYZW);
    unset[0].mac.inputs[1] = unset[0].mac.inputs[0];
    unset[0].mac.inputs[1].type = NV2ART_TEMPORARY;
    unset[0].mac.inputs[1].index = 4;
    set(&unset[1], NV2AOP_MOV, 0, NV2ART_TEMPORARY, 4, NV2AWM_XYZW);
    unset[1].is_final = true;
    program.steps = unset;
    for (way = 0; way < 200; way++) {
        state = nv2a_vsh_emu_initialize_xss_execution_state(&registers, constants[0]);
        registers.input_regs[0] = 7;
        constants[5][0] = 1;
        nv2a_vsh_emu_execute_track_context_writes(&state, &program, dirty);
        CHECK(nv2a_vsh_xfjit_status() == XFJIT_OK && constants[5][0] == 0 && dirty[5] && registers.temp_regs[16] == 7);
    }
    CHECK(nv2a_vsh_find(unset)->native[WITH_TEMPORARIES].program != NULL);
    /* It has been set now. */
    nv2a_vsh_emu_execute(&state, &program);
    CHECK(constants[5][0] == 49);
    unset[0].mac.inputs[1].index = 11;
    nv2a_vsh_emu_execute(&state, &program);
    CHECK(nv2a_vsh_xfjit_status() == XFJIT_OK && constants[5][0] == 0);
}

static void single_operations(void) {
    const float in[12] = {1, 2, -3, 4, 5, -6, 7, 8, 0.5f, 0.25f, 1, 2};
    const float four[4] = {4, 4, 4, 4}, low[4] = {-1.5f, 9, 9, 9}, nearly[4] = {2.9995f, 9, 9, 9};
    float out[4];
    static const struct {
        Nv2aVshCpuFunc function;
        float expected[4];
    } cases[] = {
        {nv2a_vsh_cpu_mov, {1, 2, -3, 4}}, {nv2a_vsh_cpu_mul, {5, -12, -21, 32}}, {nv2a_vsh_cpu_add, {6, -4, 4, 12}},
        {nv2a_vsh_cpu_mad, {5.5f, -11.75f, -20, 34}}, {nv2a_vsh_cpu_dp3, {-28, -28, -28, -28}}, {nv2a_vsh_cpu_dph, {-20, -20, -20, -20}},
        {nv2a_vsh_cpu_dp4, {4, 4, 4, 4}}, {nv2a_vsh_cpu_dst, {1, -12, -3, 8}}, {nv2a_vsh_cpu_min, {1, -6, -3, 4}},
        {nv2a_vsh_cpu_max, {5, 2, 7, 8}}, {nv2a_vsh_cpu_slt, {1, 0, 1, 1}}, {nv2a_vsh_cpu_sge, {0, 1, 0, 0}}};
    unsigned at;
    for (at = 0; at < sizeof cases / sizeof *cases; at++) {
        cases[at].function(out, in);
        CHECK(memcmp(out, cases[at].expected, 16) == 0);
    }
    nv2a_vsh_cpu_rcp(out, four);
    CHECK(out[0] == 0.25f && out[3] == 0.25f);
    nv2a_vsh_cpu_rcc(out, four);
    CHECK(out[0] == 0.25f && out[3] == 0.25f);
    nv2a_vsh_cpu_rsq(out, four);
    CHECK(out[0] == 0.5f && out[3] == 0.5f);
    nv2a_vsh_cpu_exp(out, four);
    CHECK(out[0] == 16 && out[1] == 0 && out[2] == 16 && out[3] == 1);
    nv2a_vsh_cpu_log(out, four);
    CHECK(out[0] == 2 && out[1] == 1 && out[2] == 2 && out[3] == 1);
    nv2a_vsh_cpu_lit(out, in);
    CHECK(out[0] == 1 && out[1] == 1 && out[2] > 15 && out[2] < 17 && out[3] == 1);
    nv2a_vsh_cpu_arl(out, low);
    CHECK(out[0] == -2 && out[3] == -2);
    nv2a_vsh_cpu_arl(out, nearly);
    CHECK(out[0] == 3 && out[1] == 3);
}

int main(void) {
    single_operations();
    fields_are_the_library_s();
    steps_do_what_their_words_do();
    programs_do_what_their_steps_do();
    what_is_no_program_is_refused();
    registers_are_the_caller_s();
    state_programs_write_the_caller_s_constants();
    nv2a_vsh_xfjit_release();
    state_programs_write_the_caller_s_constants(); /* all that is needed is made again */
    nv2a_vsh_xfjit_release();
    puts("fine");
    return 0;
}
