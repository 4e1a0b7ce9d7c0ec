/* Runs draws of the Xbox through nv2a_draw.h, and compares them with the unit itself (xfjit_unit_*), which receives each vertex
 * separately. A plain decoder in this file reads the attributes for the unit. Both give the same bits, for every way to send vertices.
 *
 *     nv2a_draw            runs random draws, and prints where a renderer finds the results
 *     nv2a_draw 1000       runs this many draws
 *     nv2a_draw bench      measures draws, from their first method to their last */
#define _POSIX_C_SOURCE 199309L
#include "nv2a_draw.h"
#include "shapes.h"

/* oPos = (p . c[0], p . c[1], p . c[2], p . c[3]) of v0 within the bounds c[6] and c[7]; oD0 = v3, oD1 = v4, oB0 = v7, oB1 = v8, oT0 = v0,
 * oT1 = v9, oT2 = v1, oT3 = v2 */
static const uint32_t PROGRAM[14][4] = {
    {0x00000000, 0x0120e01b, 0x0836186c, 0x2f000ff8}, {0x00000000, 0x0140c01b, 0x0436186c, 0x2f000ff8},
    {0x00000000, 0x00e0001b, 0x0436186c, 0x20708800}, {0x00000000, 0x00e0201b, 0x0436186c, 0x20704800},
    {0x00000000, 0x00e0401b, 0x0436186c, 0x20702800}, {0x00000000, 0x00e0601b, 0x0436186c, 0x20701800},
    {0x00000000, 0x0020061b, 0x0836106c, 0x2070f818}, {0x00000000, 0x0020081b, 0x0836106c, 0x2070f820},
    {0x00000000, 0x00200e1b, 0x0836106c, 0x2070f838}, {0x00000000, 0x0020101b, 0x0836106c, 0x2070f840},
    {0x00000000, 0x0020001b, 0x0836106c, 0x2070f848}, {0x00000000, 0x0020121b, 0x0836106c, 0x2070f850},
    {0x00000000, 0x0020021b, 0x0836106c, 0x2070f858}, {0x00000000, 0x0020041b, 0x0836106c, 0x2070f861}};

enum {
    GUEST_BYTES = 1 << 19,
    MOST_VERTICES = 10000,
    LIVE = 1 << XFJIT_KELVIN_OPOS | 1 << XFJIT_KELVIN_OD0 | 1 << XFJIT_KELVIN_OD1 | 1 << XFJIT_KELVIN_OB0 | 1 << XFJIT_KELVIN_OB1 |
        1 << XFJIT_KELVIN_OT0 | 1 << XFJIT_KELVIN_OT1 | 1 << XFJIT_KELVIN_OT2 | 1 << XFJIT_KELVIN_OT3,
    REGISTERS = 9
};

static unsigned char guest[2][GUEST_BYTES];
static uint32_t vertex_buffer[MOST_VERTICES * 4 * REGISTERS], index_buffer[MOST_VERTICES];
static uint32_t leaves[MOST_VERTICES][4 * REGISTERS]; /* what the unit has put out */
static size_t left;
static nv2a device;
static xfjit_unit *unit;

static uint32_t below(uint32_t bound) {
    static uint32_t state = 2463534242u;
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return state % bound;
}

/* ---- The plain decoder ---- */

static uint32_t bits(float number) {
    uint32_t word;
    memcpy(&word, &number, 4);
    return word;
}

/* A truncated quotient. */
static uint32_t cut(double quotient) {
    float near = (float)quotient;
    if (fabs((double)near) > fabs(quotient)) near = nextafterf(near, 0);
    return bits(near);
}

static int whole(uint32_t word, int shift, int width) {
    int field = (int)(word >> shift & ((1u << width) - 1));
    return field >= 1 << (width - 1) ? field - (1 << width) : field;
}

/* An element in memory, as its register of 0x1760 says. */
static void decode(uint32_t format, const unsigned char *from, uint32_t *row) {
    uint32_t size = format >> 4 & 15, type = format & 15, at, word = 0;
    row[0] = row[1] = row[2] = 0;
    row[3] = bits(1);
    for (at = 0; at < (type == 6 ? 3 : size); at++)
        switch (type) {
        case 0: row[at] = cut(from[at == 0 ? 2 : at == 2 ? 0 : at] / 255.0); break;
        case 1: row[at] = cut((2 * whole(from[2 * at] | (uint32_t)from[2 * at + 1] << 8, 0, 16) + 1) / 65535.0); break;
        case 2: memcpy(row + at, from + 4 * at, 4); break;
        case 4: row[at] = cut(from[at] / 255.0); break;
        case 5: row[at] = bits((float)whole(from[2 * at] | (uint32_t)from[2 * at + 1] << 8, 0, 16)); break;
        case 6:
            memcpy(&word, from, 4);
            row[at] = bits(fmaxf(-1, (float)(at < 2 ? whole(word, 11 * (int)at, 11) / 1023.0 : whole(word, 22, 10) / 511.0)));
            break;
        }
}

