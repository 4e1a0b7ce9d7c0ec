/* Words to steps. C99. */
#include "nv2a_vsh_slots.h"

#include <stdlib.h>
#include <string.h>

/* A scalar operation of one number reads x alone, in all components. */
static bool reads_x_alone(Nv2aVshOpcode opcode) { return opcode >= NV2AOP_RCP && opcode <= NV2AOP_LOG; }

static void parse_input(Nv2aVshInput *input, const uint32_t *words, unsigned operand) {
    static const Nv2aVshRegisterType types[] = {NV2ART_NONE, NV2ART_TEMPORARY, NV2ART_INPUT, NV2ART_CONTEXT};
    uint32_t source = get(words, SOURCE(operand));
    unsigned at;
    input->type = types[source & 3];
    if (input->type == NV2ART_NONE) return;
    for (at = 0; at < 4; at++)
        input->swizzle[at] = (uint8_t)(source >> (12 - 2 * at) & 3);
    input->is_negated = source >> 14 != 0;
    if (input->type == NV2ART_TEMPORARY) input->index = source >> 2 & 15;
    if (input->type == NV2ART_INPUT) input->index = get(words, INPUT);
    if (input->type != NV2ART_CONTEXT) return;
    input->index = get(words, CONSTANT);
    input->is_relative = get(words, INDEXED) != 0;
}

static void parse_operation(Nv2aVshOperation *operation, const uint32_t *words, bool scalar, Nv2aVshOpcode opcode) {
    unsigned which[3], count = nv2a_vsh_operands(scalar, opcode, which), at;
    operation->opcode = opcode;
    for (at = 0; at < count; at++)
        parse_input(&operation->inputs[at], words, which[at]);
    for (at = 1; at < 4 && reads_x_alone(opcode); at++)
        operation->inputs[0].swizzle[at] = operation->inputs[0].swizzle[0];
}

static void add_output(Nv2aVshOperation *operation, Nv2aVshRegisterType type, uint32_t index, uint32_t mask) {
    Nv2aVshOutput *output = &operation->outputs[operation->outputs[0].type != NV2ART_NONE];
    if (mask == 0) return;
    output->type = type;
    output->index = index;
    output->writemask = (Nv2aVshWritemask)mask;
}

Nv2aVshParseResult nv2a_vsh_parse_step(Nv2aVshStep *out, const uint32_t *token) {
    uint32_t vector = get(token, VECTOR_OPCODE), scalar = get(token, SCALAR_OPCODE);
    memset(out, 0, sizeof *out);
    out->is_final = get(token, END_BIT) != 0;
    if (vector > NV2AOP_ARL) return NV2AVPR_BAD_MAC_OPCODE;
    if (vector == 0 && scalar == 0) return NV2AVPR_SUCCESS;
    parse_operation(&out->mac, token, false, (Nv2aVshOpcode)vector);
    parse_operation(&out->ilu, token, true, (Nv2aVshOpcode)(scalar < 2 ? scalar : scalar - 2 + NV2AOP_RCP));
    add_output(&out->mac, NV2ART_TEMPORARY, get(token, TEMPORARY), get(token, VECTOR_MASK));
    add_output(&out->ilu, NV2ART_TEMPORARY, vector != 0 ? 1 : get(token, TEMPORARY), get(token, SCALAR_MASK));
    add_output(get(token, FROM_SCALAR) ? &out->ilu : &out->mac, get(token, OUT_BUFFER) ? NV2ART_OUTPUT : NV2ART_CONTEXT, get(token, OUT_ADDRESS),
        get(token, OUT_MASK));
    if (vector != NV2AOP_ARL) return NV2AVPR_SUCCESS;
    if (out->mac.outputs[0].type != NV2ART_NONE) return NV2AVPR_ARL_CONFLICT;
    out->mac.outputs[0].type = NV2ART_ADDRESS;
    return NV2AVPR_SUCCESS;
}

/* The program that this thread has parsed last: state programs are parsed each time that they are launched. */
static OF_THIS_THREAD struct {
    uint32_t count;
    uint32_t words[SLOTS][4];
    Nv2aVshStep steps[SLOTS];
} last;

Nv2aVshParseResult nv2a_vsh_parse_program(Nv2aVshProgram *out, const uint32_t *program, uint32_t program_slots) {
    uint32_t slot;
    if (out == NULL) return NV2AVPR_BAD_OUTPUT;
    out->steps = NULL;
    if (program_slots == 0 || program_slots > SLOTS) return NV2AVPR_BAD_PROGRAM_SIZE;
    if (program == NULL) return NV2AVPR_BAD_PROGRAM;
    if (last.count != program_slots || memcmp(last.words, program, 16 * program_slots) != 0) {
        last.count = 0;
        for (slot = 0; slot < program_slots; slot++) {
            Nv2aVshParseResult result = nv2a_vsh_parse_step(&last.steps[slot], program + 4 * slot);
            if (result != NV2AVPR_SUCCESS) return result;
        }
        memcpy(last.words, program, 16 * program_slots);
        last.count = program_slots;
    }
    out->steps = (Nv2aVshStep *)malloc(program_slots * sizeof *out->steps);
    if (out->steps == NULL) return NV2AVPR_BAD_PROGRAM;
    memcpy(out->steps, last.steps, program_slots * sizeof *out->steps);
    return NV2AVPR_SUCCESS;
}

void nv2a_vsh_program_destroy(Nv2aVshProgram *program) {
    if (program == NULL) return;
    free(program->steps);
    program->steps = NULL;
}
