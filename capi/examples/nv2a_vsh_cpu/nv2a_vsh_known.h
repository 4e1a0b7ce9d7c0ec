/* What a thread of nv2a_vsh_xfjit has: an engine, a worker, and what it knows of the programs that it has run last. For its own
 * files. */
#ifndef NV2A_VSH_KNOWN_H
#define NV2A_VSH_KNOWN_H

#include "nv2a_vsh_emulator_execution_state.h"
#include "nv2a_vsh_slots.h"
#include "xfjit.h"

enum { KNOWN = 32, WITHOUT_TEMPORARIES = 0, WITH_TEMPORARIES = 1, NO_OUTPUT = 255 };

/* A program as it runs natively. */
struct native {
    bool is_made;
    const xfjit_program *program; /* null: it cannot be run so */
    uint8_t temporary_in[TEMPS]; /* the output that has it in the end, or NO_OUTPUT */
    uint8_t address_in; /* the output that has in x what A0 was made of */
};

/* Masks have x as 8. */
struct known {
    const Nv2aVshStep *at; /* where its steps lay; null: nothing is known */
    uint32_t count;
    Nv2aVshStep *steps; /* a copy */
    uint8_t written[READ_BACK + 1]; /* the components of temporaries that it writes; of o0 behind them */
    uint8_t unset[READ_BACK + 1]; /* those that it reads before it has written them */
    uint8_t outputs[OUTPUTS]; /* the components of outputs that it writes */
    uint8_t address_mask; /* the components of A0 that it writes, the same in each step that does */
    bool unset_address; /* it reads A0 before it has written it */
    bool steps_only; /* it cannot run but step by step */
    uint32_t last_arl; /* the step that writes A0 last */
    struct native native[2];
};

struct nv2a_vsh_thread {
    xfjit_config config;
    xfjit_engine *engine;
    xfjit_worker *worker;
    xfjit_status status;
    float in[INPUTS][4], out[ALL_OUTPUTS][4];
    struct known known[KNOWN];
};

extern OF_THIS_THREAD struct nv2a_vsh_thread nv2a_vsh_here;

/* Sets the configuration. */
xfjit_status nv2a_vsh_configure(void);

/* Makes the engine and the worker, if they are not there. */
xfjit_status nv2a_vsh_prepare(void);

/* What is known of steps from this one on, or null, and nv2a_vsh_here.status tells why. */
struct known *nv2a_vsh_find(const Nv2aVshStep *steps);

/* It as a native program, which has temporaries and A0 in outputs in the end if they are wanted. Its program is null if that
 * cannot be: no microcode does what its steps do, or there are not outputs or slots enough. */
const struct native *nv2a_vsh_native(struct known *known, unsigned with_temporaries);

/* What an operation makes of one to three operands of four floats, as its instruction has them. False: nv2a_vsh_here.status tells
 * why there is no result. */
bool nv2a_vsh_operate(Nv2aVshOpcode opcode, float *out, const float *inputs);

/* What ARL makes of a number. */
float nv2a_vsh_address(float value);

/* One step on the registers of a state, with flags of constants or without (null). False as above; nothing has changed then. */
bool nv2a_vsh_apply(Nv2aVshExecutionState *state, const Nv2aVshStep *step, bool *dirty);

/* How many temporaries a state has. */
uint32_t nv2a_vsh_temps_of(const Nv2aVshExecutionState *state);

/* Ends everything. */
void nv2a_vsh_forget_all(void);

#endif
