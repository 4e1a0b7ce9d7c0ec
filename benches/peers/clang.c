/* xfjit's host operations of a program, compiled ahead of time by clang: -DLANES=4, 8 or 16, -DCODE="NAME.MODEL.h", -DTRUNCATES=1 for the model hw. Prints
 * nanoseconds of a batch, and how many words differ from xfjit's.
 *
 *     clang CASE MODEL.out
 */
#include "peer.h"
#include "lanes.h"
#include CODE
#include <immintrin.h>

struct batch {
    const uint32_t *in, *rows;
    uint32_t *out;
    size_t vertices, guarded;
};

static void call(void *of) {
    struct batch *batch = of;
    unsigned before = _mm_getcsr();
    /* Truncates, and flushes denormal operands and results. */
    if (TRUNCATES) _mm_setcsr(0x1f80 | 0x6000 | 0x8040);
    batch->guarded = program(batch->in, batch->rows, batch->out, batch->vertices);
    _mm_setcsr(before);
}

int main(int count, char **words) {
    struct batch batch;
    size_t in, rows, out;
    const uint32_t *want;
    if (count != 3) fail("usage: clang CASE MODEL.out", "clang");
    batch.in = read_words(words[1], "in", &in);
    batch.rows = read_words(words[1], "rows", &rows);
    want = read_words(words[1], words[2], &out);
    batch.vertices = in / IN_WORDS;
    batch.out = aligned_alloc(64, 4 * out);
    if (!batch.out || out != batch.vertices * OUT_WORDS) fail("its files do not fit", words[1]);
    printf("%.1f", best_ns(call, &batch));
    printf(" %zu %zu\n", differences(batch.out, want, out, 0), batch.guarded);
    return 0;
}
