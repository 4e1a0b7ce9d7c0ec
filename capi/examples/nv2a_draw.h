/* Draws of the Xbox: from the words that a guest writes to the registers of its graphics unit to one call of xfjit_run for each draw.
 * The result is a vertex buffer, and for lists an index buffer, which a renderer uploads unchanged. Plain C99.
 *
 * Methods of Kelvin's class (their numbers and fields: envytools' rnndb, Mesa's nv20_3d.xml.h):
 *
 *     1500 SET_VERTEX_3F, 1518 SET_VERTEX_4F      attribute 0, which starts a vertex
 *     1720 + 4 n  offset of array n               bit 31: in the memory of the second object (DMA_VERTEX_B)
 *     1760 + 4 n  format of array n               bits 3:0 type, 7:4 components, 31:8 bytes from vertex to vertex
 *     17fc BEGIN_END                              a primitive (1 to 10) begins; 0 ends it, and draws
 *     1800 ELEMENT16: two indices, the lower half first | 1808 ELEMENT32: one
 *     1810 DRAW_ARRAYS                            bits 23:0 the first vertex, 31:24 how many more than one
 *     1818 INLINE_ARRAY                           the next word of a vertex
 *     1880 + 8 n DATA_2F, 1a00 + 16 n DATA_4F     attribute n as it is from here on; n = 0 starts a vertex
 *
 * The emulator sets everything else here (programs, constants, the memory of arrays). This code or the library checks what guests write:
 * nothing outside of their memory is read. Words are kept as they come, so the host must be little-endian, like the guest. */
#ifndef NV2A_DRAW_H
#define NV2A_DRAW_H
#include <stdlib.h>
#include <string.h>

#include "xfjit.h"

enum {
    NV2A_ATTRIBUTES = 16,
    /* Words that may wait between the beginning of a draw and its end: indices, or what vertices consist of. */
    NV2A_MOST_WORDS = 1 << 20
};

/* What a method has done. */
enum {
    NV2A_OTHER,        /* It is not one of the methods above. */
    NV2A_TAKEN,        /* It is kept. */
    NV2A_DRAWN,        /* It has ended a draw: there are vertices to draw. */
    NV2A_NOTHING,      /* It has ended a draw without vertices. */
    NV2A_BAD_FORMAT,   /* A draw cannot run: an array has an unknown format, */
    NV2A_BAD_MIXTURE,  /* or its vertices come in ways that exclude each other, */
    NV2A_OUTSIDE,      /* or an array ends before a vertex that the draw names, */
    NV2A_TOO_LONG,     /* or it has more than NV2A_MOST_WORDS, or more than the vertex buffer has room for, */
    NV2A_FAILED        /* or for another reason. xfjit_last_error describes this one and NV2A_OUTSIDE. */
};

/* How the vertices of a draw arrive. */
enum { NV2A_NONE, NV2A_RANGE, NV2A_LIST, NV2A_WORDS, NV2A_ROWS };

/* The part of the unit that handles vertices. All zeros is its state after reset, except for what the emulator sets. */
typedef struct nv2a {
    /* Set by the emulator, before anything else. */
    xfjit_worker *worker;
    xfjit_config config;             /* live_outputs are the registers that the renderer wants */
    uint32_t program[136][4];        /* if you change it, or start, set found to null */
    uint32_t start;
    uint32_t constants[192][4];
    const unsigned char *memory[2];  /* what the objects of DMA_VERTEX_A and B reach: memory from here on, */
    size_t memory_bytes[2];          /* of this many bytes */
    unsigned char *vertices;         /* the vertex buffer */
    size_t vertices_bytes;
    uint32_t *indices;               /* the index buffer, */
    size_t indices_count;            /* of this many indices */

    /* The registers. */
    uint32_t format[NV2A_ATTRIBUTES], offset[NV2A_ATTRIBUTES];
    uint32_t current[NV2A_ATTRIBUTES][4]; /* values of attributes without an array */
    uint32_t primitive;                   /* 0 between draws */

    /* What has come since the draw began. */
    int kind, wrong;
    uint32_t first, count;           /* of a range */
    uint32_t *words;                 /* indices, words or rows */
    size_t length, room;

    /* What is kept from draw to draw, so that the library recognises the batch. */
    const xfjit_program *found;
    xfjit_batch batch;
    xfjit_attribute attributes[NV2A_ATTRIBUTES];
    xfjit_output outputs[NV2A_ATTRIBUTES];
} nv2a;