static uint32_t size_of(uint32_t format) {
    static const uint32_t widths[] = {1, 2, 4, 0, 1, 2, 4};
    return widths[format & 15] * (format >> 4 & 15);
}

static const unsigned char *element(int attribute, uint32_t vertex) {
    uint32_t offset = device.offset[attribute];
    return guest[offset >> 31] + (offset & 0x7fffffff) + (size_t)vertex * (device.format[attribute] >> 8);
}

/* ---- The unit ---- */

static void take(void *user, const xfjit_piece *piece) {
    uint32_t at;
    (void)user;
    for (at = 0; at < piece->count && left < MOST_VERTICES; at++)
        memcpy(leaves[left++], piece->words + at * piece->words_each, 4 * piece->words_each);
}

/* Two pairs of a vector, as the front end sends them: 1 attributes, 2 microcode, 9 constants, 7 modes. */
static void send(uint32_t type, uint32_t slot, const uint32_t *row) {
    uint32_t address = XFJIT_COMMAND_PAIR | 0x10000 | type << 12 | slot << 4, commands[6];
    commands[0] = address;
    memcpy(commands + 1, row, 8);
    commands[3] = address | 8;
    memcpy(commands + 4, row + 2, 8);
    done(xfjit_unit_write(unit, commands, 6));
}

static void start_vertex(void) {
    static const uint32_t command = XFJIT_COMMAND_VERTEX;
    done(xfjit_unit_write(unit, &command, 1));
}

static void load_unit(void) {
    /* Programs run, and read all constants; colours leave as programs have written them. */
    static const uint32_t mode[4] = {2u << 30 | 1u << 18, 1u << 16 | 1u << 17, 0, 0};
    uint32_t row;
    for (row = 0; row < sizeof PROGRAM / sizeof PROGRAM[0]; row++)
        send(2, row, PROGRAM[row]);
    for (row = 0; row < 192; row++)
        send(9, row, device.constants[row]);
    send(7, 0, mode);
    done(xfjit_unit_set(unit, XFJIT_REGISTER_OUTPUTS, LIVE));
}

/* ---- One draw, both ways ---- */

/* Where methods are stored instead of sent: pairs of a number and its word. */
static uint32_t (*script)[2];
static size_t script_length;

static void method(uint32_t number, uint32_t word) {
    nv2a_drawn none;
    if (script != NULL) {
        script[script_length][0] = number;
        script[script_length++][1] = word;
    } else
        nv2a_method(&device, number, word, &none);
}

/* Chooses arrays at random. Each holds this many vertices. */
static void choose_arrays(uint32_t vertices) {
    static const unsigned char types[] = {0, 1, 2, 4, 5, 6};
    uint32_t at;
    for (at = 0; at < NV2A_ATTRIBUTES; at++) {
        uint32_t type = types[below(6)], size = type == 0 ? 4 : type == 6 ? 1 : 1 + below(4), format = type | size << 4;
        uint32_t most = (GUEST_BYTES - size_of(format)) / vertices, stride = below(5) ? size_of(format) + below(9) : below(2) * below(20);
        if (at && below(3) == 0) format = type;
        if (stride > most) stride = most;
        method(0x1760 + 4 * at, format | stride << 8);
        method(0x1720 + 4 * at, below(2) << 31 | below(GUEST_BYTES - stride * (vertices - 1) - 16 + 1));
    }
}

/* Writes the methods of a draw of vertices by their numbers, in one of the ways that the class has, except for the last. */
static void draw(uint32_t way, const uint32_t *numbers, uint32_t count) {
    uint32_t at, array, row[4], word, component;
    method(0x17fc, 1 + below(10));
    for (at = 0; at < count; at++) {
        if (way == 0) { /* 0x1810, in pieces; each goes on where the last one has ended */
            uint32_t most = count - at < 256 ? count - at : 256, piece = script != NULL ? most : 1 + below(most);
            method(0x1810, numbers[at] | (piece - 1) << 24);
            at += piece - 1;
        } else if (way == 1) /* a list, by halves and words */
            if (at + 1 < count && numbers[at] < 0x10000 && numbers[at + 1] < 0x10000 && below(4)) {
                method(0x1800, numbers[at] | numbers[at + 1] << 16);
                at++;
            } else
                method(0x1808, numbers[at]);
        else
            for (array = NV2A_ATTRIBUTES; array-- > 0;) {
                uint32_t register_ = way == 2 ? NV2A_ATTRIBUTES - 1 - array : array, format = device.format[register_];
                if (!(format >> 4 & 15)) continue;
                if (way == 2) /* the words of each vertex */
                    for (component = 0; component < size_of(format); component += 4) {
                        uint32_t most = size_of(format) - component;
                        word = 0;
                        memcpy(&word, element((int)register_, numbers[at]) + component, most < 4 ? most : 4);
                        method(0x1818, word);
                    }
                else { /* floats, attribute 0 at last */
                    decode(format, element((int)register_, numbers[at]), row);
                    for (component = 0; component < 4; component++)
                        method(0x1a00 + 16 * register_ + 4 * component, row[component]);
                }
            }
    }
}

