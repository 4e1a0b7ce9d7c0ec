/* The system's OpenGL ES 3.1 without a window, for tests/glsl/run.c and benches/peers/llvmpipe.c, which have `fail`. */
#ifndef SURFACELESS_H
#define SURFACELESS_H

#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GLES3/gl31.h>
#include <stddef.h>

static void fail(const char *what, const char *of);

static void start(void) {
    PFNEGLGETPLATFORMDISPLAYEXTPROC display_of =
        (PFNEGLGETPLATFORMDISPLAYEXTPROC)eglGetProcAddress("eglGetPlatformDisplayEXT");
    const EGLint version[] = {EGL_CONTEXT_MAJOR_VERSION, 3, EGL_CONTEXT_MINOR_VERSION, 1, EGL_NONE};
    EGLDisplay display;
    EGLContext context;
    if (!display_of) fail("no eglGetPlatformDisplayEXT", "EGL");
    display = display_of(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL);
    if (!eglInitialize(display, NULL, NULL) || !eglBindAPI(EGL_OPENGL_ES_API)) fail("no display", "EGL");
    context = eglCreateContext(display, EGL_NO_CONFIG_KHR, EGL_NO_CONTEXT, version);
    if (!context || !eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context)) fail("no context", "EGL");
}

#endif