/* A draw, for the renderer. Vertices are rows of four floats, a row for each register in config.live_outputs, the lowest first. */
typedef struct nv2a_drawn {
    uint32_t primitive;              /* as the guest names it: 1 points, 5 triangles, 6 strip, 7 fan, 8 quads ... */
    uint32_t stride;                 /* bytes from vertex to vertex, in the vertex buffer */
    uint32_t count;                  /* vertices that are drawn */
    int is_indexed;                  /* 1: their numbers are in the index buffer; 0: they follow each other */
    uint32_t stored;                 /* vertices in the vertex buffer, each once */
} nv2a_drawn;

/* Returns the byte offset of an output register (XFJIT_KELVIN_OPOS ...) in a vertex, or -1. */
static inline int nv2a_where(const nv2a *unit, uint32_t output) {
    uint32_t lower = unit->config.live_outputs & ((1u << output) - 1);
    int at = 0;
    if (!(unit->config.live_outputs >> output & 1)) return -1;
    for (; lower; lower &= lower - 1)
        at += 16;
    return at;
}

/* The format of an array; `bytes` of an element are those in memory. Returns 0 if the format is unknown. */
static inline int nv2a_format(uint32_t word, xfjit_attribute *to, uint32_t *bytes) {
    static const uint32_t formats[16] = {XFJIT_FORMAT_UB_D3D, XFJIT_FORMAT_S1, XFJIT_FORMAT_F32, 0, XFJIT_FORMAT_UB_OGL,
        XFJIT_FORMAT_S32K, XFJIT_FORMAT_CMP};
    static const uint32_t widths[16] = {1, 2, 4, 0, 1, 2, 4};
    uint32_t type = word & 15, size = word >> 4 & 15;
    *bytes = widths[type] * size;
    to->format = XFJIT_FORMAT_NONE;
    to->components = 0;
    if (size == 0) return 1;
    if (size > 4 || formats[type] == 0) return 0;
    /* A colour has four bytes; the three fields of CMP are one element. */
    if (type == 0 && size != 4) return 0;
    if (type == 6 && size != 1) return 0;
    to->format = formats[type];
    to->components = size;
    return 1;
}

/* Keeps one more word. */
static inline void nv2a_push(nv2a *unit, uint32_t word) {
    if (unit->wrong) return;
    if (unit->length == unit->room) {
        size_t room = unit->room ? 2 * unit->room : 1024;
        uint32_t *words = room > NV2A_MOST_WORDS ? NULL : (uint32_t *)realloc(unit->words, 4 * room);
        if (words == NULL) {
            unit->wrong = NV2A_TOO_LONG;
            return;
        }
        unit->words = words;
        unit->room = room;
    }
    unit->words[unit->length++] = word;
}

/* Says how the vertices of this draw come. A range becomes a list if it has to. */
static inline void nv2a_come(nv2a *unit, int kind) {
    uint32_t at;
    if (unit->wrong) return;
    if (unit->kind == NV2A_RANGE && kind == NV2A_LIST) {
        unit->kind = NV2A_LIST;
        for (at = 0; at < unit->count; at++)
            nv2a_push(unit, unit->first + at);
    }
    if (unit->kind == NV2A_NONE) unit->kind = kind;
    if (unit->kind != kind && !unit->wrong) unit->wrong = NV2A_BAD_MIXTURE;
}

/* DRAW_ARRAYS: mostly the next vertices of the same arrays, 256 at a time. */
static inline void nv2a_range(nv2a *unit, uint32_t first, uint32_t count) {
    if (unit->wrong) return;
    if (unit->kind == NV2A_NONE) {
        unit->kind = NV2A_RANGE;
        unit->first = first;
        unit->count = 0;
    }
    if (unit->kind == NV2A_RANGE && unit->first + unit->count == first) {
        unit->count += count;
        if (unit->count > NV2A_MOST_WORDS) unit->wrong = NV2A_TOO_LONG;
        return;
    }
    for (nv2a_come(unit, NV2A_LIST); count-- > 0; first++)
        nv2a_push(unit, first);
}

