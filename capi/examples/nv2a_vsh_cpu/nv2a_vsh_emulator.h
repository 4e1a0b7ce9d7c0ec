/* Running programs. Names and layouts are those of the library nv2a_vsh_cpu; the text is xfjit's own. */
#ifndef NV2A_VSH_EMULATOR_H
#define NV2A_VSH_EMULATOR_H

#include "nv2a_vsh_emulator_execution_state.h"

#ifdef __cplusplus
extern "C" {
#endif

/* All steps, up to the one that is final. */
void nv2a_vsh_emu_execute(Nv2aVshExecutionState *state, const Nv2aVshProgram *program);

/* One step. */
void nv2a_vsh_emu_apply(Nv2aVshExecutionState *state, const Nv2aVshStep *step);

#ifdef __cplusplus
}
#endif

#endif
