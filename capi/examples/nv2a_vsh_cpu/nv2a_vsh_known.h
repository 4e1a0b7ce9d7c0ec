/* What a thread of nv2a_vsh_xfjit has: an engine, a worker, and what it knows of the programs that it has run last. For its own
 * files. */
#ifndef NV2A_VSH_KNOWN_H
#define NV2A_VSH_KNOWN_H

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

struct known {
    const Nv2aVshStep *at; /* where its steps lay; null: nothing is known */
    bool single; /* one step, final or not */
    bool alone; /* reads nothing that other programs have left in temporaries, A0 and o0 */
    bool writes_address;
    uint32_t last_arl; /* the step that writes A0 last */
    uint32_t written[READ_BACK + 1]; /* the components of temporaries that it writes */
    uint32_t count;
    Nv2aVshStep *steps; /* a copy */
    const xfjit_program *program;
    xfjit_info info;
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

/* The program of steps, or null, and nv2a_vsh_here.status tells why. */
struct known *nv2a_vsh_find(const Nv2aVshStep *steps, bool single);

/* It as a native program, which has temporaries and A0 in outputs in the end if they are wanted. Its program is null if that
 * cannot be: it reads what others have left, or there are not outputs or slots enough. */
const struct native *nv2a_vsh_native(struct known *known, unsigned with_temporaries);

/* Ends everything. */
void nv2a_vsh_forget_all(void);

#endif
