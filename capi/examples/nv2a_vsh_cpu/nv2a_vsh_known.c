/* The programs that are known. Each thread that runs something has an engine, a worker and the programs that it has run last,
 * until it calls nv2a_vsh_xfjit_release. Threads share nothing, so nothing is locked. A program is found by the address of its
 * steps, and the steps are compared with a copy each time. So the caller may change, copy or free them, or enter them in the
 * middle. C99. */
#include "nv2a_vsh_known.h"

#include <stdlib.h>
#include <string.h>

OF_THIS_THREAD struct nv2a_vsh_thread nv2a_vsh_here;

static void forget(struct known *known) {
    if (known->at == NULL) return;
    (void)xfjit_program_unref(known->native[0].program);
    (void)xfjit_program_unref(known->native[1].program);
    free(known->steps);
    memset(known, 0, sizeof *known);
}

/* The components that an operation reads of an input, before the swizzle, as a mask with x as 8. */
static uint32_t components(const Nv2aVshOperation *operation, unsigned input) {
    switch (operation->opcode) {
    case NV2AOP_DP3: return NV2AWM_XYZ;
    case NV2AOP_DPH: return input == 0 ? NV2AWM_XYZ : NV2AWM_XYZW;
    case NV2AOP_DP4: return NV2AWM_XYZW;
    case NV2AOP_DST: return input == 0 ? NV2AWM_YZ : NV2AWM_YW;
    case NV2AOP_LIT: return NV2AWM_XYW;
    case NV2AOP_ARL: case NV2AOP_RCP: case NV2AOP_RCC: case NV2AOP_RSQ: case NV2AOP_EXP: case NV2AOP_LOG: return NV2AWM_X;
    default: return (uint32_t)operation->outputs[0].writemask | (uint32_t)operation->outputs[1].writemask;
    }
}

static void look_at_reads(struct known *known, const Nv2aVshOperation *operation) {
    unsigned which[3], count = nv2a_vsh_operands(operation->opcode >= NV2AOP_RCP, operation->opcode, which), at, component;
    for (at = 0; at < count; at++) {
        const Nv2aVshInput *input = &operation->inputs[at];
        uint32_t read = components(operation, at);
        if (input->type == NV2ART_CONTEXT && input->is_relative && known->address_mask == 0) known->unset_address = true;
        if (input->type != NV2ART_TEMPORARY) continue;
        if (input->index > READ_BACK) known->steps_only = true;
        for (component = 0; component < 4 && !known->steps_only; component++) {
            uint32_t bit = 8u >> (input->swizzle[component] & 3);
            if (read >> (3 - component) & 1 && !(known->written[input->index] & bit)) known->unset[input->index] |= (uint8_t)bit;
        }
    }
}

static void look_at_writes(struct known *known, const Nv2aVshOutput *output, uint32_t step) {
    uint8_t mask = (uint8_t)(output->writemask & 15);
    if (output->type == NV2ART_ADDRESS && mask != 0) {
        if (known->address_mask != 0 && known->address_mask != mask) known->steps_only = true;
        known->address_mask = mask;
        known->last_arl = step;
    }
    if (output->type == NV2ART_TEMPORARY && output->index < TEMPS) known->written[output->index] |= mask;
    if (output->type != NV2ART_OUTPUT || output->index >= OUTPUTS) return;
    known->outputs[output->index] |= mask;
    if (output->index == 0) known->written[READ_BACK] |= mask;
}

/* Programs have no branches: what is read before it has been written can be told by going through the steps. */
static void look_through(struct known *known) {
    uint32_t step;
    unsigned at;
    for (step = 0; step < known->count; step++) {
        const Nv2aVshStep *of = &known->steps[step];
        /* All reads of a slot come before its writes. */
        look_at_reads(known, &of->mac);
        look_at_reads(known, &of->ilu);
        for (at = 0; at < 2 && of->mac.opcode != NV2AOP_NOP; at++)
            look_at_writes(known, &of->mac.outputs[at], step);
        for (at = 0; at < 2 && of->ilu.opcode != NV2AOP_NOP; at++)
            look_at_writes(known, &of->ilu.outputs[at], step);
    }
    /* What r12 reads before o0 is written is the caller's o0. */
    if (known->unset[READ_BACK] != 0) known->steps_only = true;
}

xfjit_status nv2a_vsh_configure(void) {
    if (nv2a_vsh_here.config.size != 0) return XFJIT_OK;
    nv2a_vsh_here.config.size = sizeof nv2a_vsh_here.config;
    nv2a_vsh_here.status = xfjit_config_like(&nv2a_vsh_here.config, XFJIT_LIKE_NV2A_VSH_CPU, XFJIT_KELVIN);
    /* Whether ARL writes its address is said by the step. */
    nv2a_vsh_here.config.forms |= XFJIT_FORMS_CHIP_ADDRESSES;
    nv2a_vsh_here.config.live_outputs = (1u << OUTPUTS) - 1;
    nv2a_vsh_here.config.keep_outputs = 1;
    return nv2a_vsh_here.status;
}

xfjit_status nv2a_vsh_prepare(void) {
    xfjit_options options;
    if (nv2a_vsh_here.worker != NULL) return XFJIT_OK;
    if (nv2a_vsh_configure() != XFJIT_OK) return nv2a_vsh_here.status;
    memset(&options, 0, sizeof options);
    options.size = sizeof options;
    options.compile_after = 64; /* programs that only step are never compiled, and nobody waits for a compiler */
    if (nv2a_vsh_here.engine == NULL && (nv2a_vsh_here.status = xfjit_engine_create(&options, &nv2a_vsh_here.engine)) != XFJIT_OK) return nv2a_vsh_here.status;
    return nv2a_vsh_here.status = xfjit_worker_create(nv2a_vsh_here.engine, &nv2a_vsh_here.worker);
}

