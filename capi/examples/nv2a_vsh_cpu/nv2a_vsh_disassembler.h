/* Microcode as structures. Names and layouts are those of the library nv2a_vsh_cpu; the text is xfjit's own. */
#ifndef NV2A_VSH_DISASSEMBLER_H
#define NV2A_VSH_DISASSEMBLER_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The first fourteen are operations of the vector unit (MAC), in the order of its opcodes. NOP, MOV and the last six are
 * operations of the scalar unit (ILU). */
typedef enum Nv2aVshOpcode_ {
    NV2AOP_NOP = 0,
    NV2AOP_MOV,
    NV2AOP_MUL,
    NV2AOP_ADD,
    NV2AOP_MAD,
    NV2AOP_DP3,
    NV2AOP_DPH,
    NV2AOP_DP4,
    NV2AOP_DST,
    NV2AOP_MIN,
    NV2AOP_MAX,
    NV2AOP_SLT,
    NV2AOP_SGE,
    NV2AOP_ARL,
    NV2AOP_RCP,
    NV2AOP_RCC,
    NV2AOP_RSQ,
    NV2AOP_EXP,
    NV2AOP_LOG,
    NV2AOP_LIT
} Nv2aVshOpcode;

typedef enum Nv2aVshSwizzle_ { NV2ASW_X = 0, NV2ASW_Y, NV2ASW_Z, NV2ASW_W } Nv2aVshSwizzle;

/* Bits: x 8, y 4, z 2, w 1. */
typedef enum Nv2aVshWritemask_ {
    NV2AWM_W = 1,
    NV2AWM_Z,
    NV2AWM_ZW,
    NV2AWM_Y,
    NV2AWM_YW,
    NV2AWM_YZ,
    NV2AWM_YZW,
    NV2AWM_X,
    NV2AWM_XW,
    NV2AWM_XZ,
    NV2AWM_XZW,
    NV2AWM_XY,
    NV2AWM_XYW,
    NV2AWM_XYZ,
    NV2AWM_XYZW
} Nv2aVshWritemask;

typedef enum Nv2aVshRegisterType_ {
    NV2ART_NONE = 0, /* not used */
    NV2ART_TEMPORARY, /* r0 to r11; r12 reads o0; what is beyond reads as zero */
    NV2ART_INPUT,
    NV2ART_OUTPUT,
    NV2ART_CONTEXT, /* constants */
    NV2ART_ADDRESS /* A0 */
} Nv2aVshRegisterType;

typedef struct Nv2aVshOutput_ {
    Nv2aVshRegisterType type;
    uint32_t index;
    Nv2aVshWritemask writemask;
} Nv2aVshOutput;

typedef struct Nv2aVshInput_ {
    Nv2aVshRegisterType type;
    uint32_t index;
    uint8_t swizzle[4];
    bool is_negated;
    bool is_relative; /* A0 is added to the index */
} Nv2aVshInput;

/* Outputs and inputs are filled from the front; inputs are in the order in which the instruction is written, so that ADD has
 * two. */
typedef struct Nv2aVshOperation_ {
    Nv2aVshOpcode opcode;
    Nv2aVshOutput outputs[2];
    Nv2aVshInput inputs[3];
} Nv2aVshOperation;

typedef struct Nv2aVshStep_ {
    Nv2aVshOperation mac;
    Nv2aVshOperation ilu;
    bool is_final;
} Nv2aVshStep;

typedef struct Nv2aVshProgram_ {
    Nv2aVshStep *steps; /* one for each slot that was parsed; it runs from the first to one that is final */
} Nv2aVshProgram;

typedef enum Nv2aVshParseResult_ {
    NV2AVPR_SUCCESS = 0,
    NV2AVPR_BAD_OUTPUT, /* there is no program to parse into */
    NV2AVPR_BAD_PROGRAM, /* there are no words */
    NV2AVPR_BAD_PROGRAM_SIZE, /* no slots, or more than the chip has, which are 136 */
    NV2AVPR_ARL_CONFLICT, /* ARL's result is to go to a register as well */
    NV2AVPR_BAD_MAC_OPCODE,
    NV2AVPR_BAD_ILU_OPCODE /* never: the scalar unit has an operation for each code */
} Nv2aVshParseResult;

/* Frees the steps. Both the program and its steps may be null. */
void nv2a_vsh_program_destroy(Nv2aVshProgram *program);

/* One slot: four words, the first word first. ARL has an empty mask, as in the library: such a step does not change A0. Set x of
 * the mask if the step is to write A0. Registers that do not exist are not an error; nothing is written to them. */
Nv2aVshParseResult nv2a_vsh_parse_step(Nv2aVshStep *out, const uint32_t *token);

/* Parses all of program_slots slots, whichever are final. To run from a later step on, make a program whose steps begin there.
 * After an error there are no steps. */
Nv2aVshParseResult nv2a_vsh_parse_program(Nv2aVshProgram *out, const uint32_t *program, uint32_t program_slots);

#ifdef __cplusplus
}
#endif

#endif
