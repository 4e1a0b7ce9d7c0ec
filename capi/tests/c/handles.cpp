// The header for C++17: handles that end by themselves, statuses as exceptions.
#include "xfjit.hpp"

#include "check.h"

// Two points with a position of three bytes; x alone has a matrix row.
static void flippers() {
    xfjit::Engine engine;
    xfjit_flipper_options options = xfjit::flipper_options(XFJIT_FLIPPER_DOLPHIN_JIT, XFJIT_WII);
    CHECK(options.dialect == 2 && options.console == XFJIT_WII);
    xfjit::Flipper flipper(engine, &options);
    const uint32_t row[4] = {0x40000000, 0, 0, 0x3f800000};
    const unsigned char points[6] = {3, 0, 0, 4, 0, 0};
    const xfjit_flipper_element out[] = {{XFJIT_FLIPPER_OUT_EYE, XFJIT_FLIPPER_F32, 1, 0, 4, 0}};
    const std::vector<xfjit_flipper_element> in{{XFJIT_FLIPPER_IN_POSITION, XFJIT_FLIPPER_F32, 1, 0, 4, 0}};
    flipper.load_cp(0x50, 1 << 9);
    flipper.load_cp(0x70, 1);
    flipper.load_xf(0, row, 4);
    uint32_t read = 0;
    flipper.read_xf(3, &read, 1);
    CHECK(flipper.read_cp(0x50) == 1 << 9 && read == row[3] && flipper.vertex_size(0xb8) == 3);
    flipper.set_layout(out);
    const xfjit::Draw draw{0xb8, 2, points, sizeof points, nullptr};
    unsigned seen = 0;
    const auto take = [&](const xfjit_flipper_output &output) {
        float x[2];
        CHECK(output.kind == XFJIT_FLIPPER_DRAW && output.vertex_bytes == sizeof x);
        memcpy(x, output.vertices, sizeof x);
        CHECK(x[0] == 7.0f && x[1] == 9.0f);
        seen++;
    };
    flipper.draw(draw, take);
    const std::vector<unsigned char> state = flipper.save();
    const unsigned char stream[] = {0xb8, 0, 2, 3, 0, 0, 4, 0, 0, 8};
    const xfjit_flipper_memory none = xfjit::flipper_memory(nullptr, 0);
    CHECK(flipper.run(stream, sizeof stream, &none, take).waiting == 1 && seen == 2);
    flipper.load(state.data(), state.size());
    // What is thrown leaves the call, and the unit goes on.
    try {
        flipper.run(stream, sizeof stream, nullptr, [](const xfjit_flipper_output &) { throw 5; });
        CHECK(false);
    } catch (int thrown) {
        CHECK(thrown == 5);
    }
    float x[2];
    CHECK(flipper.fetch(draw, in, x, sizeof x) == 2 && x[0] == 3.0f && x[1] == 4.0f);
    xfjit_attribute attribute{};
    attribute.data = x;
    attribute.size_bytes = sizeof x;
    attribute.stride = 4;
    attribute.format = XFJIT_FORMAT_F32;
    attribute.components = 1;
    xfjit_batch batch{};
    batch.count = 2;
    batch.attributes = &attribute;
    batch.attribute_count = 1;
    float eye[2];
    flipper.transform(batch, 0, out, eye, sizeof eye);
    CHECK(eye[0] == 7.0f && eye[1] == 9.0f);
    CHECK(!flipper.culled(draw) && flipper.culled({0x90, 2, points, sizeof points, nullptr}));
    static unsigned char ram[64], block[32];
    const xfjit_flipper_memory memory = xfjit::flipper_memory(ram, sizeof ram);
    uint32_t held = 0;
    flipper.write_gather(0x0c008000);
    flipper.write_pi(XFJIT_FLIPPER_PI_TOP, 32);
    flipper.write_port(XFJIT_FLIPPER_PORT_TOP, 32);
    flipper.write_port(XFJIT_FLIPPER_PORT_LOW, 64);
    flipper.write_port(XFJIT_FLIPPER_PORT_ENABLE,
        XFJIT_FLIPPER_ENABLE_READ | XFJIT_FLIPPER_ENABLE_LINK | XFJIT_FLIPPER_ENABLE_UNDERFLOW_INTERRUPT);
    flipper.store(0, 8, ram, sizeof ram);
    CHECK(flipper.read_gather(&held) == 0x0c008000 && held == 8 && flipper.interrupt());
    flipper.burst(block, ram, sizeof ram);
    CHECK(flipper.read_pi(XFJIT_FLIPPER_PI_WRITE) == 32 && flipper.read_port(XFJIT_FLIPPER_PORT_COUNT) == 32);
    flipper.set_cancel(nullptr);
    CHECK(flipper.run_fifo(&memory, take).used == 32);
    try {
        flipper.fetch(draw, in, x, 4);
        CHECK(false);
    } catch (const xfjit::Error &error) {
        CHECK(error.status() == XFJIT_E_OUTPUT);
    }
}

int main() {
    static float constants[192][4], in[1][16][4], out[1][16][4];
    float position[4], colour[4];
    fill_constants(constants);
    fill_vertex(in[0], 4);
    xfjit::Program kept;
    {
        xfjit::Engine engine;
        xfjit::Worker worker(engine);
        xfjit_config config = xfjit::config(XFJIT_KELVIN);
        config.live_outputs = 9;
        xfjit::Program program = engine.program(TRANSFORM, 5, 0, config);
        kept = program;
        xfjit::check(xfjit_run_rows(kept.get(), worker.get(), constants, 192, nullptr, in, out, 1));
        expected(in[0], constants, position, colour);
        CHECK(memcmp(out[0][0], position, 16) == 0 && memcmp(out[0][3], colour, 16) == 0);
        xfjit_batch batch = xfjit_batch();
        batch.constants = constants;
        batch.constant_rows = 192;
        CHECK(worker.run(program, batch).done == 0);
        CHECK(xfjit::Program::share(worker.find(TRANSFORM, 5, 0, config)).info().slots == 5);
        CHECK(worker.run(worker.find(TRANSFORM, 5, 0, config), batch).done == 0);
        try {
            engine.program(STATE, 2, 7, config);
            CHECK(false);
        } catch (const xfjit::Error &error) {
            CHECK(error.status() == XFJIT_E_DECODE && strstr(error.what(), "start slot 7") != nullptr);
        }
        xfjit::Unit unit(engine, XFJIT_NV2A);
        xfjit::Unit other = std::move(unit);
        CHECK(unit.get() == nullptr && other.get() != nullptr);
        CHECK(xfjit::config_like(XFJIT_LIKE_BOCHS, XFJIT_KELVIN).model == XFJIT_IEEE);
    }
    flippers();
    CHECK(kept.info().vertices == 1);
    puts("fine");
    return 0;
}
