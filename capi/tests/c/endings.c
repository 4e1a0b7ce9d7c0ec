/* Engines that end where they hardly can: in a callback on their own thread, in a call of their own, and in a child that was
 * forked while the thread was at work. POSIX. */
#define _POSIX_C_SOURCE 200809L
#include "xfjit.h"

#include "check.h"
#include <sys/wait.h>
#include <unistd.h>

enum { COUNT = 40 };

typedef struct session {
    xfjit_engine *engine;
    xfjit_worker *worker;
    xfjit_unit *unit;
    xfjit_list *list;
    const xfjit_program *program;
} session;

/* What a callback is to do, and the pipes by which it tells that it is there, and is told to go on. */
typedef struct told {
    session *ends;
    int is_slow;
    int there[2], go[2];
    xfjit_status status;
} told;

static void tell(int descriptor) {
    CHECK(write(descriptor, "!", 1) == 1);
}

static void hear(int descriptor) {
    char byte;
    CHECK(read(descriptor, &byte, 1) == 1);
}

static void heard(void *user, uint32_t event, const xfjit_program *program) {
    told *all = (told *)user;
    (void)program;
    CHECK(event == XFJIT_EVENT_COMPILED || event == XFJIT_EVENT_REFUSED);
    if (all->is_slow) {
        tell(all->there[1]);
        hear(all->go[0]);
    }
    if (all->ends) {
        /* Whichever is the last to have it. */
        if (all->ends->worker)
            CHECK(xfjit_worker_destroy(all->ends->worker) == XFJIT_OK);
        all->status = xfjit_engine_destroy(all->ends->engine);
        all->ends->engine = NULL;
        tell(all->there[1]);
    }
}

static void config_for(xfjit_config *config) {
    memset(config, 0, sizeof *config);
    config->size = sizeof *config;
    CHECK(xfjit_config_init(config, XFJIT_KELVIN) == XFJIT_OK);
    config->live_outputs = 9;
}

static void get(session *it) {
    xfjit_config config;
    config_for(&config);
    CHECK(xfjit_program_get(it->engine, TRANSFORM, 16, 5, 0, &config, &it->program) == XFJIT_OK);
}

static session begin(told *all, uint64_t compile_after) {
    session it;
    xfjit_options options;
    memset(&it, 0, sizeof it);
    memset(&options, 0, sizeof options);
    options.size = sizeof options;
    options.compile_after = compile_after;
    options.heard = heard;
    options.user = all;
    CHECK(xfjit_engine_create(&options, &it.engine) == XFJIT_OK);
    CHECK(xfjit_worker_create(it.engine, &it.worker) == XFJIT_OK);
    return it;
}

static void run(const session *it) {
    static float constants[192][4], in[COUNT][16][4], out[COUNT][16][4];
    float position[4], colour[4];
    int vertex;
    fill_constants(constants);
    for (vertex = 0; vertex < COUNT; vertex++)
        fill_vertex(in[vertex], vertex);
    memset(out, 0, sizeof out);
    CHECK(xfjit_run_rows(it->program, it->worker, constants, 192, NULL, in, out, COUNT) == XFJIT_OK);
    for (vertex = 0; vertex < COUNT; vertex++) {
        expected(in[vertex], constants, position, colour);
        CHECK(memcmp(out[vertex][0], position, 16) == 0 && memcmp(out[vertex][3], colour, 16) == 0);
    }
}

static void end(session *it) {
    CHECK(xfjit_program_unref(it->program) == XFJIT_OK);
    CHECK(xfjit_list_destroy(it->list) == XFJIT_OK);
    CHECK(xfjit_unit_destroy(it->unit) == XFJIT_OK);
    CHECK(xfjit_worker_destroy(it->worker) == XFJIT_OK);
    CHECK(xfjit_engine_destroy(it->engine) == XFJIT_OK);
}

static void prepare(told *all) {
    memset(all, 0, sizeof *all);
    all->status = 1;
    CHECK(pipe(all->there) == 0 && pipe(all->go) == 0);
}

/* The engine's thread ends the engine, with or without its worker. */
static void on_its_thread(int with_worker) {
    told all;
    session it;
    prepare(&all);
    it = begin(&all, 1);
    get(&it);
    if (!with_worker) {
        CHECK(xfjit_worker_destroy(it.worker) == XFJIT_OK);
        it.worker = NULL;
    }
    all.ends = &it;
    CHECK(xfjit_engine_warm(it.engine, &it.program, 1, 0) == XFJIT_OK);
    hear(all.there[0]);
    CHECK(all.status == XFJIT_OK);
    CHECK(xfjit_program_unref(it.program) == XFJIT_OK);
}

/* A call ends the engine with which it was made. */
static void in_a_call(void) {
    told all;
    session it;
    prepare(&all);
    it = begin(&all, 0);
    CHECK(xfjit_worker_destroy(it.worker) == XFJIT_OK);
    it.worker = NULL;
    all.ends = &it;
    get(&it);
    CHECK(all.status == XFJIT_OK && it.engine == NULL);
    /* Nothing to compile, so nobody is told. */
    it = begin(&all, 0);
    all.ends = NULL;
    get(&it);
    run(&it);
    end(&it);
}

/* A child runs what it has and ends everything, while the thread of the parent is in a callback, or idle. */
static void in_a_child(uint64_t compile_after, int is_slow) {
    told all;
    session it;
    pid_t child;
    int status;
    prepare(&all);
    it = begin(&all, compile_after);
    CHECK(xfjit_unit_create(it.engine, XFJIT_NV2A, NULL, &it.unit) == XFJIT_OK);
    CHECK(xfjit_list_load(NULL, &it.list) == XFJIT_OK);
    get(&it);
    run(&it);
    all.is_slow = is_slow;
    if (is_slow) {
        CHECK(xfjit_engine_warm(it.engine, &it.program, 1, 0) == XFJIT_OK);
        hear(all.there[0]);
    }
    child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        alarm(100); /* Who waits for what is not there waits for ever. */
        run(&it);
        end(&it);
        _exit(0);
    }
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    all.is_slow = 0;
    if (is_slow)
        tell(all.go[1]);
    run(&it);
    end(&it);
}

int main(void) {
    if (xfjit_host_features() & XFJIT_FEATURE_NATIVE) {
        on_its_thread(0);
        on_its_thread(1);
        in_a_call();
        in_a_child(1000000, 1);
    }
    in_a_child(1000000, 0);
    in_a_child(0, 0);
    puts("fine");
    return 0;
}
