/* Steps to words: the microcode that does what steps do, which is what xfjit runs. C99. */
#include "nv2a_vsh_slots.h"

#include <string.h>

unsigned nv2a_vsh_operands(bool scalar, Nv2aVshOpcode opcode, unsigned which[3]) {
    which[0] = scalar ? 2 : 0;
    which[1] = opcode == NV2AOP_ADD ? 2 : 1;
    which[2] = 2;
    if (opcode == NV2AOP_NOP) return 0;
    if (scalar || opcode == NV2AOP_MOV || opcode == NV2AOP_ARL) return 1;
    return opcode == NV2AOP_MAD ? 3 : 2;
}

uint32_t nv2a_vsh_scalar_code(Nv2aVshOpcode opcode) {
    if (opcode == NV2AOP_NOP || opcode == NV2AOP_MOV) return (uint32_t)opcode;
    return opcode >= NV2AOP_RCP && opcode <= NV2AOP_LIT ? (uint32_t)opcode - NV2AOP_RCP + 2 : 8;
}

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

static bool encode_output(uint32_t *words, const Nv2aVshOpcode *opcodes, bool scalar, const Nv2aVshOutput *output, struct shared *shared) {
    uint32_t mask = (uint32_t)output->writemask;
    if (output->type == NV2ART_NONE) return true;
    if (mask == 0 || mask > 15) return false;
    if ((output->type == NV2ART_ADDRESS) != (opcodes[scalar] == NV2AOP_ARL)) return false;
    switch (output->type) {
    case NV2ART_ADDRESS: return (mask & NV2AWM_X) != 0;
    case NV2ART_TEMPORARY:
        if (output->index >= TEMPS || (scalar ? get(words, SCALAR_MASK) : get(words, VECTOR_MASK)) != 0) return false;
        if (scalar && opcodes[0] != NV2AOP_NOP) {
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

static void put_sources(uint32_t *words, const struct shared *shared) {
    unsigned at;
    for (at = 0; at < 3; at++)
        put(words, SOURCE(at), shared->source[at] < 0 ? (uint32_t)UNREAD : (uint32_t)shared->source[at]);
    if (shared->input >= 0) put(words, INPUT, (uint32_t)shared->input);
    if (shared->constant >= 0) put(words, CONSTANT, (uint32_t)shared->constant);
    if (shared->relative > 0) put(words, INDEXED, 1);
}

/* What an operation is if nothing is left of it: parsed ARLs write nothing. */
static Nv2aVshOpcode opcode_of(const Nv2aVshOperation *operation) {
    unsigned at;
    for (at = 0; at < 2; at++) {
        const Nv2aVshOutput *output = &operation->outputs[at];
        if (output->type == NV2ART_CONTEXT || (output->type != NV2ART_NONE && output->writemask != 0)) return operation->opcode;
    }
    return NV2AOP_NOP;
}

bool nv2a_vsh_encode(uint32_t *words, const Nv2aVshStep *step, bool is_final) {
    struct shared shared = {{-1, -1, -1}, -1, -1, -1, -1, -1};
    const Nv2aVshOpcode opcodes[2] = {opcode_of(&step->mac), opcode_of(&step->ilu)};
    unsigned unit, at, which[3];
    memset(words, 0, 16);
    if ((uint32_t)opcodes[0] > NV2AOP_ARL || nv2a_vsh_scalar_code(opcodes[1]) > 7) return false;
    for (unit = 0; unit < 2; unit++) {
        const Nv2aVshOperation *operation = unit ? &step->ilu : &step->mac;
        unsigned count = nv2a_vsh_operands(unit != 0, opcodes[unit], which);
        for (at = 0; at < count; at++)
            if (!encode_input(&operation->inputs[at], which[at], &shared)) return false;
        for (at = 0; at < 2 && opcodes[unit] != NV2AOP_NOP; at++)
            if (!encode_output(words, opcodes, unit != 0, &operation->outputs[at], &shared)) return false;
    }
    put_sources(words, &shared);
    put(words, TEMPORARY, shared.temporary < 0 ? (uint32_t)NO_TEMPORARY : (uint32_t)shared.temporary);
    if (shared.port < 0) {
        put(words, OUT_BUFFER, 1);
        put(words, OUT_ADDRESS, NOWHERE);
    }
    put(words, VECTOR_OPCODE, (uint32_t)opcodes[0]);
    put(words, SCALAR_OPCODE, nv2a_vsh_scalar_code(opcodes[1]));
    put(words, END_BIT, is_final);
    return true;
}

bool nv2a_vsh_encode_read(uint32_t *words, const Nv2aVshInput *input, unsigned output, uint32_t mask, bool is_final) {
    struct shared shared = {{-1, -1, -1}, -1, -1, -1, -1, -1};
    memset(words, 0, 16);
    if (!encode_input(input, 0, &shared)) return false;
    put_sources(words, &shared);
    put(words, TEMPORARY, NO_TEMPORARY);
    put(words, OUT_BUFFER, 1);
    put(words, OUT_ADDRESS, output);
    put(words, OUT_MASK, mask);
    put(words, VECTOR_OPCODE, NV2AOP_MOV);
    put(words, END_BIT, is_final);
    return true;
}
