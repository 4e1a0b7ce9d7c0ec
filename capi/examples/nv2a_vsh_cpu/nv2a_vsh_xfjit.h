/* What nv2a_vsh_xfjit.c has beside the interface of nv2a_vsh_cpu. */
#ifndef NV2A_VSH_XFJIT_H
#define NV2A_VSH_XFJIT_H

#include "nv2a_vsh_emulator.h"

#ifdef __cplusplus
extern "C" {
#endif

/* As nv2a_vsh_emu_execute, but that temp_regs and address_reg are not written: outputs, constants and flags are the same. A
 * program that reads no temporary, and not A0, before it has written it, runs in native code when it has run often enough. */
void nv2a_vsh_emu_execute_fast(Nv2aVshExecutionState *state, const Nv2aVshProgram *program);

/* How the last call of this thread that runs something has ended: 0, or one of xfjit.h's statuses. After anything but 0 the
 * state is as it was. XFJIT_E_DECODE: steps that no microcode has, such as two input registers in one. */
int32_t nv2a_vsh_xfjit_status(void);

/* Ends what this thread holds: an engine, a worker, the programs that it has run. It is made again when it is needed. To be
 * called by each thread that has run something, at its end. */
void nv2a_vsh_xfjit_release(void);

#ifdef __cplusplus
}
#endif

#endif
