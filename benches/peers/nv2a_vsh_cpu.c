/* The interpreter nv2a_vsh_cpu, from a checkout of it, vertex by vertex as its users call it. Prints nanoseconds of a batch, and how many components differ
 * from xfjit's under ieee by more than 1/64.
 *
 *     nv2a_vsh_cpu CASE ATTRIBUTE.. / OUTPUT..
 */
#include "peer.h"
#include "nv2a_vsh_emulator.h"

struct batch {
    Nv2aVshCPUFullExecutionState full;
    Nv2aVshExecutionState state;
    Nv2aVshProgram program;
    const uint32_t *in;
    uint32_t *out;
    int attributes[16], outputs[16], attribute_count, output_count;
    size_t vertices;
};

static void call(void *of) {
    struct batch *batch = of;
    const uint32_t *in = batch->in;
    uint32_t *out = batch->out;
    size_t vertex;
    int i;
    for (vertex = 0; vertex < batch->vertices; ++vertex) {
        for (i = 0; i < batch->attribute_count; ++i, in += 4)
            memcpy(batch->full.input_regs + 4 * batch->attributes[i], in, 16);
        nv2a_vsh_emu_execute(&batch->state, &batch->program);
        for (i = 0; i < batch->output_count; ++i, out += 4)
            memcpy(out, batch->full.output_regs + 4 * batch->outputs[i], 16);
    }
}

int main(int count, char **words) {
    static struct batch batch;
    Nv2aVshStep *step;
    uint32_t *rows, *program, *want;
    size_t in, row_words, program_words, out;
    int at = 2;
    if (count < 4) fail("usage: nv2a_vsh_cpu CASE ATTRIBUTE.. / OUTPUT..", "nv2a_vsh_cpu");
    for (; at < count && strcmp(words[at], "/") && batch.attribute_count < 16; ++at)
        batch.attributes[batch.attribute_count++] = atoi(words[at]) & 15;
    for (++at; at < count && batch.output_count < 13; ++at) batch.outputs[batch.output_count++] = atoi(words[at]) % 13;
    batch.in = read_words(words[1], "in", &in);
    rows = read_words(words[1], "rows", &row_words);
    program = read_words(words[1], "words", &program_words);
    want = read_words(words[1], "ieee.out", &out);
    batch.vertices = in / 4 / (size_t)batch.attribute_count;
    batch.out = aligned_alloc(64, (4 * out + 63) / 64 * 64);
    if (!batch.out || out != 4 * batch.vertices * (size_t)batch.output_count || row_words != 4 * ROWS)
        fail("its files do not fit", words[1]);
    batch.state = nv2a_vsh_emu_initialize_full_execution_state(&batch.full);
    memcpy(batch.full.context_regs, rows, 16 * ROWS);
    if (nv2a_vsh_parse_program(&batch.program, program, (uint32_t)(program_words / 4)) != NV2AVPR_SUCCESS)
        fail("its program is refused", words[1]);
    /* A parsed ARL has no mask, so it writes nothing (docs/EMBEDDING.md). */
    step = batch.program.steps;
    do {
        if (step->mac.opcode == NV2AOP_ARL) step->mac.outputs[0].writemask = NV2AWM_X;
    } while (!step++->is_final);
    printf("%.1f", best_ns(call, &batch));
    printf(" %zu\n", differences(batch.out, want, out, 1 / 64.0f));
    nv2a_vsh_program_destroy(&batch.program);
    return 0;
}
