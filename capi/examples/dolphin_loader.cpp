// Loads vertices of the GameCube like Dolphin's loaders. One class stores them in the emulator's own vertex. Another class runs two
// loaders side by side and reports where they differ, as that emulator's VertexLoaderTester does.
//
// The classes have the public interface of VertexLoaderBase. A loader is made for a descriptor and a table of formats. RunVertices reads
// `count` vertices from `src`, stores them at `dst`, and returns their number. Members say what is stored where. `Guest` stands for the
// rest of the emulator (its command processor's state, its memory).
//
//   dolphin_loader [draws]
#include "xfjit.hpp"

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

using u8 = uint8_t;
using u16 = uint16_t;
using u32 = uint32_t;

// ---- What the emulator has ---------------------------------------------------------------------------------

struct Descriptor {
    u32 low, high;
};

struct Formats {
    u32 a, b, c;
};

// The arrays of the command processor, and the memory that they are in.
struct Guest {
    u32 bases[16] = {}, strides[16] = {};
    std::vector<u8> first = std::vector<u8>(1 << 17), second = std::vector<u8>(1 << 17);

    const u8 *at(u32 array, u32 index) const {
        const u32 address = bases[array] + index * strides[array];
        return (address >> 28 ? second : first).data() + (address & 0x0fffffff);
    }
};

// Where an attribute is in the emulator's vertex.
struct Attribute {
    bool enable = false, integer = false;
    u32 components = 0, offset = 0;
};

struct Declaration {
    u32 stride = 0;
    Attribute position, normals[3], colors[2], texcoords[8], posmtx;
};

class VertexLoader {
public:
    VertexLoader(const Descriptor &descriptor, const Formats &formats) : descriptor(descriptor), formats(formats) {
        declare();
    }
    virtual ~VertexLoader() = default;
    virtual int RunVertices(const u8 *src, u8 *dst, int count) = 0;

    Declaration declaration;
    int loaded = 0;

protected:
    u32 source(unsigned attribute) const {
        return attribute < 4 ? descriptor.low >> (9 + 2 * attribute) & 3 : descriptor.high >> (2 * (attribute - 4)) & 3;
    }
    bool has_matrix(unsigned number) const { return (descriptor.low >> number & 1) != 0; }

    const Descriptor descriptor;
    const Formats formats;

private:
    // Matrix index of the position, position, normals, colours, texture coordinates; one with a matrix index has it after s and t.
    void declare() {
        u32 at = 0;
        const auto next = [&](Attribute &attribute, u32 components, u32 bytes, bool integer) {
            attribute = {true, integer, components, at};
            at += bytes;
        };
        if (has_matrix(0)) next(declaration.posmtx, 4, 4, true);
        next(declaration.position, 3, 12, false);
        if (source(1) != 0)
            for (unsigned vector = 0; vector < ((formats.a >> 9 & 1) != 0 ? 3u : 1u); vector++) next(declaration.normals[vector], 3, 12, false);
        for (unsigned colour = 0; colour < 2; colour++)
            if (source(2 + colour) != 0) next(declaration.colors[colour], 4, 4, false);
        for (unsigned number = 0; number < 8; number++) {
            const u32 components = has_matrix(1 + number) ? 3 : 2;
            if (source(4 + number) != 0 || components == 3) next(declaration.texcoords[number], components, 4 * components, false);
        }
        declaration.stride = at;
    }
};

// ---- Ours --------------------------------------------------------------------------------------------------

