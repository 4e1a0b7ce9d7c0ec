/* Running programs. Names and layouts are those of the library nv2a_vsh_cpu; the text is xfjit's own. */
#ifndef NV2A_VSH_EMULATOR_H
#define NV2A_VSH_EMULATOR_H

#include "nv2a_vsh_emulator_execution_state.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Runs all steps, from the first up to one that is final. If none of 136 steps is final, nothing happens. */
void nv2a_vsh_emu_execute(Nv2aVshExecutionState *state, const Nv2aVshProgram *program);

/* As nv2a_vsh_emu_execute. It also sets the flags, one of 192, of the constants that it writes. */
void nv2a_vsh_emu_execute_track_context_writes(Nv2aVshExecutionState *state, const Nv2aVshProgram *program, bool *context_dirty);

/* Runs one step, whether it is final or not. */
void nv2a_vsh_emu_apply(Nv2aVshExecutionState *state, const Nv2aVshStep *step);

#ifdef __cplusplus
}
#endif

#endif
