// The header for C++17: handles that end by themselves, statuses as exceptions.
#include "xfjit.hpp"

#include "check.h"

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
    CHECK(kept.info().vertices == 1);
    puts("fine");
    return 0;
}