class XfjitLoader final : public VertexLoader {
public:
    XfjitLoader(const xfjit::Engine &engine, const Guest &guest, const Descriptor &descriptor, const Formats &formats)
        : VertexLoader(descriptor, formats), guest(guest), flipper(engine, &options()) {
        flipper.load_cp(0x50, descriptor.low);
        flipper.load_cp(0x60, descriptor.high);
        flipper.load_cp(0x70, formats.a);
        flipper.load_cp(0x80, formats.b);
        flipper.load_cp(0x90, formats.c);
        store(declaration.posmtx, XFJIT_FLIPPER_IN_MATRIX0, XFJIT_FLIPPER_U8);
        store(declaration.position, XFJIT_FLIPPER_IN_POSITION, XFJIT_FLIPPER_F32);
        for (u32 vector = 0; vector < 3; vector++) store(declaration.normals[vector], XFJIT_FLIPPER_IN_NORMAL + vector, XFJIT_FLIPPER_F32);
        for (u32 colour = 0; colour < 2; colour++) store(declaration.colors[colour], XFJIT_FLIPPER_IN_COLOUR0 + colour, XFJIT_FLIPPER_U8);
        for (u32 number = 0; number < 8; number++) {
            Attribute attribute = declaration.texcoords[number];
            const bool has_index = attribute.components == 3;
            attribute.components = 2;
            store(attribute, XFJIT_FLIPPER_IN_TEX0 + number, XFJIT_FLIPPER_F32);
            attribute.components = 1;
            attribute.offset += 8;
            if (has_index) store(attribute, XFJIT_FLIPPER_IN_MATRIX0 + 1 + number, XFJIT_FLIPPER_F32);
        }
    }

    int RunVertices(const u8 *src, u8 *dst, int count) override {
        for (u32 array = 0; array < 16; array++) {
            flipper.load_cp(0xa0 | array, guest.bases[array]);
            flipper.load_cp(0xb0 | array, guest.strides[array]);
        }
        const xfjit_flipper_memory memory =
            xfjit::flipper_memory(guest.first.data(), guest.first.size(), guest.second.data(), guest.second.size());
        const u32 vertices = static_cast<u32>(count);
        const xfjit::Draw draw{0x90, vertices, src, vertices * flipper.vertex_size(0x90), &memory};
        const int stored = static_cast<int>(flipper.fetch(draw, elements, dst, size_t(vertices) * declaration.stride));
        loaded += stored;
        return stored;
    }

private:
    static const xfjit_flipper_options &options() {
        static const xfjit_flipper_options made = xfjit::flipper_options(XFJIT_FLIPPER_DOLPHIN_JIT, XFJIT_WII);
        return made;
    }
    void store(const Attribute &attribute, u32 source, u32 stored) {
        if (attribute.enable) elements.push_back({source, stored, attribute.components, attribute.offset, declaration.stride, 0});
    }

    const Guest &guest;
    xfjit::Flipper flipper;
    std::vector<xfjit_flipper_element> elements;
};

// ---- Side by side ------------------------------------------------------------------------------------------

// Runs a loader and ours next to it. The emulator continues with the results of its own loader.
class LoaderTester final : public VertexLoader {
public:
    LoaderTester(std::unique_ptr<VertexLoader> theirs, std::unique_ptr<VertexLoader> ours, const Descriptor &descriptor, const Formats &formats)
        : VertexLoader(descriptor, formats), theirs(std::move(theirs)), ours(std::move(ours)) {}

    int RunVertices(const u8 *src, u8 *dst, int count) override {
        const size_t stride = declaration.stride;
        // Bytes that a loader does not store stay zero in both.
        mine.assign(stride * static_cast<size_t>(count), 0);
        memset(dst, 0, mine.size());
        const int stored = theirs->RunVertices(src, dst, count);
        const int other = ours->RunVertices(src, mine.data(), count);
        loaded += stored;
        const size_t bytes = stride * static_cast<size_t>(stored);
        if (stored != other || memcmp(dst, mine.data(), bytes) != 0) {
            size_t at = 0;
            while (stored == other && at < bytes && dst[at] == mine[at]) at++;
            if (differences++ == 0)
                printf("the first difference: %d and %d vertices, vertex %zu, byte %zu of it\n", stored, other, at / stride, at % stride);
        }
        return stored;
    }

    int differences = 0;

private:
    std::unique_ptr<VertexLoader> theirs, ours;
    std::vector<u8> mine;
};

// ---- A loader in plain C++, as the emulator might have it ----------------------------------------------------

