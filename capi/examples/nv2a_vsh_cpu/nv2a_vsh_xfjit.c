/* The interface of nv2a_vsh_cpu over xfjit.h: running. C99; compile the files of this directory with the emulator (but for
 * demo.c) and link xfjit instead of nv2a_vsh_cpu. */
#include "nv2a_vsh_xfjit.h"

#include <string.h>

#include "nv2a_vsh_known.h"

#define here nv2a_vsh_here

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

/* An address in the nine bits that Kelvin's register has. */
static int32_t limited_address_of(float value) {
    int32_t address = address_of(value);
    return address < -256 ? -256 : address > 255 ? 255 : address;
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

/* All of it in native code, or by whatever runs programs until there is some; false: it has to be stepped through. */
static bool run_whole(struct known *known, Nv2aVshExecutionState *state, unsigned with_temporaries) {
    const struct native *native = nv2a_vsh_native(known, with_temporaries);
    const void *in = state->input_regs;
    unsigned temps = state->output_regs == NULL ? TEMPS_OF_STATE_PROGRAMS : TEMPS, temporary, component;
    if (native->program == NULL) return false;
    if (state->output_regs == NULL) in = memcpy(here.in, in, 16); /* the other inputs are zero */
    here.status = xfjit_run_rows(native->program, here.worker, state->context_regs, ROWS, (uint8_t *)state->context_dirty, in, here.out, 1);
    if (here.status != XFJIT_OK) return true;
    store_outputs(known, state->output_regs, here.out);
    if (!with_temporaries) return true;
    for (temporary = 0; temporary < temps; temporary++)
        for (component = 0; component < 4 && known->written[temporary] != 0; component++)
            if (known->written[temporary] >> (3 - component) & 1)
                state->temp_regs[4 * temporary + component] = here.out[native->temporary_in[temporary]][component];
    if (known->writes_address) state->address_reg[0] = (float)limited_address_of(here.out[native->address_in][0]);
    return true;
}

void nv2a_vsh_emu_execute(Nv2aVshExecutionState *state, const Nv2aVshProgram *program) {
    struct known *known = nv2a_vsh_find(program->steps, false);
    if (known != NULL && !run_whole(known, state, WITH_TEMPORARIES)) step_through(known, state, true);
}

void nv2a_vsh_emu_apply(Nv2aVshExecutionState *state, const Nv2aVshStep *step) {
    const struct known *known = nv2a_vsh_find(step, true);
    if (known != NULL) step_through(known, state, true);
}

void nv2a_vsh_emu_execute_fast(Nv2aVshExecutionState *state, const Nv2aVshProgram *program) {
    struct known *known = nv2a_vsh_find(program->steps, false);
    if (known != NULL && !run_whole(known, state, WITHOUT_TEMPORARIES)) step_through(known, state, false);
}

int32_t nv2a_vsh_xfjit_status(void) { return here.status; }

int32_t nv2a_vsh_xfjit_record(uint64_t budget, int32_t (*take)(void *user, const void *bytes, size_t size), void *user) {
    if (nv2a_vsh_prepare() != XFJIT_OK) return here.status;
    return xfjit_worker_record(here.worker, budget, take, user);
}

int32_t nv2a_vsh_xfjit_record_end(void) { return here.worker == NULL ? XFJIT_OK : xfjit_worker_record_end(here.worker); }

void nv2a_vsh_xfjit_release(void) { nv2a_vsh_forget_all(); }
