/* The loader, with the library and without it. C89 and C++98. */
#define XFJIT_LOADER_IMPLEMENTATION
#include "xfjit_loader.h"

#include "check.h"

static void alone(xfjit_api *xfjit, const char *path, int how, const char *why) {
    CHECK(xfjit_load(xfjit, path) == how);
    CHECK(xfjit->library == NULL && xfjit->run_rows == NULL);
    CHECK(strstr(xfjit->error, why) != NULL && strlen(xfjit->error) < sizeof xfjit->error);
    xfjit_unload(xfjit);
}

/* Paths: the library, another library, one whose functions are those of another version, one that lacks some. */
int main(int count, char **arguments) {
    static float constants[192][4], in[1][16][4], out[1][16][4];
    float position[4], colour[4];
    xfjit_api xfjit;
    xfjit_engine *engine;
    xfjit_worker *worker;
    xfjit_config config;
    const xfjit_program *program;
    CHECK(count == 5);
    alone(&xfjit, "/there/is/no/such/library", XFJIT_NOT_FOUND, "/there/is/no/such/library: ");
#if defined _WIN32
    /* There programs are libraries, too. */
    alone(&xfjit, arguments[0], XFJIT_OTHER_ABI, "lacks the function xfjit_abi_version");
    alone(&xfjit, "\xff.dll", XFJIT_NOT_FOUND, "\xff.dll: ");
    alone(&xfjit, "", XFJIT_NOT_FOUND, "");
#else
    alone(&xfjit, arguments[0], XFJIT_NOT_FOUND, arguments[0]);
#endif
    alone(&xfjit, arguments[2], XFJIT_OTHER_ABI, "lacks the function xfjit_abi_version");
    alone(&xfjit, arguments[3], XFJIT_OTHER_ABI, "different interface versions");
    alone(&xfjit, arguments[4], XFJIT_INCOMPLETE, "the library lacks the function xfjit_");

    CHECK(xfjit_load(&xfjit, arguments[1]) == XFJIT_LOADED);
    CHECK(xfjit.error[0] == 0);
    CHECK(xfjit.engine_create(NULL, &engine) == XFJIT_OK);
    CHECK(xfjit.worker_create(engine, &worker) == XFJIT_OK);
    config.size = (uint32_t)sizeof config;
    CHECK(xfjit.config_init(&config, XFJIT_KELVIN) == XFJIT_OK);
    config.live_outputs = 9;
    CHECK(xfjit.worker_program(worker, TRANSFORM, 16, 5, 0, &config, &program) == XFJIT_OK);
    fill_constants(constants);
    fill_vertex(in[0], 3);
    CHECK(xfjit.run_rows(program, worker, constants, 192, NULL, in, out, 1) == XFJIT_OK);
    expected(in[0], constants, position, colour);
    CHECK(memcmp(out[0][0], position, 16) == 0 && memcmp(out[0][3], colour, 16) == 0);
    CHECK(xfjit.run_rows(program, worker, constants, 191, NULL, in, out, 1) == XFJIT_E_CONSTANTS);
    CHECK(xfjit.worker_destroy(worker) == XFJIT_OK);
    CHECK(xfjit.engine_destroy(engine) == XFJIT_OK);
    xfjit_unload(&xfjit);
    CHECK(xfjit.library == NULL);
    CHECK(STATE[0][0] == 0);
    puts("fine");
    return 0;
}