// Positions and texture coordinates of shorts, normals of bytes, colours of 16 bits; direct, or by indices of bytes or shorts.
class PlainLoader final : public VertexLoader {
public:
    PlainLoader(const Guest &guest, const Descriptor &descriptor, const Formats &formats, bool is_wrong)
        : VertexLoader(descriptor, formats), guest(guest), is_wrong(is_wrong) {}

    int RunVertices(const u8 *src, u8 *dst, int count) override {
        int stored = 0;
        for (int vertex = 0; vertex < count; vertex++) {
            u8 matrices[9] = {};
            for (unsigned number = 0; number < 9; number++)
                if (has_matrix(number)) matrices[number] = *src++ & (number == 0 ? 0x3f : 0xff);
            bool is_there = true;
            u8 made[256] = {};
            made[declaration.posmtx.offset] = matrices[0];
            const u8 *from = element(0, 6, src, is_there);
            numbers(made + declaration.position.offset, from, 3, formats.a >> 4 & 31);
            if (source(1) != 0) {
                from = element(1, 3, src, is_there);
                float normal[3];
                for (int at = 0; at < 3; at++) normal[at] = static_cast<float>(static_cast<int8_t>(from[at])) / 64.0f;
                memcpy(made + declaration.normals[0].offset, normal, sizeof normal);
            }
            if (source(2) != 0) {
                from = element(2, 2, src, is_there);
                const unsigned colour = static_cast<unsigned>(from[0] << 8 | from[1]);
                const unsigned red = colour >> 11, green = colour >> 5 & 63, blue = colour & 31;
                u8 *to = made + declaration.colors[0].offset;
                to[0] = static_cast<u8>(red << 3 | red >> 2);
                to[1] = static_cast<u8>(green << 2 | green >> 4);
                to[2] = static_cast<u8>(blue << 3 | blue >> 2);
                to[3] = is_wrong ? 254 : 255;
            }
            if (source(4) != 0) {
                from = element(4, 4, src, is_there);
                numbers(made + declaration.texcoords[0].offset, from, 2, formats.a >> 25 & 31);
            }
            if (has_matrix(1)) {
                const float index = matrices[1];
                memcpy(made + declaration.texcoords[0].offset + 8, &index, sizeof index);
            }
            if (!is_there) continue;
            memcpy(dst, made, declaration.stride);
            dst += declaration.stride;
            stored++;
        }
        loaded += stored;
        return stored;
    }

private:
    // Returns the bytes of an attribute, and advances after them. A position whose index is all ones drops the vertex.
    const u8 *element(unsigned attribute, unsigned bytes, const u8 *&src, bool &is_there) const {
        const u8 *from = src;
        if (source(attribute) == 1) {
            src += bytes;
            return from;
        }
        const bool is_short = source(attribute) == 3;
        const u32 index = is_short ? static_cast<u32>(from[0] << 8 | from[1]) : from[0];
        src += is_short ? 2 : 1;
        if (attribute == 0 && index == (is_short ? 0xffffu : 0xffu)) {
            is_there = false;
            return guest.first.data();
        }
        return guest.at(attribute, index);
    }
    static void numbers(u8 *to, const u8 *from, int count, u32 fraction) {
        for (int at = 0; at < count; at++) {
            const int16_t code = static_cast<int16_t>(from[2 * at] << 8 | from[2 * at + 1]);
            const float number = std::ldexp(static_cast<float>(code), -static_cast<int>(fraction));
            memcpy(to + 4 * at, &number, sizeof number);
        }
    }

    const Guest &guest;
    const bool is_wrong;
};

// ---- Trying it ---------------------------------------------------------------------------------------------

static u32 random_word() {
    static u32 state = 0x9e3779b9;
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return state;
}

static size_t vertex_bytes(const Descriptor &descriptor) {
    const auto bytes = [](u32 source, size_t own) { return source == 0 ? 0 : source == 1 ? own : source == 2 ? 1 : 2; };
    const size_t matrices = (descriptor.low & 1) + (descriptor.low >> 1 & 1);
    return matrices + bytes(descriptor.low >> 9 & 3, 6) + bytes(descriptor.low >> 11 & 3, 3) + bytes(descriptor.low >> 13 & 3, 2)
        + bytes(descriptor.high & 3, 4);
}

