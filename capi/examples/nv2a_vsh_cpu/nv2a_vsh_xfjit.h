/* What nv2a_vsh_xfjit.c adds to the interface of nv2a_vsh_cpu. */
#ifndef NV2A_VSH_XFJIT_H
#define NV2A_VSH_XFJIT_H

#include <stddef.h>
#include <stdint.h>

#include "nv2a_vsh_emulator.h"

#ifdef __cplusplus
extern "C" {
#endif

/* As nv2a_vsh_emu_execute_track_context_writes, for who does not look at temp_regs and address_reg afterwards: they may be written
 * or not. The flags may be missing (null). Outputs and constants are the same, and it is faster. */
void nv2a_vsh_emu_execute_fast(Nv2aVshExecutionState *state, const Nv2aVshProgram *program, bool *context_dirty);

/* How the last call of this thread that runs something has ended: 0, or one of xfjit.h's statuses. XFJIT_E_DECODE: none of 136
 * steps is final; XFJIT_E_ARGUMENT: an operation that neither unit has. The step that could not be done has changed nothing, nor
 * have those behind it. */
int32_t nv2a_vsh_xfjit_status(void);

/* Records what this thread runs as whole programs from now on, at most `budget` bytes: `take` is handed bytes of a capture, and a
 * null pointer at its end (xfjit.h, "Recording"). Steps that run one by one are not in it. 0, or a status. */
int32_t nv2a_vsh_xfjit_record(uint64_t budget, int32_t (*take)(void *user, const void *bytes, size_t size), void *user);

/* Ends the recording, if one is in progress. Returns 0, or a status. */
int32_t nv2a_vsh_xfjit_record_end(void);

/* Ends what this thread holds: an engine, a worker, the programs that it has run. It is made again when it is needed. To be
 * called by each thread that has run something, at its end. */
void nv2a_vsh_xfjit_release(void);

#ifdef __cplusplus
}
#endif

#endif
