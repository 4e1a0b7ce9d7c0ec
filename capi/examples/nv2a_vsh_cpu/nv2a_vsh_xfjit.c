/* The interface of nv2a_vsh_cpu over xfjit.h: functions that run programs. C99. Compile the files of this directory with the
 * emulator (except demo.c), and link xfjit instead of nv2a_vsh_cpu. */
#include "nv2a_vsh_xfjit.h"

#include <string.h>

#include "nv2a_vsh_known.h"

#define here nv2a_vsh_here

Nv2aVshExecutionState nv2a_vsh_emu_initialize_full_execution_state(Nv2aVshCPUFullExecutionState *state) {
    Nv2aVshExecutionState made = {state->input_regs, state->output_regs, state->temp_regs, state->context_regs, state->address_reg, NULL};
    memset(state, 0, sizeof *state);
    return made;
}

Nv2aVshExecutionState nv2a_vsh_emu_initialize_xss_execution_state(Nv2aVshCPUXVSSExecutionState *state, float *context_regs) {
    Nv2aVshExecutionState made = {state->input_regs, NULL, state->temp_regs, context_regs, state->address_reg, NULL};
    memset(state, 0, sizeof *state);
    state->context_regs = context_regs;
    return made;
}

/* The components in a mask that has x as 8. */
static void store(float *to, const float *from, unsigned mask) {
    unsigned component;
    for (component = 0; component < 4; component++)
        if (mask >> (3 - component) & 1) memcpy(&to[component], &from[component], 4);
}

/* Whether a program finds what native code begins with, zero, where it reads what it has not written, and writes nothing that the
 * state has not. */
static bool begins_anew(const struct known *known, const Nv2aVshExecutionState *state) {
    static const float zero[4];
    unsigned temporary, component;
    for (temporary = 0; temporary < TEMPS; temporary++) {
        if (known->unset[temporary] == 0) continue;
        if (temporary >= nv2a_vsh_temps_of(state)) return false;
        for (component = 0; component < 4; component++)
            if (known->unset[temporary] >> (3 - component) & 1 && memcmp(&state->temp_regs[4 * temporary + component], zero, 4) != 0) return false;
    }
    if (known->unset_address && !(state->address_reg[0] > -1 && state->address_reg[0] < 1)) return false;
    return state->output_regs != NULL || (known->written[TEMPS_OF_STATE_PROGRAMS] == 0 && known->written[READ_BACK] == 0);
}

/* All of it in native code, or by whatever runs programs until there is some; false: it has to be stepped through. */
static bool run_whole(struct known *known, Nv2aVshExecutionState *state, bool *dirty, unsigned with_temporaries) {
    const struct native *native = begins_anew(known, state) ? nv2a_vsh_native(known, with_temporaries) : NULL;
    const void *in = state->input_regs;
    unsigned at, component;
    if (native == NULL || native->program == NULL) return false;
    if (state->output_regs == NULL) in = memcpy(here.in, in, 16); /* the other inputs are zero */
    here.status = xfjit_run_rows(native->program, here.worker, state->context_regs, ROWS, (uint8_t *)dirty, in, here.out, 1);
    if (here.status != XFJIT_OK) return true;
    for (at = 0; at < OUTPUTS && state->output_regs != NULL; at++)
        store(&state->output_regs[4 * at], here.out[at], known->outputs[at]);
    for (at = 0; at < TEMPS && with_temporaries; at++)
        if (known->written[at] != 0) store(&state->temp_regs[4 * at], here.out[native->temporary_in[at]], known->written[at]);
    if (!with_temporaries || known->address_mask == 0) return true;
    for (component = 0; component < 4; component++)
        if (known->address_mask >> (3 - component) & 1) state->address_reg[component] = nv2a_vsh_address(here.out[native->address_in][0]);
    return true;
}

static void execute(Nv2aVshExecutionState *state, const Nv2aVshProgram *program, bool *dirty, unsigned with_temporaries) {
    struct known *known = nv2a_vsh_find(program->steps);
    uint32_t step;
    if (known == NULL || run_whole(known, state, dirty, with_temporaries)) return;
    here.status = XFJIT_OK;
    for (step = 0; step < known->count; step++)
        if (!nv2a_vsh_apply(state, &program->steps[step], dirty)) return;
}

void nv2a_vsh_emu_execute(Nv2aVshExecutionState *state, const Nv2aVshProgram *program) { execute(state, program, NULL, WITH_TEMPORARIES); }

void nv2a_vsh_emu_execute_track_context_writes(Nv2aVshExecutionState *state, const Nv2aVshProgram *program, bool *context_dirty) {
    execute(state, program, context_dirty, WITH_TEMPORARIES);
}

void nv2a_vsh_emu_execute_fast(Nv2aVshExecutionState *state, const Nv2aVshProgram *program, bool *context_dirty) {
    execute(state, program, context_dirty, WITHOUT_TEMPORARIES);
}

void nv2a_vsh_emu_apply(Nv2aVshExecutionState *state, const Nv2aVshStep *step) {
    here.status = XFJIT_OK;
    (void)nv2a_vsh_apply(state, step, NULL);
}

int32_t nv2a_vsh_xfjit_status(void) { return here.status; }

int32_t nv2a_vsh_xfjit_record(uint64_t budget, int32_t (*take)(void *user, const void *bytes, size_t size), void *user) {
    if (nv2a_vsh_prepare() != XFJIT_OK) return here.status;
    return xfjit_worker_record(here.worker, budget, take, user);
}

int32_t nv2a_vsh_xfjit_record_end(void) { return here.worker == NULL ? XFJIT_OK : xfjit_worker_record_end(here.worker); }

void nv2a_vsh_xfjit_release(void) { nv2a_vsh_forget_all(); }
