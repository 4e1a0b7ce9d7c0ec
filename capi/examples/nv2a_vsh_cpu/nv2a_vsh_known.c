/* What is known of programs: each thread that runs something has an engine, a worker and the programs that it has run last,
 * until it calls nv2a_vsh_xfjit_release; nothing is shared, so that there is nothing to lock. A program is known by where its
 * steps lie, and these are compared with a copy each time: they may be changed, copied, freed or entered in the middle as one
 * likes. Steps that are not known are made into microcode, which the worker finds by comparison. C99. */
#include "nv2a_vsh_known.h"

#include <stdlib.h>
#include <string.h>

OF_THIS_THREAD struct nv2a_vsh_thread nv2a_vsh_here;

static void forget(struct known *known) {
    if (known->at == NULL) return;
    (void)xfjit_program_unref(known->program);
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

/* Programs have no branches: what is read before it has been written can be told by going through the steps. */
static void look_through(struct known *known) {
    uint32_t *written = known->written, step;
    unsigned unit, at, component;
    known->alone = true;
    for (step = 0; step < known->count; step++) {
        for (unit = 0; unit < 2; unit++) {
            const Nv2aVshOperation *operation = unit ? &known->steps[step].ilu : &known->steps[step].mac;
            unsigned which[3], count = nv2a_vsh_operands(unit != 0, operation->opcode, which);
            for (at = 0; at < count; at++) {
                const Nv2aVshInput *input = &operation->inputs[at];
                uint32_t read = components(operation, at);
                if (input->type == NV2ART_CONTEXT && input->is_relative && !known->writes_address) known->alone = false;
                for (component = 0; component < 4 && input->type == NV2ART_TEMPORARY; component++)
                    if (read >> (3 - component) & 1 && !(written[input->index] >> (3 - input->swizzle[component]) & 1)) known->alone = false;
            }
        }
        /* All reads of a slot come before its writes. */
        for (unit = 0; unit < 2; unit++)
            for (at = 0; at < 2; at++) {
                const Nv2aVshOutput *output = unit ? &known->steps[step].ilu.outputs[at] : &known->steps[step].mac.outputs[at];
                if (output->type == NV2ART_ADDRESS) known->writes_address = true, known->last_arl = step;
                if (output->type == NV2ART_TEMPORARY) written[output->index] |= (uint32_t)output->writemask;
                if (output->type == NV2ART_OUTPUT && output->index == 0) written[READ_BACK] |= (uint32_t)output->writemask;
            }
    }
}

xfjit_status nv2a_vsh_configure(void) {
    if (nv2a_vsh_here.config.size != 0) return XFJIT_OK;
    nv2a_vsh_here.config.size = sizeof nv2a_vsh_here.config;
    nv2a_vsh_here.status = xfjit_config_like(&nv2a_vsh_here.config, XFJIT_LIKE_NV2A_VSH_CPU, XFJIT_KELVIN);
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
static bool is_same(const struct known *known, const Nv2aVshStep *steps, bool single) {
    uint32_t step;
    if (known->at != steps || known->single != single) return false;
    for (step = 0; step < known->count; step++)
        if (memcmp(&known->steps[step], &steps[step], sizeof *steps) != 0) return false;
    return true;
}

struct known *nv2a_vsh_find(const Nv2aVshStep *steps, bool single) {
    struct known *known = &nv2a_vsh_here.known[((uintptr_t)steps / 16 ^ (uintptr_t)steps / 512) % KNOWN];
    const xfjit_program *program;
    uint32_t words[SLOTS][4], count = 0;
    bool is_final;
    nv2a_vsh_here.status = XFJIT_OK;
    if (steps == NULL) {
        nv2a_vsh_here.status = XFJIT_E_ARGUMENT;
        return NULL;
    }
    if (is_same(known, steps, single)) return known;
    do {
        is_final = single || (count < SLOTS && steps[count].is_final);
        if (count == SLOTS || !nv2a_vsh_encode(words[count], &steps[count], is_final)) {
            nv2a_vsh_here.status = XFJIT_E_DECODE;
            return NULL;
        }
        count++;
    } while (!is_final);
    if (nv2a_vsh_prepare() != XFJIT_OK) return NULL;
    nv2a_vsh_here.status = xfjit_worker_program(nv2a_vsh_here.worker, words, 16, count, 0, &nv2a_vsh_here.config, &program);
    if (nv2a_vsh_here.status != XFJIT_OK) return NULL;
    forget(known);
    known->info.size = sizeof known->info;
    known->steps = (Nv2aVshStep *)malloc(count * sizeof *steps);
    if (known->steps == NULL) nv2a_vsh_here.status = XFJIT_E_INTERNAL;
    if (nv2a_vsh_here.status == XFJIT_OK) nv2a_vsh_here.status = xfjit_program_info(program, &known->info);
    if (nv2a_vsh_here.status == XFJIT_OK) nv2a_vsh_here.status = xfjit_program_ref(program);
    if (nv2a_vsh_here.status != XFJIT_OK) {
        free(known->steps);
        memset(known, 0, sizeof *known);
        return NULL;
    }
    memcpy(known->steps, steps, count * sizeof *steps);
    known->at = steps;
    known->single = single;
    known->count = count;
    known->program = program;
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
    if (known->count + left + (with_temporaries && known->writes_address) > SLOTS) return 0;
    for (step = 0; step < known->count; step++) {
        if (with_temporaries && known->writes_address && step == known->last_arl) {
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
    xfjit_config config = nv2a_vsh_here.config;
    const xfjit_program *program;
    uint32_t words[SLOTS][4], count;
    if (native->is_made || !known->alone) return native;
    native->is_made = true;
    memset(native->temporary_in, NO_OUTPUT, sizeof native->temporary_in);
    /* What is not written is not stored; the components that are written are copied from there. */
    config.live_outputs = known->info.outputs_written;
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
