/* A program as a compute shader on the system's OpenGL ES, which is llvmpipe where Mesa has no other device: NAME.comp, in groups of GROUP invocations, reads vertices from buffer 0, rows of
 * constants from buffer 2, and writes outputs to buffer 1. Prints nanoseconds of a batch when batches are queued, nanoseconds of one that is waited for, milliseconds of
 * compiling, how many components differ from xfjit's by more than 1/64, and the renderer.
 *
 *     llvmpipe CASE GROUP VERTICES
 */
#include "peer.h"
#include "../../tests/glsl/surfaceless.h"

/* Batches between two waits, where they are queued. */
#define QUEUED 200

static GLuint groups;

static void buffer(GLuint binding, const void *words, size_t count) {
    GLuint name;
    glGenBuffers(1, &name);
    glBindBuffer(GL_SHADER_STORAGE_BUFFER, name);
    glBufferData(GL_SHADER_STORAGE_BUFFER, (GLsizeiptr)(4 * count), words, GL_DYNAMIC_DRAW);
    glBindBufferBase(GL_SHADER_STORAGE_BUFFER, binding, name);
}

static void queued(void *of) {
    int batch;
    (void)of;
    for (batch = 0; batch < QUEUED; ++batch) {
        glDispatchCompute(groups, 1, 1);
        glMemoryBarrier(GL_SHADER_STORAGE_BARRIER_BIT);
    }
    glFinish();
}

static void waited_for(void *of) {
    (void)of;
    glDispatchCompute(groups, 1, 1);
    glFinish();
}

int main(int count, char **words) {
    size_t text_words, in, rows, out;
    uint32_t *text, *inputs, *constants, *want;
    const GLchar *sources[2];
    char head[64];
    char log[4096] = "";
    GLint good;
    GLuint shader, program;
    double begin, compiled, throughput, latency;
    const void *got;
    if (count != 4) fail("usage: llvmpipe CASE GROUP VERTICES", "llvmpipe");
    text = read_words(words[1], "comp", &text_words);
    inputs = read_words(words[1], "in", &in);
    constants = read_words(words[1], "rows", &rows);
    want = read_words(words[1], "ieee.out", &out);
    start();
    snprintf(head, sizeof head, "#version 310 es\n#define GROUP %lu\n", strtoul(words[2], NULL, 10));
    sources[0] = head;
    sources[1] = (const GLchar *)text;
    begin = now_ns();
    shader = glCreateShader(GL_COMPUTE_SHADER);
    program = glCreateProgram();
    glShaderSource(shader, 2, sources, NULL);
    glCompileShader(shader);
    glGetShaderiv(shader, GL_COMPILE_STATUS, &good);
    glGetShaderInfoLog(shader, sizeof log, NULL, log);
    if (!good) fail(log, words[1]);
    glAttachShader(program, shader);
    glLinkProgram(program);
    glGetProgramiv(program, GL_LINK_STATUS, &good);
    if (!good) fail("it does not link", words[1]);
    glUseProgram(program);
    buffer(0, inputs, in);
    buffer(2, constants, rows);
    buffer(1, NULL, out);
    groups = (GLuint)(strtoul(words[3], NULL, 10) / strtoul(words[2], NULL, 10));
    waited_for(NULL);
    compiled = now_ns() - begin;
    throughput = best_ns(queued, NULL) / QUEUED;
    latency = best_ns(waited_for, NULL);
    glMemoryBarrier(GL_BUFFER_UPDATE_BARRIER_BIT);
    got = glMapBufferRange(GL_SHADER_STORAGE_BUFFER, 0, (GLsizeiptr)(4 * out), GL_MAP_READ_BIT);
    if (!got || glGetError() != GL_NO_ERROR) fail("it does not run", words[1]);
    printf("%.1f %.1f %.2f %zu %s\n", throughput, latency, compiled / 1e6, differences(got, want, out, 1 / 64.0f),
           (const char *)glGetString(GL_RENDERER));
    return 0;
}
