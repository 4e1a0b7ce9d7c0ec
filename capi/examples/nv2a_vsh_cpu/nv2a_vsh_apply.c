/* One step on the registers of a state. C99. */
#include <string.h>

#include "nv2a_vsh_known.h"

static uint32_t inputs_of(const Nv2aVshExecutionState *state) { return state->output_regs == NULL ? 1 : INPUTS; }

static uint32_t outputs_of(const Nv2aVshExecutionState *state) { return state->output_regs == NULL ? 0 : OUTPUTS; }

uint32_t nv2a_vsh_temps_of(const Nv2aVshExecutionState *state) { return state->output_regs == NULL ? TEMPS_OF_STATE_PROGRAMS : TEMPS; }

/* The row of a constant, or ROWS: there is none. */
static uint32_t row_of(const Nv2aVshExecutionState *state, const Nv2aVshInput *input) {
    float address = input->is_relative ? state->address_reg[0] : 0;
    int64_t row = input->index;
    if (!(address > -1e6f && address < 1e6f)) return address == address ? (uint32_t)ROWS : input->index;
    row += (int32_t)address;
    return row >= 0 && row < ROWS ? (uint32_t)row : (uint32_t)ROWS;
}

/* Four floats. Registers that do not exist are zero. */
static const float *register_of(const Nv2aVshExecutionState *state, const Nv2aVshInput *input) {
    static const float zero[4];
    uint32_t row;
    switch (input->type) {
    case NV2ART_TEMPORARY:
        if (input->index == READ_BACK && state->output_regs != NULL) return state->output_regs;
        return input->index < nv2a_vsh_temps_of(state) ? &state->temp_regs[4 * input->index] : zero;
    case NV2ART_INPUT: return input->index < inputs_of(state) ? &state->input_regs[4 * input->index] : zero;
    case NV2ART_CONTEXT:
        row = row_of(state, input);
        return row < ROWS ? &state->context_regs[4 * row] : zero;
    default: return zero;
    }
}

/* Four floats, or null: nothing can be written there. */
static float *destination_of(Nv2aVshExecutionState *state, const Nv2aVshOutput *output) {
    switch (output->type) {
    case NV2ART_TEMPORARY: return output->index < nv2a_vsh_temps_of(state) ? &state->temp_regs[4 * output->index] : NULL;
    case NV2ART_OUTPUT: return output->index < outputs_of(state) ? &state->output_regs[4 * output->index] : NULL;
    case NV2ART_CONTEXT: return output->index < ROWS ? &state->context_regs[4 * output->index] : NULL;
    case NV2ART_ADDRESS: return state->address_reg;
    default: return NULL;
    }
}

/* The operands, and from them the result. */
static bool compute(const Nv2aVshExecutionState *state, const Nv2aVshOperation *operation, float *result) {
    float inputs[3][4];
    unsigned which[3], count = nv2a_vsh_operands(operation->opcode >= NV2AOP_RCP, operation->opcode, which), at, component;
    for (at = 0; at < count; at++) {
        const Nv2aVshInput *input = &operation->inputs[at];
        const float *from = register_of(state, input);
        for (component = 0; component < 4; component++) {
            float value = from[input->swizzle[component] & 3];
            inputs[at][component] = input->is_negated ? -value : value;
        }
    }
    return nv2a_vsh_operate(operation->opcode, result, inputs[0]);
}

static void write(Nv2aVshExecutionState *state, const Nv2aVshOperation *operation, const float *result, bool *dirty) {
    unsigned at, component;
    for (at = 0; at < 2; at++) {
        const Nv2aVshOutput *output = &operation->outputs[at];
        float *to = destination_of(state, output);
        if (to == NULL) continue;
        for (component = 0; component < 4; component++)
            if ((unsigned)output->writemask >> (3 - component) & 1) to[component] = result[component];
        if (output->type == NV2ART_CONTEXT && dirty != NULL) dirty[output->index] = true;
    }
}

bool nv2a_vsh_apply(Nv2aVshExecutionState *state, const Nv2aVshStep *step, bool *dirty) {
    bool vector = step->mac.opcode != NV2AOP_NOP, scalar = step->ilu.opcode != NV2AOP_NOP;
    float of_vector[4], of_scalar[4];
    /* Both units read before either writes. */
    if (vector && !compute(state, &step->mac, of_vector)) return false;
    if (scalar && !compute(state, &step->ilu, of_scalar)) return false;
    if (vector) write(state, &step->mac, of_vector, dirty);
    if (scalar) write(state, &step->ilu, of_scalar, dirty);
    return true;
}
