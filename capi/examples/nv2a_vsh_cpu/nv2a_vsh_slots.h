/* Slots of microcode as nv2a_vsh_xfjit sees them: fields (docs/isa/kelvin.md), and steps as words. For its own files. */
#ifndef NV2A_VSH_SLOTS_H
#define NV2A_VSH_SLOTS_H

#include "nv2a_vsh_disassembler.h"

#if defined _MSC_VER
#define OF_THIS_THREAD __declspec(thread)
#else
#define OF_THIS_THREAD __thread
#endif

enum { SLOTS = 136, ROWS = 192, INPUTS = 16, OUTPUTS = 13, TEMPS = 12, TEMPS_OF_STATE_PROGRAMS = 11, READ_BACK = 12, ALL_OUTPUTS = 16 };

/* Where they begin, bit 0 being the lowest of the last word, and how many bits they have. */
#define END_BIT 0, 1
#define INDEXED 1, 1
#define FROM_SCALAR 2, 1
#define OUT_ADDRESS 3, 8
#define OUT_BUFFER 11, 1
#define OUT_MASK 12, 4
#define SCALAR_MASK 16, 4
#define TEMPORARY 20, 4
#define VECTOR_MASK 24, 4
#define INPUT 73, 4
#define CONSTANT 77, 8
#define VECTOR_OPCODE 85, 4
#define SCALAR_OPCODE 89, 3
#define SOURCE(operand) 58 - 15 * (operand), 15

enum { NOWHERE = 255, MUX_TEMPORARY = 1, MUX_INPUT = 2, MUX_CONSTANT = 3, UNREAD = 0x1b << 6 | MUX_INPUT, NO_TEMPORARY = 7 };

static inline uint32_t get(const uint32_t *words, unsigned low, unsigned width) {
    uint64_t bits = words[3 - low / 32];
    if (low % 32 + width > 32) bits |= (uint64_t)words[2 - low / 32] << 32;
    return (uint32_t)(bits >> low % 32) & ((1u << width) - 1);
}

/* Sets a field that is zero. */
static inline void put(uint32_t *words, unsigned low, unsigned width, uint32_t value) {
    uint64_t bits = (uint64_t)value << low % 32;
    words[3 - low / 32] |= (uint32_t)bits;
    if (low % 32 + width > 32) words[2 - low / 32] |= (uint32_t)(bits >> 32);
}

/* Which of a slot's three operands an operation's inputs are; how many it has. */
unsigned nv2a_vsh_operands(bool scalar, Nv2aVshOpcode opcode, unsigned which[3]);

/* The scalar unit's opcode of an operation, or 8. */
uint32_t nv2a_vsh_scalar_code(Nv2aVshOpcode opcode);

/* The words of a step that do what it does, or false: there are none. */
bool nv2a_vsh_encode(uint32_t *words, const Nv2aVshStep *step, bool is_final);

/* The words of MOV to the components in a mask of any of the chip's outputs, or false. */
bool nv2a_vsh_encode_read(uint32_t *words, const Nv2aVshInput *input, unsigned output, uint32_t mask, bool is_final);

#endif