/* A word of an attribute that has so many; the last one of attribute 0 starts a vertex, which has all attributes as they are. */
static inline void nv2a_write(nv2a *unit, uint32_t at, uint32_t components, uint32_t word) {
    uint32_t *row = unit->current[at / components], component;
    if (at % components == 0) {
        row[1] = row[2] = 0;
        row[3] = 0x3f800000;
    }
    row[at % components] = word;
    if (at + 1 != components || !unit->primitive) return;
    nv2a_come(unit, NV2A_ROWS);
    for (component = 0; component < 4 * NV2A_ATTRIBUTES; component++)
        nv2a_push(unit, unit->current[component / 4][component % 4]);
}

/* Where attributes are, for vertices that come as they do. Returns the bytes of a vertex whose words come whole, NV2A_BAD_FORMAT below 0. */
static inline int nv2a_attributes(nv2a *unit, uint32_t *arrays) {
    static const unsigned char nothing[4];
    uint32_t formats[NV2A_ATTRIBUTES], bytes, words = 0, index_size = unit->kind == NV2A_LIST ? 4 : 0;
    int at;
    *arrays = 0;
    for (at = 0; at < NV2A_ATTRIBUTES; at++) {
        xfjit_attribute *to = &unit->attributes[at];
        int second = unit->offset[at] >> 31;
        uint32_t offset = unit->offset[at] & 0x7fffffff;
        memcpy(to->value, unit->current[at], 16);
        if (unit->kind == NV2A_ROWS) {
            to->format = XFJIT_FORMAT_F32;
            to->components = 4;
            to->stride = 16 * NV2A_ATTRIBUTES;
            to->data = unit->words + 4 * at;
            to->size_bytes = 4 * unit->length - 16 * (size_t)at;
            formats[at] = 0;
            continue;
        }
        if (!nv2a_format(unit->format[at], to, &bytes)) return -NV2A_BAD_FORMAT;
        formats[at] = XFJIT_FORMAT(to->format, to->components);
        if (to->format == XFJIT_FORMAT_NONE) continue;
        *arrays |= 1u << at;
        if (unit->kind == NV2A_WORDS) {
            /* UNKNOWN: what of elements that are no whole words. Here each begins with a word, since words are what comes. */
            int is_there = words < unit->length;
            to->data = is_there ? (const void *)(unit->words + words) : nothing;
            to->size_bytes = is_there ? 4 * (unit->length - words) : 0;
            words += (bytes + 3) / 4;
        } else {
            int is_there = unit->memory[second] != NULL && offset < unit->memory_bytes[second];
            to->data = is_there ? unit->memory[second] + offset : nothing;
            to->size_bytes = is_there ? unit->memory_bytes[second] - offset : 0;
            to->stride = unit->format[at] >> 8;
        }
    }
    for (at = 0; at < NV2A_ATTRIBUTES && unit->kind == NV2A_WORDS; at++)
        unit->attributes[at].stride = 4 * words;
    /* Native code reads attributes as it has been made to, one by one or through a list: else it is another program. */
    if (memcmp(formats, unit->config.input_formats, sizeof formats) != 0 || unit->config.index_size != index_size) {
        memcpy(unit->config.input_formats, formats, sizeof formats);
        unit->config.index_size = index_size;
        unit->found = NULL;
    }
    return (int)(4 * words);
}

