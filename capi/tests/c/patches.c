/* What the scripts of capi/patches put into emulators, called as they call it. C11 and C++11. The library is named by XFJIT_LIBRARY.
 * Argument: "on", or "off" where there is none to be had. */
#include "xfjit_bochs.h"
#include "xfjit_mame.h"
#include "xfjit_nv2a.h"

#include "check.h"

/* A slot as MAME has it: fields between the words. */
struct slot {
    unsigned words[4];
    int modified, decoded[7];
};

static uint32_t program[544][4];
static struct slot slots[256];
static float constants[512][4], in[4][16][4], out[3][16][4];

static int is_untouched(const void *memory, size_t size) {
    const unsigned char *bytes = (const unsigned char *)memory;
    size_t at;
    for (at = 0; at < size; at++)
        if (bytes[at] != 0x55) return 0;
    return 1;
}

/* What TRANSFORM makes of a vertex; registers that it does not write are 0, 0, 0, 1. */
static void look(float (*registers)[4], int vertex) {
    float position[4], colour[4];
    int number, component;
    expected(in[vertex], constants, position, colour);
    CHECK(memcmp(registers[0], position, sizeof position) == 0);
    CHECK(memcmp(registers[3], colour, sizeof colour) == 0);
    for (number = 0; number < 16; number++)
        for (component = 0; component < 4; component++)
            CHECK(number == 0 || number == 3 || registers[number][component] == (component == 3 ? 1.0f : 0.0f));
}

/* Triangles from every vertex of a quad on, with a program that moves within its memory. */
static void bochs(int is_on) {
    static const uint32_t starts[] = {0, 7, 131};
    uint32_t base, which, round;
    int vertex;
    for (which = 0; which < 3; which++) {
        memset(program, 0, sizeof program);
        memcpy(program[starts[which]], TRANSFORM, sizeof TRANSFORM);
        /* Often enough that it is compiled meanwhile. */
        for (round = 0; round < 200; round++)
            for (base = 0; base < 4; base++) {
                memset(out, 0x55, sizeof out);
                CHECK(xfjit_bochs_triangle(0x20, program, starts[which], constants, in, base, out) == is_on);
                if (!is_on) CHECK(is_untouched(out, sizeof out));
                for (vertex = 0; is_on && vertex < 3; vertex++) look(out[vertex], (int)(base + (uint32_t)vertex) & 3);
            }
    }
    memset(out, 0x55, sizeof out);
    CHECK(xfjit_bochs_triangle(0x15, program, 0, constants, in, 0, out) == 0);
    CHECK(xfjit_bochs_triangle(0x20, program, 136, constants, in, 0, out) == 0);
    CHECK(xfjit_bochs_triangle(0x20, program, 0xffffffff, constants, in, 0, out) == 0);
    CHECK(is_untouched(out, sizeof out));
    /* All-zero words never end in the other generations; whatever becomes of them, it is all or nothing. */
    memset(program, 0, sizeof program);
    if (!xfjit_bochs_triangle(0x35, program, 0, constants, in, 1, out)) CHECK(is_untouched(out, sizeof out));
    memset(out, 0x55, sizeof out);
    if (!xfjit_bochs_triangle(0x40, program, 543, constants, in, 2, out)) CHECK(is_untouched(out, sizeof out));
}

/* Words in structures; a slot that changes makes another program. */
static void mame(int is_on) {
    float position[4];
    int slot, component;
    for (slot = 0; slot < 5; slot++) memcpy(slots[30 + slot].words, TRANSFORM[slot], 16);
    memset(out, 0x55, sizeof out);
    CHECK(xfjit_mame_process(slots[0].words, sizeof slots[0], 30, constants, in, out, 3) == is_on);
    for (slot = 0; is_on && slot < 3; slot++) look(out[slot], slot);
    /* oPos.x becomes the product with c[1], as oPos.y is. */
    slots[30].words[1] = slots[31].words[1];
    CHECK(xfjit_mame_process(slots[0].words, sizeof slots[0], 30, constants, in, out, 1) == is_on);
    for (component = 0; component < 4; component++) position[component] = out[0][0][component];
    if (is_on) CHECK(memcmp(&position[0], &position[1], sizeof(float)) == 0);
    memset(out, 0x55, sizeof out);
    CHECK(xfjit_mame_process(slots[0].words, sizeof slots[0], 256, constants, in, out, 1) == 0);
    CHECK(xfjit_mame_process(slots[0].words, sizeof slots[0], -1, constants, in, out, 1) == 0);
    CHECK(xfjit_mame_process(slots[0].words, sizeof slots[0], 30, constants, in, out, -1) == 0);
    CHECK(is_untouched(out, sizeof out));
}

/* c[96] = v0 + c[95], of which those that launch see the row and that it is dirty. */
static void nv2a(int is_on) {
    const float parameter[4] = {1, 2, 3, 4};
    unsigned char dirty[192];
    int row, component;
    memset(program, 0, sizeof program);
    memcpy(program[100], STATE, sizeof STATE);
    memset(dirty, 0, sizeof dirty);
    fill_constants(constants);
    CHECK(xfjit_nv2a_launch(program, 100, parameter, constants, dirty) == is_on);
    for (row = 0; row < 192; row++) {
        CHECK(dirty[row] == (is_on && row == 96));
        for (component = 0; component < 4; component++)
            CHECK(constants[row][component]
                == (float)(row + component) - (is_on && row == 96 ? 1 - parameter[component] : 0));
    }
    fill_constants(constants);
    CHECK(xfjit_nv2a_launch(program, 100, NULL, constants, dirty) == is_on);
    CHECK(constants[96][2] == (is_on ? 97.0f : 98.0f));
    CHECK(xfjit_nv2a_launch(program, 136, parameter, constants, dirty) == 0);
}

int main(int count, char **arguments) {
    int is_on, vertex;
    CHECK(count == 2);
    is_on = strcmp(arguments[1], "on") == 0;
    fill_constants(constants);
    for (vertex = 0; vertex < 4; vertex++) fill_vertex(in[vertex], vertex + 2);
    bochs(is_on);
    mame(is_on);
    nv2a(is_on);
    bochs(is_on);
    return 0;
}
