/* Registers that programs run on. Names and layouts are those of the library nv2a_vsh_cpu; the text is xfjit's own. */
#ifndef NV2A_VSH_EMULATOR_EXECUTION_STATE_H
#define NV2A_VSH_EMULATOR_EXECUTION_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "nv2a_vsh_cpu.h"
#include "nv2a_vsh_disassembler.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum Nv2aVshOutputRegisterName_ {
    NV2AOR_POS = 0,
    NV2AOR_DIFFUSE = 3,
    NV2AOR_SPECULAR = 4,
    NV2AOR_FOG_COORD = 5,
    NV2AOR_POINT_SIZE = 6,
    NV2AOR_BACK_DIFFUSE = 7,
    NV2AOR_BACK_SPECULAR = 8,
    NV2AOR_TEX0 = 9,
    NV2AOR_TEX1 = 10,
    NV2AOR_TEX2 = 11,
    NV2AOR_TEX3 = 12
} Nv2aVshOutputRegisterName;

/* The places of the registers, four floats each. If output_regs is null, this is the state of a state program: it has only
 * input 0, the other inputs read as zero, and it does not include r11. */
typedef struct Nv2aVshExecutionState_ {
    float *input_regs; /* v0 to v15 */
    float *output_regs; /* o0 to o12 */
    float *temp_regs; /* r0 to r11 */
    float *context_regs; /* c0 to c191 */
    float *address_reg; /* A0 is its x */
    bool *context_dirty; /* not looked at, as in the library; nv2a_vsh_emu_execute_track_context_writes has flags */
} Nv2aVshExecutionState;

typedef struct Nv2aVshCPUFullExecutionState_ {
    float input_regs[16 * 4];
    float output_regs[13 * 4];
    float temp_regs[12 * 4];
    float context_regs[192 * 4];
    float address_reg[4];
} Nv2aVshCPUFullExecutionState;

/* For state programs. */
typedef struct Nv2aVshCPUXVSSExecutionState_ {
    float input_regs[1 * 4];
    float *output_regs; /* null: they have none */
    float temp_regs[11 * 4];
    float *context_regs;
    float address_reg[4];
} Nv2aVshCPUXVSSExecutionState;

/* Returns a state of these registers, and sets all of them to zero. */
Nv2aVshExecutionState nv2a_vsh_emu_initialize_full_execution_state(Nv2aVshCPUFullExecutionState *state);

/* Returns a state of these registers, which it sets to zero, and of the caller's 192 constants, which stay unchanged. */
Nv2aVshExecutionState nv2a_vsh_emu_initialize_xss_execution_state(Nv2aVshCPUXVSSExecutionState *state, float *context_regs);

#ifdef __cplusplus
}
#endif

#endif