/* Sends the unit a draw vertex by vertex. The last vertex gives the current attributes afterwards. */
static void send_vertices(const uint32_t *numbers, uint32_t count, uint32_t (*current)[4]) {
    uint32_t at, array;
    for (at = 0; at < count; at++) {
        for (array = 0; array < NV2A_ATTRIBUTES; array++)
            if (device.format[array] >> 4 & 15) {
                decode(device.format[array], element((int)array, numbers[at]), current[array]);
                send(1, array, current[array]);
            }
        start_vertex();
    }
    left = 0;
    done(xfjit_unit_drain(unit, take, NULL));
}

static void differ(const char *what, uint32_t round, uint32_t vertex) {
    fprintf(stderr, "draw %u, vertex %u: %s\n", (unsigned)round, (unsigned)vertex, what);
    exit(1);
}

/* Makes a random draw in both ways. Returns its number of vertices. */
static uint32_t check_one(uint32_t round) {
    static uint32_t numbers[3000], current[NV2A_ATTRIBUTES][4], row[4];
    static const uint32_t most[] = {1, 3, 8, 40, 700, 2500};
    uint32_t way = below(4), count = 1 + below(most[below(6)]), at, first = below(50), named = first + count;
    nv2a_drawn drawn;
    for (at = 0; at < count; at++)
        numbers[at] = way == 1 ? below(named) : first + at;
    choose_arrays(named);
    memcpy(current, device.current, sizeof current);
    for (at = below(4); at > 0; at--) { /* between draws attributes are written */
        uint32_t attribute = below(NV2A_ATTRIBUTES), component, components = below(2) ? 2 : 4;
        row[2] = 0;
        row[3] = bits(1);
        for (component = 0; component < components; component++)
            method((components == 2 ? 0x1880 : 0x1a00) + 4 * (components * attribute + component), row[component] = bits(number()));
        memcpy(current[attribute], row, 16);
        send(1, attribute, row);
    }
    draw(way, numbers, count);
    if (nv2a_method(&device, 0x17fc, 0, &drawn) != NV2A_DRAWN) {
        char text[300];
        xfjit_last_error(text, sizeof text);
        differ(text, round, 0);
    }
    send_vertices(numbers, count, current);
    if (drawn.count != count || left != count || drawn.is_indexed != (way == 1)) differ("not as many vertices", round, count);
    for (at = 0; at < count; at++) {
        uint32_t place = drawn.is_indexed ? index_buffer[at] : at;
        if (place >= drawn.stored || memcmp((char *)vertex_buffer + place * drawn.stride, leaves[at], sizeof leaves[at]) != 0)
            differ("what leaves is not what the unit puts out", round, at);
    }
    if (memcmp(current, device.current, sizeof current) != 0) differ("attributes are not those of the last vertex", round, count - 1);
    return count;
}

/* ---- What a draw takes ---- */

