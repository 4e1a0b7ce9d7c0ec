/* Recording a unit and a worker: bytes that a file would get, and a budget. */
#include "xfjit.h"

#include "check.h"

/* A file in memory. */
struct file {
    unsigned char bytes[1 << 16];
    size_t size, calls, ends, most;
};

static int32_t take(void *user, const void *bytes, size_t size) {
    struct file *file = user;
    file->calls++;
    if (bytes == NULL) {
        file->ends++;
        return 0;
    }
    if (file->size + size > file->most) {
        return 1;
    }
    memcpy(file->bytes + file->size, bytes, size);
    file->size += size;
    return 0;
}

static void begin(struct file *file, size_t most) {
    memset(file, 0, sizeof *file);
    file->most = most;
}

/* What the capture says that it is of: the content of its first block. */
static int is_of(const struct file *file, const char *name) {
    return file->size > 56 && memcmp(file->bytes, "\x89XFC\r\n\x1a\n", 8) == 0 && memcmp(file->bytes + 20, "CHIP", 4) == 0
        && memcmp(file->bytes + 44, name, strlen(name)) == 0;
}

/* It has its end: a block of eight bytes, whose head is 24 and whose checksum is four. */
static int is_whole(const struct file *file) {
    return file->ends == 1 && memcmp(file->bytes + file->size - 36, "END ", 4) == 0;
}

/* How often the bytes of a text are in it. */
static int holds(const struct file *file, const char *text) {
    size_t length = strlen(text), at;
    int found = 0;
    for (at = 0; at + length <= file->size; at++) {
        found += memcmp(file->bytes + at, text, length) == 0;
    }
    return found;
}

static struct file file;

