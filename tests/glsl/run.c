/* Runs compute shaders of GLSL ES 3.10 on the system's OpenGL ES, without a window. Of each case, NAME.comp, it reads NAME.in (what the
 * shader's buffer 0 holds) and NAME.rows (buffer 2), runs one invocation for each vertex, and writes what is in buffer 1 to NAME.out.
 *
 *     run VERTICES BYTES_OF_A_VERTEX CASE.comp ..
 */
#include "surfaceless.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void fail(const char *what, const char *of) {
    fprintf(stderr, "run: %s: %s\n", of, what);
    exit(1);
}

static char *read_file(const char *name, size_t *size) {
    FILE *file = fopen(name, "rb");
    char *bytes;
    if (!file) fail("it cannot be read", name);
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    rewind(file);
    bytes = calloc(1, *size + 1);
    if (!bytes || fread(bytes, 1, *size, file) != *size) fail("it cannot be read", name);
    fclose(file);
    return bytes;
}

/* The name of a case with another ending. */
static const char *sibling(const char *name, const char *ending) {
    static char text[4096];
    size_t stem = strlen(name) - strlen(".comp");
    if (stem + strlen(ending) >= sizeof text) fail("its name is too long", name);
    memcpy(text, name, stem);
    strcpy(text + stem, ending);
    return text;
}

static GLuint buffer(GLuint binding, const void *bytes, size_t size) {
    GLuint name;
    glGenBuffers(1, &name);
    glBindBuffer(GL_SHADER_STORAGE_BUFFER, name);
    glBufferData(GL_SHADER_STORAGE_BUFFER, (GLsizeiptr)size, bytes, GL_STATIC_DRAW);
    glBindBufferBase(GL_SHADER_STORAGE_BUFFER, binding, name);
    return name;
}

static void run(const char *name, GLuint vertices, size_t bytes_out) {
    size_t size_text, size_in, size_rows;
    char *text = read_file(name, &size_text);
    char *in = read_file(sibling(name, ".in"), &size_in);
    char *rows = read_file(sibling(name, ".rows"), &size_rows);
    const GLchar *source = text;
    char log[4096] = "";
    GLint good;
    GLuint shader = glCreateShader(GL_COMPUTE_SHADER), program = glCreateProgram(), buffers[3];
    FILE *file;
    void *out;
    glShaderSource(shader, 1, &source, NULL);
    glCompileShader(shader);
    glGetShaderiv(shader, GL_COMPILE_STATUS, &good);
    glGetShaderInfoLog(shader, sizeof log, NULL, log);
    if (!good) fail(log, name);
    glAttachShader(program, shader);
    glLinkProgram(program);
    glGetProgramiv(program, GL_LINK_STATUS, &good);
    if (!good) fail("it does not link", name);
    glUseProgram(program);
    buffers[0] = buffer(0, in, size_in);
    buffers[2] = buffer(2, rows, size_rows);
    buffers[1] = buffer(1, NULL, bytes_out);
    glDispatchCompute(vertices, 1, 1);
    glMemoryBarrier(GL_BUFFER_UPDATE_BARRIER_BIT);
    glBindBuffer(GL_SHADER_STORAGE_BUFFER, buffers[1]);
    out = glMapBufferRange(GL_SHADER_STORAGE_BUFFER, 0, (GLsizeiptr)bytes_out, GL_MAP_READ_BIT);
    if (!out || glGetError() != GL_NO_ERROR) fail("it does not run", name);
    file = fopen(sibling(name, ".out"), "wb");
    if (!file || fwrite(out, 1, bytes_out, file) != bytes_out || fclose(file)) fail("its output cannot be written", name);
    glUnmapBuffer(GL_SHADER_STORAGE_BUFFER);
    glDeleteBuffers(3, buffers);
    glDeleteProgram(program);
    glDeleteShader(shader);
    free(text);
    free(in);
    free(rows);
}

int main(int count, char **words) {
    GLuint vertices;
    int at;
    if (count < 4) fail("usage: run VERTICES BYTES_OF_A_VERTEX CASE.comp ..", "run");
    vertices = (GLuint)atoi(words[1]);
    start();
    printf("%s, %s\n", (const char *)glGetString(GL_RENDERER), (const char *)glGetString(GL_VERSION));
    for (at = 3; at < count; ++at) run(words[at], vertices, vertices * (size_t)atoi(words[2]));
    printf("%d cases ran\n", count - 3);
    return 0;
}