/* The processor time of this process in seconds. */
static double spent(void) {
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* The time of a script in seconds: the best of several runs. */
static double measure(void) {
    size_t rounds = 400000 / (script_length + 400) + 1, round, at, repeat;
    double best = 1e9;
    nv2a_drawn drawn;
    for (repeat = 0; repeat < 9; repeat++) {
        double start = spent(), each;
        for (round = 0; round < rounds; round++) {
            int came = NV2A_TAKEN;
            for (at = 0; at < script_length; at++)
                came = nv2a_method(&device, script[at][0], script[at][1], &drawn);
            if (came != NV2A_DRAWN) {
                fputs("a draw that does not run\n", stderr);
                exit(1);
            }
        }
        each = (spent() - start) / (double)rounds;
        if (each < best) best = each;
    }
    return best;
}

/* Positions of three floats, normals of a word, colours of four bytes, texture coordinates of two shorts; LIT_PROGRAM, which reads all of
 * that but the colours. Vertices of lists are named three times each, as those of a strip are. */
static void bench(void) {
    static const uint32_t arrays[][2] = {{0, 0x32}, {2, 0x16}, {3, 0x40}, {8, 0x25}}, counts[] = {1, 3, 100, MOST_VERTICES};
    static const char *const ways[] = {"draw arrays (0x1810)", "indices (0x1800)", "words (0x1818)", "floats (0x1a00)"};
    static uint32_t numbers[MOST_VERTICES];
    uint32_t way, size, at, offset = 0;
    void *all = malloc(8 * (20 * MOST_VERTICES + 2));
    if (all == NULL) exit(1);
    for (at = 0; at < NV2A_ATTRIBUTES; at++)
        method(0x1760 + 4 * at, 2);
    for (at = 0; at < 4; at++) {
        method(0x1760 + 4 * arrays[at][0], arrays[at][1] | 24 << 8);
        method(0x1720 + 4 * arrays[at][0], offset);
        offset += size_of(arrays[at][1]);
    }
    for (at = 0; at < MOST_VERTICES; at++) {
        float position[3];
        int component;
        for (component = 0; component < 3; component++)
            position[component] = number();
        memcpy(guest[0] + 24 * at, position, 12);
    }
    fill((float (*)[4])device.constants, 192);
    memset(device.program, 0, sizeof device.program);
    memcpy(device.program, LIT_PROGRAM, sizeof LIT_PROGRAM);
    device.found = NULL;
    device.config.live_outputs = 1 << XFJIT_KELVIN_OPOS | 1 << XFJIT_KELVIN_OD0 | 1 << XFJIT_KELVIN_OT0;
    printf("A program of 19 slots; ns a draw, million vertices a second\n%-22s", "vertices a draw");
    for (size = 0; size < 4; size++)
        printf("%20u", (unsigned)counts[size]);
    for (way = 0; way < 4; way++) {
        printf("\n%-22s", ways[way]);
        for (size = 0; size < 4; size++) {
            double best;
            for (at = 0; at < MOST_VERTICES; at++)
                numbers[at] = way == 1 ? at / 3 + at % 3 : at;
            script = (uint32_t (*)[2])all;
            script_length = 0;
            draw(way, numbers, counts[size]);
            method(0x17fc, 0);
            best = measure();
            script = NULL;
            printf("%12.0f %7.1f", 1e9 * best, 1e-6 * counts[size] / best);
            fflush(stdout);
        }
    }
    puts("");
    free(all);
}

int main(int count, char **arguments) {
    static const uint32_t models[] = {XFJIT_HW, XFJIT_IEEE};
    static const struct { uint32_t output; const char *name; } outputs[] = {{XFJIT_KELVIN_OPOS, "oPos, the position"},
        {XFJIT_KELVIN_OD0, "oD0, a colour"}, {XFJIT_KELVIN_OD1, "oD1, a colour"}, {XFJIT_KELVIN_OT0, "oT0, a texture coordinate"}};
    int measures = count > 1 && strcmp(arguments[1], "bench") == 0;
    uint32_t draws = count > 1 && atoi(arguments[1]) > 0 ? (uint32_t)atoi(arguments[1]) : measures ? 20 : 300, round, way;
    size_t vertices = 0, at;
    xfjit_engine *engine;
    done(xfjit_engine_create(NULL, &engine));
    done(xfjit_worker_create(engine, &device.worker));
    for (at = 0; at < sizeof guest; at++)
        ((unsigned char *)guest)[at] = (unsigned char)below(256);
    memcpy(device.program, PROGRAM, sizeof PROGRAM);
    fill((float (*)[4])device.constants, 192);
    for (at = 0; at < 4; at++) {
        device.constants[6][at] = bits(-1e6f);
        device.constants[7][at] = bits(1e6f);
    }
    for (at = 0; at < 2; at++) {
        device.memory[at] = guest[at];
        device.memory_bytes[at] = GUEST_BYTES;
    }
    device.vertices = (unsigned char *)vertex_buffer;
    device.vertices_bytes = sizeof vertex_buffer;
    device.indices = index_buffer;
    device.indices_count = MOST_VERTICES;
    for (way = 0; way < 2; way++) {
        device.config.size = (uint32_t)sizeof device.config;
        done(xfjit_config_init(&device.config, XFJIT_KELVIN));
        device.config.model = models[way];
        device.config.live_outputs = LIVE;
        device.found = NULL;
        memset(device.current, 0, sizeof device.current);
        done(xfjit_unit_create(engine, XFJIT_NV2A, &device.config, &unit));
        load_unit();
        for (round = 0; round < (draws + 1) / 2; round++)
            vertices += check_one(round);
        done(xfjit_unit_destroy(unit));
    }
    printf("%u draws of %lu vertices are the unit's, to the bit\n", (unsigned)(2 * ((draws + 1) / 2)), (unsigned long)vertices);
    if (measures) bench();
    else
        for (at = 0; at < sizeof outputs / sizeof outputs[0]; at++)
            printf("vertex buffer, byte %3d: %s\n", nv2a_where(&device, outputs[at].output), outputs[at].name);
    nv2a_end(&device);
    done(xfjit_worker_destroy(device.worker));
    done(xfjit_engine_destroy(engine));
    return 0;
}
