/* Words to steps. C99. */
#include "nv2a_vsh_slots.h"

#include <stdlib.h>
#include <string.h>

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
    unsigned which[3], count = nv2a_vsh_operands(scalar, opcode, which), at;
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

/* The program that this thread has parsed last: state programs are parsed each time that they are launched. */
static OF_THIS_THREAD struct {
    uint32_t count;
    uint32_t words[SLOTS][4];
    Nv2aVshStep steps[SLOTS];
} last;

Nv2aVshParseResult nv2a_vsh_parse_program(Nv2aVshProgram *out, const uint32_t *program, uint32_t program_size) {
    uint32_t count = 0, slot;
    out->steps = NULL;
    if (program_size % 4 != 0) return NV2AVPR_BAD_PROGRAM_SIZE;
    do {
        if (count >= program_size / 4 || count >= SLOTS) return NV2AVPR_BAD_PROGRAM;
    } while (!get(program + 4 * count++, END_BIT));
    if (last.count != count || memcmp(last.words, program, 16 * count) != 0) {
        last.count = 0;
        for (slot = 0; slot < count; slot++) {
            Nv2aVshParseResult result = nv2a_vsh_parse_step(&last.steps[slot], program + 4 * slot);
            if (result != NV2AVPR_SUCCESS) return result;
        }
        memcpy(last.words, program, 16 * count);
        last.count = count;
    }
    out->steps = (Nv2aVshStep *)malloc(count * sizeof *out->steps);
    if (out->steps == NULL) return NV2AVPR_BAD_PROGRAM;
    memcpy(out->steps, last.steps, count * sizeof *out->steps);
    return NV2AVPR_SUCCESS;
}

void nv2a_vsh_program_destroy(Nv2aVshProgram *program) {
    free(program->steps);
    program->steps = NULL;
}
