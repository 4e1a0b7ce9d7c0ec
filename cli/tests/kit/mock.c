/* nxdk for a machine that has none: what pbkit is given, and the registers that are accessed, go to standard output as lines, and what a
 * register holds comes from standard input. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "host.h"

#define LONGEST_BLOCK 128

static uint32_t block[LONGEST_BLOCK];
static int is_open;

int pb_init(void) { return 0; }
void pb_kill(void) {}
void pb_show_debug_screen(void) {}
int pb_busy(void) { return 0; }
int XVideoSetMode(int width, int height, int bits, int refresh) { return width && height && bits && !refresh; }
int nxMountDrive(char letter, const char *path) { return letter == 'E' && path[0] == '\\'; }
void Sleep(unsigned milliseconds) { (void)milliseconds; }

static void wrong(const char *what)
{
    fprintf(stderr, "%s\n", what);
    exit(2);
}

uint32_t *pb_begin(void)
{
    if (is_open)
        wrong("two blocks at a time");
    is_open = 1;
    return block;
}

uint32_t *pb_push1(uint32_t *p, uint32_t method, uint32_t value)
{
    if (!is_open || p + 2 > block + LONGEST_BLOCK)
        wrong("a block is too long, or is none");
    p[0] = UINT32_C(1) << 18 | method;
    p[1] = value;
    return p + 2;
}

void pb_end(uint32_t *end)
{
    for (const uint32_t *word = block; word < end; word++)
        printf("push %" PRIx32 "\n", *word);
    is_open = 0;
}

void pb_wait_until_gr_not_busy(void) { printf("wait\n"); }

void debugPrint(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
}

void kit_write(uint32_t offset, uint32_t value) { printf("write %" PRIx32 " %" PRIx32 "\n", offset, value); }

uint32_t kit_read(uint32_t offset)
{
    uint32_t value;
    printf("read %" PRIx32 "\n", offset);
    fflush(stdout);
    if (scanf("%" SCNx32, &value) != 1)
        wrong("no answer");
    return value;
}

#ifdef XFJIT_KIT_DRAW
void kit_prepare(void) { printf("prepare\n"); }

uint32_t kit_pixel(unsigned x, unsigned y)
{
    uint32_t colour;
    printf("pixel %x %x\n", x, y);
    fflush(stdout);
    if (scanf("%" SCNx32, &colour) != 1)
        wrong("no answer");
    return colour;
}
#endif
