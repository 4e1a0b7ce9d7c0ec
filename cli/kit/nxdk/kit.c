/* Runs the experiments above on an Xbox, and writes what they leave to E:\xfjit_kit.txt, which `xfjit kit judge` reads.
 *
 * C99, for nxdk. With XFJIT_KIT_HOST it is compiled for another machine, with the functions that host.h declares.
 */
#include <stdio.h>

#ifdef XFJIT_KIT_HOST
#include "host.h"
#else
#include <hal/debug.h>
#include <hal/video.h>
#include <nxdk/mount.h>
#include <pbkit/pbkit.h>
#include <windows.h>
#define RESULTS "E:\\xfjit_kit.txt"
/* Registers of the graphics unit lie here in the processor's memory. */
#define KIT_REGISTER(offset) (*(volatile uint32_t *)(0xfd000000u + (offset)))
#define KIT_WRITE(offset, value) (KIT_REGISTER(offset) = (value))
#define KIT_READ(offset) KIT_REGISTER(offset)
#endif

/* RDI, the port to the unit's memories: where it reads, and what is there. Each read moves it on by a word. */
#define RDI_INDEX 0x400750u
#define RDI_DATA 0x400754u
/* The memory of constants, 16 bytes each. */
#define RDI_CONSTANTS 0x170000u

#ifdef XFJIT_KIT_DRAW
/* Yours: sets up what points need behind the unit, with a magenta picture (ff00ff), and tells the colour of a pixel, red in bits 16 to 23, then green and blue. */
void kit_prepare(void);
uint32_t kit_pixel(unsigned x, unsigned y);
/* Points are on one line, so far apart. */
#define DISTANCE 16u
#endif

/* pbkit takes 128 words between pb_begin and pb_end; a method with its value has two. */
#define METHODS_AT_A_TIME 32

static void send(const uint32_t *words, unsigned count)
{
    unsigned at = 0;
    while (at < count) {
        uint32_t *p = pb_begin();
        for (unsigned sent = 0; sent < METHODS_AT_A_TIME && at < count; sent++, at += 2)
            p = pb_push1(p, words[at], words[at + 1]);
        pb_end(p);
    }
    while (pb_busy()) {
    }
    pb_wait_until_gr_not_busy();
}

/* w lies at the lowest address. */
static void read_constant(unsigned row, uint32_t xyzw[4])
{
    KIT_WRITE(RDI_INDEX, RDI_CONSTANTS + 16 * row);
    for (int component = 3; component >= 0; component--)
        xyzw[component] = KIT_READ(RDI_DATA);
}

static int draw(const struct experiment *experiment, FILE *results)
{
#ifdef XFJIT_KIT_DRAW
    kit_prepare();
    send(experiment->methods, experiment->words);
    fprintf(results, "experiment %s\n", experiment->name);
    for (unsigned at = 0; at < experiment->reads; at++) {
        unsigned point = experiment->read[at];
        fprintf(results, "pixel %u %06lx\n", point,
                (unsigned long)(kit_pixel(DISTANCE / 2 + DISTANCE * point, DISTANCE / 2) & 0xffffffu));
    }
#else
    debugPrint("  draws, left out: %s\n", experiment->name);
#endif
    return fclose(results) == 0;
}

static int run(const struct experiment *experiment)
{
    /* A file for each experiment: what has been found is kept even if the next one hangs the console. */
    FILE *results = fopen(RESULTS, "a");
    if (results == NULL)
        return 0;
    if (experiment->draws)
        return draw(experiment, results);
    send(experiment->methods, experiment->words);
    fprintf(results, "experiment %s\n", experiment->name);
    for (unsigned at = 0; at < experiment->reads; at++) {
        uint32_t x[4];
        read_constant(experiment->read[at], x);
        fprintf(results, "c[%u] %08lx %08lx %08lx %08lx\n", (unsigned)experiment->read[at], (unsigned long)x[0],
                (unsigned long)x[1], (unsigned long)x[2], (unsigned long)x[3]);
    }
    return fclose(results) == 0;
}

int main(void)
{
    XVideoSetMode(640, 480, 32, REFRESH_DEFAULT);
    if (pb_init() != 0) {
        debugPrint("pbkit does not start\n");
        Sleep(5000);
        return 1;
    }
    pb_show_debug_screen();
    if (!nxMountDrive('E', "\\Device\\Harddisk0\\Partition1\\"))
        debugPrint("drive E is not there\n");
    FILE *results = fopen(RESULTS, "w");
    int is_well = results != NULL && fprintf(results, "xfjit-kit-results 1\nconsole nv2a\n") > 0;
    if (results != NULL && fclose(results) != 0)
        is_well = 0;
    for (unsigned at = 0; at < sizeof experiments / sizeof *experiments; at++) {
        debugPrint("%s\n", experiments[at].name);
        if (!run(&experiments[at]))
            is_well = 0;
    }
    debugPrint(is_well ? "Done: " RESULTS "\n" : "Could not write " RESULTS "\n");
    Sleep(10000);
    pb_kill();
    return is_well ? 0 : 1;
}