/* Whether these are the steps that are known. Goes no further than the steps do. */
static bool is_same(const struct known *known, const Nv2aVshStep *steps) {
    uint32_t step;
    if (known->at != steps) return false;
    for (step = 0; step < known->count; step++)
        if (memcmp(&known->steps[step], &steps[step], sizeof *steps) != 0) return false;
    return true;
}

struct known *nv2a_vsh_find(const Nv2aVshStep *steps) {
    struct known *known = &nv2a_vsh_here.known[((uintptr_t)steps / 16 ^ (uintptr_t)steps / 512) % KNOWN];
    Nv2aVshStep *copy;
    uint32_t count = 0;
    nv2a_vsh_here.status = steps == NULL ? XFJIT_E_ARGUMENT : XFJIT_OK;
    if (steps == NULL) return NULL;
    if (is_same(known, steps)) return known;
    while (count < SLOTS && !steps[count].is_final)
        count++;
    if (count++ == SLOTS) {
        nv2a_vsh_here.status = XFJIT_E_DECODE;
        return NULL;
    }
    copy = (Nv2aVshStep *)malloc(count * sizeof *steps);
    if (copy == NULL) {
        nv2a_vsh_here.status = XFJIT_E_MEMORY;
        return NULL;
    }
    forget(known);
    known->at = steps;
    known->count = count;
    known->steps = (Nv2aVshStep *)memcpy(copy, steps, count * sizeof *steps);
    look_through(known);
    return known;
}

/* The next output that the program does not write, or NO_OUTPUT. */
static unsigned unused_output(uint32_t *used) {
    unsigned output;
    for (output = 0; output < ALL_OUTPUTS; output++)
        if (!(*used >> output & 1)) {
            *used |= 1u << output;
            return output;
        }
    return NO_OUTPUT;
}

/* The words of all steps and of what reads temporaries and A0 into outputs; their number, or 0. */
static uint32_t encode_native(const struct known *known, struct native *native, bool with_temporaries, uint32_t (*words)[4], uint32_t *outputs) {
    uint32_t count = 0, step;
    unsigned left = 0, temporary;
    for (temporary = 0; temporary < TEMPS && with_temporaries; temporary++)
        left += known->written[temporary] != 0;
    if (known->count + left + (with_temporaries && known->address_mask != 0) > SLOTS) return 0;
    for (step = 0; step < known->count; step++) {
        if (with_temporaries && known->address_mask != 0 && step == known->last_arl) {
            /* Before it, since it may be relative to A0 itself. */
            native->address_in = (uint8_t)unused_output(outputs);
            if (native->address_in == NO_OUTPUT) return 0;
            if (!nv2a_vsh_encode_read(words[count++], &known->steps[step].mac.inputs[0], native->address_in, NV2AWM_X, false)) return 0;
        }
        if (!nv2a_vsh_encode(words[count++], &known->steps[step], left == 0 && step + 1 == known->count)) return 0;
    }
    for (temporary = 0; left > 0; temporary++)
        if (known->written[temporary] != 0) {
            Nv2aVshInput input = {NV2ART_TEMPORARY, 0, {0, 1, 2, 3}, false, false};
            input.index = temporary;
            native->temporary_in[temporary] = (uint8_t)unused_output(outputs);
            if (native->temporary_in[temporary] == NO_OUTPUT) return 0;
            if (!nv2a_vsh_encode_read(words[count++], &input, native->temporary_in[temporary], known->written[temporary], --left == 0)) return 0;
        }
    return count;
}

const struct native *nv2a_vsh_native(struct known *known, unsigned with_temporaries) {
    struct native *native = &known->native[with_temporaries];
    xfjit_config config;
    const xfjit_program *program;
    uint32_t words[SLOTS][4], count, output;
    if (native->is_made || known->steps_only) return native;
    native->is_made = true;
    if (nv2a_vsh_prepare() != XFJIT_OK) return native;
    memset(native->temporary_in, NO_OUTPUT, sizeof native->temporary_in);
    /* What is not written is not stored; the components that are written are copied from there. */
    config = nv2a_vsh_here.config;
    config.live_outputs = 0;
    for (output = 0; output < OUTPUTS; output++)
        config.live_outputs |= (uint32_t)(known->outputs[output] != 0) << output;
    config.keep_outputs = 0;
    count = encode_native(known, native, with_temporaries != 0, words, &config.live_outputs);
    if (count == 0) return native;
    nv2a_vsh_here.status = xfjit_worker_program(nv2a_vsh_here.worker, words, 16, count, 0, &config, &program);
    if (nv2a_vsh_here.status == XFJIT_OK) nv2a_vsh_here.status = xfjit_program_ref(program);
    if (nv2a_vsh_here.status == XFJIT_OK) native->program = program;
    return native;
}

void nv2a_vsh_forget_all(void) {
    unsigned at;
    for (at = 0; at < KNOWN; at++)
        forget(&nv2a_vsh_here.known[at]);
    (void)xfjit_worker_destroy(nv2a_vsh_here.worker);
    (void)xfjit_engine_destroy(nv2a_vsh_here.engine);
    memset(&nv2a_vsh_here, 0, sizeof nv2a_vsh_here);
}