int main(int count, char **arguments) {
    xfjit_engine *engine = NULL;
    xfjit_worker *worker = NULL;
    xfjit_unit *unit = NULL;
    const xfjit_program *program = NULL;
    xfjit_config config;
    static float constants[192][4], in[70][16][4], out[70][16][4];
    float position[4], colour[4];
    uint32_t commands[3];
    unsigned i;
    FILE *to;
    CHECK(xfjit_engine_create(NULL, &engine) == XFJIT_OK);
    CHECK(xfjit_worker_create(engine, &worker) == XFJIT_OK);
    config.size = sizeof config;
    CHECK(xfjit_config_init(&config, XFJIT_KELVIN) == XFJIT_OK);
    config.live_outputs = 9;
    CHECK(xfjit_program_get(engine, TRANSFORM, 16, 5, 0, &config, &program) == XFJIT_OK);
    fill_constants(constants);
    for (i = 0; i < 70; i++) {
        fill_vertex(in[i], (int)i);
    }

    /* Calls, more than once, with constants that change. */
    begin(&file, sizeof file.bytes);
    CHECK(xfjit_worker_record(worker, sizeof file.bytes, NULL, &file) == XFJIT_E_ARGUMENT);
    CHECK(xfjit_worker_record(worker, sizeof file.bytes, take, &file) == XFJIT_OK);
    for (i = 0; i < 3; i++) {
        constants[4][0] = (float)i;
        CHECK(xfjit_run_rows(program, worker, constants, 192, NULL, in, out, 3 + i) == XFJIT_OK);
    }
    CHECK(xfjit_worker_record_end(worker) == XFJIT_OK);
    CHECK(xfjit_worker_record_end(worker) == XFJIT_OK);
    CHECK(is_of(&file, "calls") && is_whole(&file) && holds(&file, "name") == 0);
    if (count > 1) {
        to = fopen(arguments[1], "wb");
        CHECK(to != NULL && fwrite(file.bytes, 1, file.size, to) == file.size && fclose(to) == 0);
    }

    /* Labels: once each, and again when they change. */
    begin(&file, sizeof file.bytes);
    CHECK(xfjit_program_set_label(program, "transform") == XFJIT_OK);
    CHECK(xfjit_worker_record(worker, sizeof file.bytes, take, &file) == XFJIT_OK);
    for (i = 0; i < 4; i++) {
        CHECK(xfjit_program_set_label(program, i < 2 ? "transform" : "a cube's") == XFJIT_OK);
        CHECK(xfjit_run_rows(program, worker, constants, 192, NULL, in, out, 3) == XFJIT_OK);
    }
    CHECK(xfjit_program_set_label(program, NULL) == XFJIT_OK);
    CHECK(xfjit_run_rows(program, worker, constants, 192, NULL, in, out, 3) == XFJIT_OK);
    CHECK(xfjit_worker_record_end(worker) == XFJIT_OK && is_whole(&file));
    CHECK(holds(&file, "transform") == 1 && holds(&file, "a cube's") == 1 && holds(&file, "name") == 3);
    if (count > 2) {
        to = fopen(arguments[2], "wb");
        CHECK(to != NULL && fwrite(file.bytes, 1, file.size, to) == file.size && fclose(to) == 0);
    }

    /* There is no room for the third call: the recording ends by itself, below its budget. */
    begin(&file, sizeof file.bytes);
    CHECK(xfjit_worker_record(worker, 6000, take, &file) == XFJIT_OK);
    for (i = 0; i < 9; i++) {
        CHECK(xfjit_run_rows(program, worker, constants, 192, NULL, in, out, 70) == XFJIT_OK);
    }
    CHECK(is_of(&file, "calls") && is_whole(&file) && file.size <= 6000);
    CHECK(xfjit_worker_record_end(worker) == XFJIT_OK && file.ends == 1);

    /* The least budget is that of an empty capture: the first call ends it. */
    begin(&file, sizeof file.bytes);
    CHECK(xfjit_worker_record(worker, 0, take, &file) == XFJIT_E_ARGUMENT);
    CHECK(xfjit_worker_record(worker, 88, take, &file) == XFJIT_E_ARGUMENT && file.calls == 0);
    CHECK(xfjit_worker_record(worker, 89, take, &file) == XFJIT_OK);
    CHECK(xfjit_run_rows(program, worker, constants, 192, NULL, in, out, 1) == XFJIT_OK);
    CHECK(is_of(&file, "calls") && is_whole(&file) && file.size == 89);

    /* Bytes that are not taken end it, too; what runs runs. */
    begin(&file, 10);
    CHECK(xfjit_worker_record(worker, sizeof file.bytes, take, &file) == XFJIT_E_FILE);
    CHECK(xfjit_run_rows(program, worker, constants, 192, NULL, in, out, 1) == XFJIT_OK);
    CHECK(file.calls == 1 && file.ends == 0);
    expected(in[0], constants, position, colour);
    CHECK(memcmp(out[0][0], position, 16) == 0 && memcmp(out[0][3], colour, 16) == 0);

    /* A unit, from the middle on. */
    CHECK(xfjit_unit_create(engine, XFJIT_NV2A, NULL, &unit) == XFJIT_OK);
    commands[0] = 0x19000u | 0x600u;
    commands[1] = 0x3f800000u;
    CHECK(xfjit_unit_write(unit, commands, 2) == XFJIT_OK);
    begin(&file, sizeof file.bytes);
    CHECK(xfjit_unit_record(unit, take, &file) == XFJIT_OK);
    commands[2] = XFJIT_COMMAND_VERTEX;
    for (i = 0; i < 100; i++) {
        CHECK(xfjit_unit_write(unit, commands, 3) == XFJIT_OK);
    }
    CHECK(xfjit_unit_set(unit, XFJIT_REGISTER_OUTPUTS, 1) == XFJIT_OK);
    CHECK(xfjit_unit_record_end(unit) == XFJIT_OK);
    CHECK(is_of(&file, "nv2a") && is_whole(&file));
    CHECK(xfjit_unit_record_end(unit) == XFJIT_OK && file.ends == 1);

    CHECK(xfjit_unit_destroy(unit) == XFJIT_OK);
    CHECK(xfjit_program_unref(program) == XFJIT_OK);
    CHECK(xfjit_worker_destroy(worker) == XFJIT_OK);
    CHECK(xfjit_engine_destroy(engine) == XFJIT_OK);
    puts("fine");
    return 0;
}