/* The end of a draw: one call. */
static inline int nv2a_draw(nv2a *unit, nv2a_drawn *drawn) {
    uint32_t arrays, count = unit->count, live = unit->config.live_outputs;
    xfjit_batch *batch = &unit->batch;
    xfjit_outcome outcome;
    xfjit_status status;
    int whole, at, where;
    if (unit->wrong) return unit->wrong;
    if (unit->kind == NV2A_NONE) return NV2A_NOTHING;
    whole = nv2a_attributes(unit, &arrays);
    if (whole < 0) return -whole;
    if (unit->kind == NV2A_LIST) count = (uint32_t)unit->length;
    if (unit->kind == NV2A_WORDS) count = whole ? (uint32_t)(4 * unit->length / (uint32_t)whole) : 0;
    if (unit->kind == NV2A_ROWS) count = (uint32_t)(unit->length / (4 * NV2A_ATTRIBUTES));
    if (count == 0) return NV2A_NOTHING;
    drawn->primitive = unit->primitive;
    drawn->count = count;
    drawn->is_indexed = unit->kind == NV2A_LIST;
    for (drawn->stride = 0; live; live &= live - 1)
        drawn->stride += 16;
    if (count > (drawn->stride ? unit->vertices_bytes / drawn->stride : NV2A_MOST_WORDS) ||
        (drawn->is_indexed && count > unit->indices_count))
        return NV2A_TOO_LONG;
    if (unit->found == NULL) {
        status = xfjit_worker_program(unit->worker, unit->program, 16, 136, unit->start, &unit->config, &unit->found);
        if (status != XFJIT_OK) {
            unit->found = NULL;
            return NV2A_FAILED;
        }
    }
    for (at = 0; at < NV2A_ATTRIBUTES; at++)
        if ((where = nv2a_where(unit, (uint32_t)at)) >= 0) {
            unit->outputs[at].data = unit->vertices + where;
            unit->outputs[at].size_bytes = unit->vertices_bytes - (size_t)where;
            unit->outputs[at].stride = drawn->stride;
        }
    batch->size = (uint32_t)sizeof *batch;
    batch->count = count;
    batch->first = unit->kind == NV2A_RANGE ? unit->first : 0;
    batch->indices = drawn->is_indexed ? unit->words : NULL;
    batch->index_bytes = drawn->is_indexed ? 4 * unit->length : 0;
    batch->index_size = drawn->is_indexed ? 4 : 0;
    batch->flags = drawn->is_indexed ? XFJIT_BATCH_DISTINCT : 0;
    batch->places = drawn->is_indexed ? unit->indices : NULL;
    batch->attribute_size = (uint32_t)sizeof(xfjit_attribute);
    batch->attribute_count = NV2A_ATTRIBUTES;
    batch->attributes = unit->attributes;
    batch->output_size = (uint32_t)sizeof(xfjit_output);
    batch->output_count = NV2A_ATTRIBUTES;
    batch->outputs = unit->outputs;
    batch->constants = unit->constants;
    batch->constant_rows = 192;
    /* The last vertex leaves its arrays' values behind. */
    batch->last = unit->current;
    batch->last_mask = arrays;
    memset(&outcome, 0, sizeof outcome);
    outcome.size = (uint32_t)sizeof outcome;
    status = xfjit_run(unit->found, unit->worker, batch, &outcome);
    drawn->stored = (uint32_t)outcome.vertices;
    if (status == XFJIT_E_INPUT) return NV2A_OUTSIDE;
    return status == XFJIT_OK && outcome.done == count ? NV2A_DRAWN : NV2A_FAILED;
}

/* Takes a method, and returns what it has done (NV2A_*). For NV2A_DRAWN it fills in `drawn`. */
static inline int nv2a_method(nv2a *unit, uint32_t method, uint32_t word, nv2a_drawn *drawn) {
    uint32_t at = method / 4;
    int ends;
    if (method % 4 != 0) return NV2A_OTHER;
    if (method >= 0x1500 && method < 0x150c) nv2a_write(unit, at - 0x1500 / 4, 3, word);
    else if (method >= 0x1518 && method < 0x1528) nv2a_write(unit, at - 0x1518 / 4, 4, word);
    else if (method >= 0x1720 && method < 0x1760) unit->offset[at - 0x1720 / 4] = word;
    else if (method >= 0x1760 && method < 0x17a0) unit->format[at - 0x1760 / 4] = word;
    else if (method >= 0x1880 && method < 0x1900) nv2a_write(unit, at - 0x1880 / 4, 2, word);
    else if (method >= 0x1a00 && method < 0x1b00) nv2a_write(unit, at - 0x1a00 / 4, 4, word);
    else if (method == 0x17fc) {
        ends = word == 0 && unit->primitive ? nv2a_draw(unit, drawn) : NV2A_TAKEN;
        unit->primitive = word;
        unit->kind = NV2A_NONE;
        unit->wrong = 0;
        unit->count = 0;
        unit->length = 0;
        return ends;
    } else if (method != 0x1800 && method != 0x1808 && method != 0x1810 && method != 0x1818) return NV2A_OTHER;
    else if (!unit->primitive) return NV2A_TAKEN; /* no draw has begun */
    else if (method == 0x1810) nv2a_range(unit, word & 0xffffff, (word >> 24) + 1);
    else if (method == 0x1818) {
        nv2a_come(unit, NV2A_WORDS);
        nv2a_push(unit, word);
    } else {
        nv2a_come(unit, NV2A_LIST);
        nv2a_push(unit, method == 0x1800 ? word & 0xffff : word);
        if (method == 0x1800) nv2a_push(unit, word >> 16);
    }
    return NV2A_TAKEN;
}

/* Releases what it has allocated. */
static inline void nv2a_end(nv2a *unit) { free(unit->words); }
#endif