// Runs draws of one configuration after the other through the tester. Returns how many of them differed.
static int compare(const xfjit::Engine &engine, Guest &guest, int draws, bool is_wrong, int &vertices) {
    int differences = 0;
    std::vector<u8> src, dst;
    for (int draw = 0; draw < draws; draw++) {
        // Three shorts with a fraction, normals of signed bytes, a colour of 16 bits, two shorts; fractions of shorts count.
        const Formats formats{1u | 3u << 1 | (random_word() & 31) << 4 | 1u << 10 | 0u << 14 | 1u << 21 | 3u << 22
                | (random_word() & 31) << 25 | 1u << 30,
            0, 0};
        const Descriptor descriptor{(random_word() & 3) | (1 + random_word() % 3) << 9 | (random_word() & 3) << 11
                | (is_wrong ? 1 : random_word() & 3) << 13,
            1 + random_word() % 3};
        for (u32 array = 0; array < 16; array++) {
            guest.bases[array] = (random_word() & 0xfff) | (random_word() & 1) << 28;
            guest.strides[array] = random_word() & 0xff;
        }
        const int count = 1 + static_cast<int>(random_word() % 40);
        src.resize(vertex_bytes(descriptor) * static_cast<size_t>(count));
        for (u8 &byte : src) byte = static_cast<u8>(random_word());
        // Indices of shorts stay where there is memory, or leave the vertex out.
        if ((descriptor.low >> 9 & 3) == 3 || (descriptor.low >> 11 & 3) == 3 || (descriptor.low >> 13 & 3) == 3 || (descriptor.high & 3) == 3)
            for (u32 array = 0; array < 16; array++) guest.strides[array] = 0;
        LoaderTester tester(std::make_unique<PlainLoader>(guest, descriptor, formats, is_wrong),
            std::make_unique<XfjitLoader>(engine, guest, descriptor, formats), descriptor, formats);
        dst.resize(tester.declaration.stride * static_cast<size_t>(count));
        tester.RunVertices(src.data(), dst.data(), count);
        differences += tester.differences;
        vertices += tester.loaded;
    }
    return differences;
}

// Returns the nanoseconds a vertex, in draws of this many.
static double time_of(VertexLoader &loader, const std::vector<u8> &src, int count) {
    std::vector<u8> dst(loader.declaration.stride * static_cast<size_t>(count));
    const auto begin = std::chrono::steady_clock::now();
    for (int draw = 0; draw < 200; draw++) loader.RunVertices(src.data(), dst.data(), count);
    const std::chrono::duration<double, std::nano> taken = std::chrono::steady_clock::now() - begin;
    return taken.count() / (200.0 * count);
}

int main(int argc, char **argv) {
    const int draws = argc > 1 ? atoi(argv[1]) : 2000;
    xfjit::Engine engine;
    Guest guest;
    for (u8 &byte : guest.first) byte = static_cast<u8>(random_word());
    for (u8 &byte : guest.second) byte = static_cast<u8>(random_word());
    int vertices = 0, others = 0;
    const int differences = compare(engine, guest, draws, false, vertices);
    printf("%d draws, %d vertices: %d draws differ\n", draws, vertices, differences);
    // The tester reports a loader with a mistake.
    const int found = compare(engine, guest, 20, true, others);
    printf("of 20 draws of a loader that is wrong on purpose %d differ\n", found);
    const Formats formats{1u | 3u << 1 | 1u << 10 | 1u << 21 | 3u << 22 | 1u << 30, 0, 0};
    const Descriptor descriptor{1u << 9 | 1u << 11 | 1u << 13, 1};
    std::vector<u8> src(vertex_bytes(descriptor) * 2000);
    for (int count : {4, 200, 2000}) {
        PlainLoader plain(guest, descriptor, formats, false);
        XfjitLoader ours(engine, guest, descriptor, formats);
        printf("%4d vertices a draw: %.1f and %.1f ns a vertex\n", count, time_of(plain, src, count), time_of(ours, src, count));
    }
    return differences == 0 && found == 20 ? 0 : 1;
}
