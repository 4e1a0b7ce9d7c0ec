/* What moves at most: a copy that reads and writes as many bytes together as a batch does. Prints nanoseconds of it.
 *
 *     copy BYTES_READ_AND_WRITTEN
 */
#include "peer.h"

static size_t bytes;
static char *memory[2];

static void call(void *of) {
    (void)of;
    memcpy(memory[1], memory[0], bytes);
    __asm__ volatile("" ::: "memory");
}

int main(int count, char **words) {
    int i;
    if (count != 2) fail("usage: copy BYTES_READ_AND_WRITTEN", "copy");
    bytes = strtoul(words[1], NULL, 10) / 2;
    for (i = 0; i < 2; ++i) {
        memory[i] = aligned_alloc(64, bytes / 64 * 64 + 64);
        if (!memory[i]) fail("no memory", "copy");
        memset(memory[i], i, bytes);
    }
    printf("%.1f\n", best_ns(call, NULL));
    return 0;
}
