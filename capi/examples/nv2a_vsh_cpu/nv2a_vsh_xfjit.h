/* What nv2a_vsh_xfjit.c adds to the interface of nv2a_vsh_cpu. */
#ifndef NV2A_VSH_XFJIT_H
#define NV2A_VSH_XFJIT_H

#include <stddef.h>
#include <stdint.h>

#include "nv2a_vsh_emulator.h"

#ifdef __cplusplus
extern "C" {
#endif

/* As nv2a_vsh_emu_execute_track_context_writes, but faster, for callers that do not look at temp_regs and address_reg
 * afterwards: the function may leave these unwritten. The flags may be null. Outputs and constants are the same. */
void nv2a_vsh_emu_execute_fast(Nv2aVshExecutionState *state, const Nv2aVshProgram *program, bool *context_dirty);

/* Returns how the last call of this thread that runs something has ended: 0, or one of xfjit.h's statuses. XFJIT_E_DECODE: none
 * of 136 steps is final. XFJIT_E_ARGUMENT: neither unit has the operation. The step that could not be done has changed nothing,
 * nor have those after it. */
int32_t nv2a_vsh_xfjit_status(void);

/* Records what this thread runs as whole programs from now on, at most `budget` bytes: `take` receives the bytes of a capture,
 * and a null pointer at its end (xfjit.h, "Recording"). The capture does not contain steps that run one by one. Returns 0, or a
 * status. */
int32_t nv2a_vsh_xfjit_record(uint64_t budget, int32_t (*take)(void *user, const void *bytes, size_t size), void *user);

/* Ends the recording, if one is in progress. Returns 0, or a status. */
int32_t nv2a_vsh_xfjit_record_end(void);

/* Releases what this thread holds: an engine, a worker, the programs that it has run. The thread creates them again when it
 * needs them. Each thread that has run something should call this at its end. */
void nv2a_vsh_xfjit_release(void);

#ifdef __cplusplus
}
#endif

#endif
