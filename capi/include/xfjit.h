/* xfjit.h: vertex programs of GeForce 3 to 7, the Xbox and the PlayStation 3, at the speed of native code.
 *
 * C99 and C++98. Generated from the library's source (capi/tests/headers); do not edit.
 *
 * Handles are opaque. Functions return a status: XFJIT_OK, or the kind of error; xfjit_last_error describes the last error of the
 * calling thread.
 *
 * In each structure, the caller sets `size` to its sizeof, so that later versions can add fields at the end. Fields that an old
 * caller lacks count as 0. An old library accepts a new caller's structure if the fields that it does not know are 0.
 *
 * The library has no state apart from the handles and, for each thread, its last error and the configuration that it gave xfjit_op
 * last. It writes only lists, files of xfjit_options.perf and .attach, and what xfjit_options.verify_directory receives. It starts
 * threads for XFJIT_COMPILE_THREAD and xfjit_engine_warm_list_with, one for each search for guards while somebody attaches, and one for
 * a compilation whose caller has less than 512 KiB of stack left. A pointer to memory that a call reads or writes needs to be valid only
 * during the call.
 *
 * The library reports misuse as a status where it can detect it: null pointers, alignment, sizes, handles of another kind. It
 * trusts the caller that memory exists, and that nobody else writes it during a call.
 *
 * If memory whose size depends on the call (lists, vertices, commands, recordings) cannot be allocated, the call returns
 * XFJIT_E_MEMORY. A compilation begins only if 96 MiB can be allocated, of which it uses a fraction; otherwise the program is
 * interpreted. If memory of a fixed size (handles, messages, a worker, a program) cannot be allocated, the process ends.
 *
 * After a fork, the child has the handles, but not the threads of its parent. In the child, programs without native code stay
 * interpreted. Destroying a handle does not wait. What a thread of the parent held is not freed, and a worker or unit
 * that was in a call stays busy. For everything else, the child creates its own engines.
 *
 * License: MIT or Apache-2.0, at your choice. */
#ifndef XFJIT_H
#define XFJIT_H

/* How functions are imported. Define it yourself if you need something else. Define XFJIT_SHARED to import from a DLL on Windows. */
#ifndef XFJIT_API
#if defined _WIN32 && defined XFJIT_SHARED
#define XFJIT_API __declspec(dllimport)
#else
#define XFJIT_API
#endif
#endif

#ifndef XFJIT_TYPES
#define XFJIT_TYPES

#include <stddef.h>
#include <stdint.h>

#if defined __cplusplus
extern "C" {
#endif

/* ---- Library ------------------------------------------------------------------------------------------- */

/* The version of this interface. It is raised when a change would break callers of the old version.
 * Additions do not raise it. */
enum {
    XFJIT_ABI = 1  /* xfjit_abi_version returns this if the library fits this header. */
};

/* The result of a call. If a call returns anything but XFJIT_OK, it has changed nothing, unless its
 * description says otherwise. xfjit_last_error describes the error. */
enum {
    XFJIT_OK = 0,               /* The call succeeded. */
    /* The library and the caller have different versions: a structure is larger than the library knows,
     * and the unknown part is not zero. */
    XFJIT_E_VERSION = -1,
    /* An argument is invalid: the number has no meaning, the pointer is null where it must not be, or the
     * address is not aligned. */
    XFJIT_E_ARGUMENT = -2,
    XFJIT_E_DECODE = -3,        /* The words are not a valid program. */
    XFJIT_E_INPUT = -4,         /* An attribute or an index list is smaller than what the batch reads. */
    /* An output has no memory or too little of it, or it overlaps memory that the batch reads. */
    XFJIT_E_OUTPUT = -5,
    XFJIT_E_CONSTANTS = -6,     /* The caller gave too few rows of constants. */
    /* The library has a bug. The contents of all memory that the call writes are undefined. */
    XFJIT_E_INTERNAL = -7,
    /* The handle is of another kind, or it has been destroyed. The library detects this only where it can. */
    XFJIT_E_HANDLE = -8,
    /* Another thread, or a callback on this thread, is in a call with this worker or unit. */
    XFJIT_E_BUSY = -9,
    /* The size of a structure is below that of its first version, or above any possible size. */
    XFJIT_E_SIZE = -10,
    XFJIT_E_STATE = -11,        /* The bytes are not a saved state of such a unit. */
    XFJIT_E_FILE = -12,         /* The library cannot read or write a file. */
    XFJIT_E_UNSUPPORTED = -13,  /* This host or library does not support the request. */
    XFJIT_E_MEMORY = -14        /* The system lacks the memory that a call of this size needs. */
};
typedef int32_t xfjit_status;

/* The bits that xfjit_host_features returns. */
enum {
    XFJIT_FEATURE_BUILT_NATIVE = 1,  /* The library was built with support for native code. */
    /* This host runs native code. Without this bit, programs are interpreted: the results are the same,
     * but slower. */
    XFJIT_FEATURE_NATIVE = 2
};


/* ---- Engine -------------------------------------------------------------------------------------------- */

/* An engine prepares programs and keeps them in a cache. Any number of threads may use it at the same
 * time. It lives until xfjit_engine_destroy. Its cache and its thread live on while any of its workers or
 * units lives. */
typedef struct xfjit_engine xfjit_engine;

/* A program that is ready to run. It never changes. Any number of threads may run it at the same time. It
 * is reference-counted: call xfjit_program_unref once for the call that returned it, and once for each
 * xfjit_program_ref. */
typedef struct xfjit_program xfjit_program;

/* A worker holds what a thread needs to run programs: working memory, and the programs that it has found
 * by their words. It is not tied to a thread, but only one call at a time may use it. A second call
 * returns XFJIT_E_BUSY. */
typedef struct xfjit_worker xfjit_worker;

/* A flag that cancels calls. Any thread may raise it. It ends the calls of all workers and units that
 * watch it; any number of them may watch one flag. */
typedef struct xfjit_cancel xfjit_cancel;

/* The compilation of one program, as a job for any thread (XFJIT_COMPILE_JOB). It may outlive its engine. */
typedef struct xfjit_job xfjit_job;

/* A list of programs, and of how many vertices each has run. A file keeps it from one session to the next.
 * It holds microcode and counters, never machine code. Any number of threads may use it at the same time. */
typedef struct xfjit_list xfjit_list;

/* The back end that runs programs (xfjit_options.backend). */
enum {
    XFJIT_BACKEND_BEST = 0,        /* Run native code where it is available, and the interpreter elsewhere. */
    XFJIT_BACKEND_INTERPRETER = 1  /* Use only the interpreter. */
};

/* The instruction set of native code (xfjit_options.instructions). All give the same results. */
enum {
    XFJIT_INSTRUCTIONS_BEST = 0,       /* The widest that this machine supports. */
    XFJIT_INSTRUCTIONS_X86_64_V2 = 1,  /* x86-64 up to SSE4.2: vectors of four vertices. */
    XFJIT_INSTRUCTIONS_X86_64_V3 = 2,  /* x86-64 with AVX2: vectors of eight vertices. */
    XFJIT_INSTRUCTIONS_X86_64_V4 = 3,  /* x86-64 with AVX-512: vectors of sixteen vertices. */
    XFJIT_INSTRUCTIONS_AARCH64 = 4     /* AArch64: vectors of four vertices. */
};

/* What the library reports to Linux's perf about generated code (xfjit_options.perf). */
enum {
    XFJIT_PERF_NONE = 0,    /* Nothing. */
    /* Report the names of programs, in /tmp/perf-PID.map. perf report finds this file by itself. */
    XFJIT_PERF_MAP = 1,
    /* Report names, code, and lines of microcode, in jit-PID.dump in xfjit_options.perf_directory. Use
     * perf record -k mono, then perf inject --jit. A process makes this file once in a directory; it stays
     * when the engine ends. */
    XFJIT_PERF_JITDUMP = 2
};

/* The thread that compiles programs after compile_after vertices (xfjit_options.compile_by). */
enum {
    XFJIT_COMPILE_THREAD = 0,  /* A thread that the engine starts compiles. */
    /* The call in which a program reaches compile_after vertices compiles it. Results and delays are then
     * the same in every run of the same calls. */
    XFJIT_COMPILE_INLINE = 1,
    /* The thread that calls xfjit_job_run with the job that xfjit_options.hot received compiles. */
    XFJIT_COMPILE_JOB = 2
};

/* The events that xfjit_options.heard receives. */
enum {
    XFJIT_EVENT_COMPILED = 1,  /* The native code of a program is ready. */
    XFJIT_EVENT_REFUSED = 2,   /* A program cannot be compiled. The interpreter keeps running it. */
    /* A batch in native code differed from the interpreter (xfjit_options.verify_every). The call returned
     * the interpreter's results. From now on, the interpreter runs the program. */
    XFJIT_EVENT_MISMATCH = 3,
    /* The native code of a program was dropped, because a quarter of its vertices run into the timeout. */
    XFJIT_EVENT_GIVEN_UP = 4
};

/* Receives the compilation of a program as a job, to pass it to a thread that calls xfjit_job_run. The
 * library calls this on the thread that runs the program, inside that call, so it should return quickly.
 * It may call the library, but not with the worker of that call, and it must not release the program of
 * that call. It must return normally: no longjmp, no exception. */
typedef void (*xfjit_hot)(void *user, xfjit_job *job);

/* Receives an event (XFJIT_EVENT_*). The library calls this on the thread where the event happens. The
 * rules of xfjit_hot apply. The program is valid during the call; xfjit_program_ref keeps it longer. This
 * handle differs from the caller's, and lacks xfjit_config.keep_outputs: the label says which program it
 * is. */
typedef void (*xfjit_heard)(void *user, uint32_t event, const xfjit_program *program);

/* The importance of a message to xfjit_options.log. */
enum {
    XFJIT_LOG_ERROR = 1,    /* A result was wrong and has been corrected (xfjit_options.verify_every). */
    XFJIT_LOG_WARNING = 2,  /* A program runs slower than it should. */
    XFJIT_LOG_INFO = 3,     /* The library has finished something that takes time. */
    XFJIT_LOG_DEBUG = 4     /* The library is about to do something. */
};

/* Receives a message about an event in an engine, as text (UTF-8, one line, valid during the call), with
 * its importance (XFJIT_LOG_*). The library calls this on the thread where the event happens. The rules of
 * xfjit_hot apply. There is no other log, and no log that several engines share. */
typedef void (*xfjit_log)(void *user, uint32_t level, const char *text);

/* Receives after each program how many programs are ready, and of how many. The library calls it on any of
 * the threads that compile, on one thread at a time. It returns 0 to go on; if it returns anything else,
 * no further compilation begins. It must return normally: no longjmp, no exception. */
typedef int32_t (*xfjit_warmed)(void *user, size_t ready, size_t of);

/* The options of an engine. If everything but the size is zero, all have their defaults. */
typedef struct xfjit_options {
    uint32_t size;                 /* sizeof(xfjit_options) */
    uint32_t backend;              /* XFJIT_BACKEND_* */
    /* 0: the thread that asks for a program's handle compiles the program. Otherwise: the interpreter runs
     * each program first, and the program is compiled after it has run this many vertices. Results are
     * identical before and after compilation. */
    uint64_t compile_after;
    uint64_t cache_bytes;          /* The size limit of the cache in bytes; 0: 64 MiB. */
    /* The limit of slots that a vertex may execute, whatever its program requests; 0: 65535. */
    uint32_t slot_limit;
    /* XFJIT_COMPILE_*: who compiles if compile_after is not 0; 0 otherwise. Only for XFJIT_COMPILE_THREAD
     * an engine has a thread that compiles. */
    uint32_t compile_by;
    /* 0: off. n: the first of every n batches that a program runs in native code also runs in the
     * interpreter. If the two differ, the call returns the interpreter's results, and the program never
     * runs in native code again. */
    uint64_t verify_every;
    /* Null, or the path (UTF-8) of a directory. The library writes the first difference of each program
     * there, as a test file. */
    const char *verify_directory;
    xfjit_hot hot;                 /* Receives the jobs of XFJIT_COMPILE_JOB; otherwise null. */
    xfjit_heard heard;             /* Null, or receives events (XFJIT_EVENT_*). */
    void *user;                    /* The library passes this pointer to all of these callbacks. */
    xfjit_log log;                 /* Null, or receives messages about events. */
    /* The least important level that log receives, as XFJIT_LOG_*; 0: XFJIT_LOG_INFO. */
    uint32_t log_level;
    /* XFJIT_INSTRUCTIONS_*: the target of native code. If this host or library does not support it, the
     * engine is not created. */
    uint32_t instructions;
    /* n: a worker measures the time of one batch in n, for xfjit_engine_profile; 0: 256, 1: all,
     * UINT32_MAX: none. */
    uint32_t time_one_in;
    /* XFJIT_PERF_*: what Linux's perf learns about generated code. If the library cannot create the files,
     * this is an error (XFJIT_E_FILE). */
    uint32_t perf;
    /* For XFJIT_PERF_JITDUMP, the path (UTF-8) of a directory; the library creates it if necessary.
     * Otherwise null. */
    const char *perf_directory;
    /* n: rows of constants that hold the same words in n runs of a program's native code become literals
     * of a further routine. That routine runs the program as long as the rows hold these words. Each run
     * compares the words in the caller's memory, so the caller need not report changes. Results are the
     * same. 0: 1024 with XFJIT_COMPILE_THREAD and XFJIT_COMPILE_JOB if compile_after is not 0, otherwise
     * off; UINT64_MAX: off. */
    uint64_t fold_after;
    /* 1: write what programs do to a file that xfjit prof --attach reads while this process runs. All
     * engines of the process share it. If it cannot be made, the engine is not created (XFJIT_E_FILE). 0:
     * only if the environment variable XFJIT_ATTACH asks for it; then a file that cannot be made is no
     * error. */
    uint32_t attach;
    uint32_t reserved;             /* 0 */
} xfjit_options;


/* ---- Configuration ------------------------------------------------------------------------------------- */

/* The generation of chips whose programs run. */
enum {
    XFJIT_KELVIN = 0,   /* GeForce 3 and 4 Ti, Xbox (NV20, NV25, NV2A). */
    XFJIT_RANKINE = 1,  /* GeForce FX (NV30 to NV38). */
    XFJIT_CURIE = 2     /* GeForce 6 and 7, PlayStation 3 (NV40 to G7x, RSX). */
};

/* The arithmetic. */
enum {
    XFJIT_HW = 0,   /* The chip's arithmetic, bit for bit. */
    /* IEEE single precision, with operations in the chip's order. This is close to what emulators compute,
     * and faster. */
    XFJIT_IEEE = 1
};

/* Emulators for xfjit_config_like. */
enum {
    /* nv2a_vsh_cpu. xemu and Cxbx-Reloaded use it for programs that write constants. */
    XFJIT_LIKE_NV2A_VSH_CPU = 0,
    XFJIT_LIKE_XEMU = 1,          /* How xemu draws. */
    XFJIT_LIKE_CXBX = 2,          /* How Cxbx-Reloaded draws. */
    XFJIT_LIKE_MAME = 3,          /* MAME. */
    XFJIT_LIKE_BOCHS = 4,         /* Bochs. */
    XFJIT_LIKE_RPCS3 = 5          /* RPCS3 (programs of Curie). */
};

/* Where an emulator differs from IEEE single precision in the chip's order (xfjit_config.forms): 0 for no
 * difference, or one of the first three. The others may be added to these. */
enum {
    XFJIT_FORMS_NV2A_VSH_CPU = 1,      /* As nv2a_vsh_cpu. */
    XFJIT_FORMS_MAME = 4,              /* As MAME. */
    XFJIT_FORMS_BOCHS = 5,             /* As Bochs. */
    /* ARL works as on the chip. Without this, ARL writes no address under XFJIT_FORMS_NV2A_VSH_CPU, as in
     * programs that nv2a_vsh_cpu has parsed. */
    XFJIT_FORMS_CHIP_ADDRESSES = 256,
    /* Every chip has 512 rows of constants, Curie too, as in Bochs. Each run then needs this many rows. */
    XFJIT_FORMS_512_ROWS = 512,
    /* EXP, LOG, LIT, LG2 and EX2 give the bits that the emulator gets from the GNU C library. The
     * interpreter runs programs that use one of them. */
    XFJIT_FORMS_LIBRARY = 1024
};

/* How outputs are arranged in memory (xfjit_config.output_layout). */
enum {
    XFJIT_ROWS = 0,   /* x, y, z, w of one vertex, then the next vertex; the stride separates vertices. */
    /* x of all vertices, then y of all vertices, and so on; the stride separates these planes. */
    XFJIT_PLANES = 1
};

/* Output registers of Kelvin (GeForce 3 and 4 Ti, Xbox). */
enum {
    XFJIT_KELVIN_OPOS = 0,  /* Position. */
    XFJIT_KELVIN_OD0 = 3,   /* Diffuse colour. */
    XFJIT_KELVIN_OD1 = 4,   /* Specular colour. */
    XFJIT_KELVIN_OFOG = 5,  /* Fog. */
    XFJIT_KELVIN_OPTS = 6,  /* Point size. */
    XFJIT_KELVIN_OB0 = 7,   /* Diffuse colour of back faces. */
    XFJIT_KELVIN_OB1 = 8,   /* Specular colour of back faces. */
    XFJIT_KELVIN_OT0 = 9,   /* Texture coordinate 0. */
    XFJIT_KELVIN_OT1 = 10,  /* Texture coordinate 1. */
    XFJIT_KELVIN_OT2 = 11,  /* Texture coordinate 2. */
    XFJIT_KELVIN_OT3 = 12   /* Texture coordinate 3. */
};

/* Output registers of Rankine (GeForce FX). */
enum {
    XFJIT_RANKINE_OPOS = 0,    /* Position. */
    XFJIT_RANKINE_OB0 = 1,     /* Diffuse colour of back faces. */
    XFJIT_RANKINE_OB1 = 2,     /* Specular colour of back faces. */
    XFJIT_RANKINE_OD0 = 3,     /* Diffuse colour. */
    XFJIT_RANKINE_OD1 = 4,     /* Specular colour. */
    XFJIT_RANKINE_OFOG = 5,    /* Fog. */
    XFJIT_RANKINE_OPTS = 6,    /* Point size. */
    XFJIT_RANKINE_OT0 = 8,     /* Texture coordinate 0. */
    XFJIT_RANKINE_OT1 = 9,     /* Texture coordinate 1. */
    XFJIT_RANKINE_OT2 = 10,    /* Texture coordinate 2. */
    XFJIT_RANKINE_OT3 = 11,    /* Texture coordinate 3. */
    XFJIT_RANKINE_OT4 = 12,    /* Texture coordinate 4. */
    XFJIT_RANKINE_OT5 = 13,    /* Texture coordinate 5. */
    XFJIT_RANKINE_OT6 = 14,    /* Texture coordinate 6. */
    XFJIT_RANKINE_OT7 = 15,    /* Texture coordinate 7. */
    XFJIT_RANKINE_OCLP0 = 17,  /* Clip distance 0, in x. */
    XFJIT_RANKINE_OCLP1 = 18,  /* Clip distance 1, in x. */
    XFJIT_RANKINE_OCLP2 = 19,  /* Clip distance 2, in x. */
    XFJIT_RANKINE_OCLP3 = 20,  /* Clip distance 3, in x. */
    XFJIT_RANKINE_OCLP4 = 21,  /* Clip distance 4, in x. */
    XFJIT_RANKINE_OCLP5 = 22   /* Clip distance 5, in x. */
};

/* Output registers of Curie (GeForce 6 and 7, PlayStation 3), as drivers map them. y, z and w of fog and
 * point size hold clip distances. */
enum {
    XFJIT_CURIE_OPOS = 0,  /* Position. */
    XFJIT_CURIE_OD0 = 1,   /* Diffuse colour. */
    XFJIT_CURIE_OD1 = 2,   /* Specular colour. */
    XFJIT_CURIE_OB0 = 3,   /* Diffuse colour of back faces. */
    XFJIT_CURIE_OB1 = 4,   /* Specular colour of back faces. */
    XFJIT_CURIE_OFOG = 5,  /* Fog. */
    XFJIT_CURIE_OPTS = 6,  /* Point size. */
    XFJIT_CURIE_OT0 = 7,   /* Texture coordinate 0. */
    XFJIT_CURIE_OT1 = 8,   /* Texture coordinate 1. */
    XFJIT_CURIE_OT2 = 9,   /* Texture coordinate 2. */
    XFJIT_CURIE_OT3 = 10,  /* Texture coordinate 3. */
    XFJIT_CURIE_OT4 = 11,  /* Texture coordinate 4. */
    XFJIT_CURIE_OT5 = 12,  /* Texture coordinate 5. */
    XFJIT_CURIE_OT6 = 13,  /* Texture coordinate 6. */
    XFJIT_CURIE_OT7 = 14,  /* Texture coordinate 7. */
    XFJIT_CURIE_OT8 = 15   /* Texture coordinate 8. */
};

/* The memory format of an attribute's components (xfjit_attribute.format). If an attribute has fewer than
 * four components, the others come from (0, 0, 0, 1). */
enum {
    XFJIT_FORMAT_NONE = 0,         /* The attribute has no memory: every vertex gets xfjit_attribute.value. */
    /* 32-bit floats, little-endian. All 32 bits are passed on unchanged, so they may hold anything. */
    XFJIT_FORMAT_F32 = 1,
    XFJIT_FORMAT_F16 = 2,          /* Half floats. */
    XFJIT_FORMAT_S1 = 3,           /* Shorts, normalised as the chips do it: (2v + 1) / 65535, truncated. */
    XFJIT_FORMAT_S32K = 4,         /* Shorts as whole numbers. */
    XFJIT_FORMAT_UB_OGL = 5,       /* Bytes, normalised as the chips do it: v / 255, truncated; 255 is 1.0. */
    /* The four bytes of a colour, normalised likewise, in the order blue, green, red, alpha. */
    XFJIT_FORMAT_UB_D3D = 6,
    XFJIT_FORMAT_UB256 = 7,        /* Bytes as whole numbers. */
    /* Three signed fields of a word, normalised: v / 1023, v / 511. They have 11, 11 and 10 bits, the
     * lowest bits first. Attributes always have all three. components is 3; the Xbox writes 1, which means
     * the same. */
    XFJIT_FORMAT_CMP = 8,
    /* Shorts, normalised as graphics APIs do it: v / 32767, rounded to nearest, at least -1. */
    XFJIT_FORMAT_SNORM16 = 9,
    XFJIT_FORMAT_UNORM16 = 10,     /* Unsigned shorts, normalised: v / 65535. */
    XFJIT_FORMAT_U16 = 11,         /* Unsigned shorts as whole numbers. */
    XFJIT_FORMAT_SNORM8 = 12,      /* Signed bytes, normalised: v / 127, at least -1. */
    /* Bytes, normalised as graphics APIs do it: v / 255, rounded to nearest. */
    XFJIT_FORMAT_UNORM8 = 13,
    XFJIT_FORMAT_S8 = 14,          /* Signed bytes as whole numbers. */
    /* A 16-bit colour, from the highest bits on: red (5 bits), green (6), blue (5). In this format and all
     * that follow, components are numbers from 0 to 255. Codes of fewer than eight bits are extended by
     * repeating their bits. Alpha is 255 if the format has none. */
    XFJIT_FORMAT_RGB565 = 15,
    XFJIT_FORMAT_RGBA4 = 16,       /* A 16-bit colour, four bits for each component. */
    XFJIT_FORMAT_RGBA6 = 17,       /* A colour in three bytes, six bits for each component. */
    XFJIT_FORMAT_RGBA8 = 18,       /* A colour in bytes, red first. With three components it has no alpha. */
    /* Or-ed to a format: the bytes of each word or short are in big-endian order. */
    XFJIT_FORMAT_BIG_ENDIAN = 128
};

#define XFJIT_FORMAT(format, components) ((uint32_t)(format) | (uint32_t)(components) << 8)

/* Everything that decides what a program computes, apart from its words. Call xfjit_config_init or
 * xfjit_config_like to fill it, then change fields. */
typedef struct xfjit_config {
    uint32_t size;                 /* sizeof(xfjit_config) */
    uint32_t generation;           /* XFJIT_KELVIN ... */
    uint32_t model;                /* XFJIT_HW or XFJIT_IEEE */
    /* The output registers that the caller wants, as a mask of 1 << XFJIT_KELVIN_OPOS and so on. The
     * others are neither computed nor written. Fewer outputs run faster. A batch needs memory for each of
     * them. Use 0 for programs that only write constants. */
    uint32_t live_outputs;
    /* What happens to output components that the program does not write. 1: they keep their old values. 0:
     * x, y and z become 0, and w becomes 1. */
    uint32_t keep_outputs;
    /* 1: programs may write constants (state programs). Programs that do so run one vertex after the
     * other. */
    uint32_t constant_writes;
    uint32_t user_constants_only;  /* 1: programs may read only the user's constants (XFMODE). */
    uint32_t output_layout;        /* XFJIT_ROWS or XFJIT_PLANES */
    /* If both units write the same component: 0: the scalar unit wins. 1: the vector unit wins. 2: the
     * vector unit's write is dropped. */
    uint32_t write_order;
    /* Masked writes to oFog. 0: x is written whatever the mask. 1: the mask applies. */
    uint32_t fog_write;
    uint32_t address_bias;         /* ARL. 0: floor. 1: 0.001 is added before floor. */
    /* Rankine, scalar result of paired operations. 0: it goes to R1. 1: it goes to the common destination. */
    uint32_t paired;
    /* Branches without the condition-enable bit. 0: they are tested. 1: they are taken. */
    uint32_t branch_test;
    uint32_t end_on_branch;        /* END on a taken branch. 0: it does nothing. 1: it ends the program. */
    /* Indirect branches. 0: they use the branch table. 1: they go to the slot in the register. */
    uint32_t indirect;
    uint32_t address_nan;          /* NaN as an address. 0: it gives 0. 1: it gives the least address. */
    /* ARL, ARR and ARA. 0: they update condition codes. 1: they do not. POPA never does. */
    uint32_t address_codes;
    uint32_t saturate_nan;         /* Saturation of NaN. 0: NaN stays. 1: it becomes 0. */
    /* Indexed reads of constants that are out of range. 0: they give zeros. 1: the index wraps. */
    uint32_t out_of_range;
    uint32_t clip_outputs;         /* Rankine's outputs 17 to 22. 0: they exist. 1: they do not. */
    /* Rankine, Curie. 1: PROGRAM_V1, a program of Kelvin's class. 0: V2 and V3. */
    uint32_t mode_v1;
    uint32_t arithmetic_legacy;    /* Rankine, Curie. 0: modern arithmetic rules. 1: legacy rules. */
    uint32_t branch_bits;          /* Rankine, Curie. The boolean constants. */
    /* Rankine, Curie. The number of slots that a vertex may execute, 65535 at most. */
    uint32_t timeout;
    uint32_t viewport;             /* Rankine, Curie. 1: the viewport transforms the position. */
    uint16_t branch_table[16];     /* Rankine, Curie. The slots that indirect branches go to. */
    /* The memory formats of attributes, where they are known: XFJIT_FORMAT(format, components); 0: four
     * floats. Native code reads such attributes in place. An attribute that is declared as floats accepts
     * any format with at most as many components; the library then converts it first. An attribute that is
     * declared with another format accepts only that format. */
    uint32_t input_formats[16];
    /* The size of an index in bytes, 2 or 4, if batches use index lists; native code then reads attributes
     * in place. 4 serves lists of both sizes. 0: batches have no index list. Any batch runs whatever this
     * field says, but if the program is not prepared for it, attributes are copied first. */
    uint32_t index_size;
    uint32_t forms;                /* For XFJIT_IEEE: 0 or XFJIT_FORMS_*. xfjit_config_like fills it in. */
} xfjit_config;


/* ---- Programs ------------------------------------------------------------------------------------------ */

/* What a program reads and writes, and what it has done so far. A single vertex may read and write less. */
typedef struct xfjit_info {
    uint32_t size;                  /* sizeof(xfjit_info) */
    /* The first slot whose content matters. slots says how many slots follow from there. While these words
     * stay the same, the program stays the same. */
    uint32_t first_slot;
    uint32_t slots;                 /* See first_slot. */
    /* The attributes that the program reads, as a mask. The others of a batch may be anything. */
    uint32_t inputs_read;
    /* The output registers that the program writes, as a mask, whether or not the caller wants them. */
    uint32_t outputs_written;
    uint32_t constant_rows;         /* The number of rows of constants that a run needs. */
    /* For each output register, the components that the program writes; x is the lowest bit. */
    uint8_t output_masks[24];
    /* The constants that the program reads, one bit for each; the lowest bit of byte 0 is row 0. */
    uint8_t constants_read[68];
    uint8_t constants_written[68];  /* The constants that the program writes, likewise. */
    uint32_t native;                /* 1 if native code is ready. */
    uint32_t code_bytes;            /* Its size in bytes. */
    uint64_t compile_ns;            /* The compilation time in nanoseconds. */
    uint64_t batches;               /* The number of batches that have run. */
    uint64_t vertices;              /* The number of vertices that have run. */
    uint64_t deopt_groups;          /* The number of vertex groups that native code left to run again. */
    /* The number of routines with constants as literals that have been made (xfjit_options.fold_after). */
    uint64_t folded_routines;
    uint64_t folded_vertices;       /* The number of vertices that they have run. */
} xfjit_info;

/* The style of xfjit_disassemble's text. */
enum {
    /* The instruction as the library runs it, in the syntax of its assembler. Fields without an effect are
     * not shown. */
    XFJIT_STYLE_TEXT = 0,
    /* The raw fields of the words: name=value, separated by spaces; values are decimal. */
    XFJIT_STYLE_FIELDS = 1
};


/* ---- Running ------------------------------------------------------------------------------------------- */

/* Where the values of an attribute are. If everything is zero, every vertex gets (0, 0, 0, 0). */
typedef struct xfjit_attribute {
    const void *data;     /* The start of the memory, which begins with vertex 0. */
    /* The size of the memory in bytes. The library refuses a batch that would read beyond it. */
    size_t size_bytes;
    uint32_t stride;      /* Bytes from one vertex to the next; 0: all vertices have the first one's value. */
    uint32_t format;      /* XFJIT_FORMAT_* */
    uint32_t components;  /* 1 to 4; the format must allow this number. */
    /* 0: the attribute advances with each vertex. Otherwise it advances with instances: all vertices of
     * instance i use element i / divisor of the array. */
    uint32_t divisor;
    /* The value of every vertex if format is XFJIT_FORMAT_NONE: floats, or their bits. */
    uint32_t value[4];
} xfjit_attribute;

/* Where the values of an output register go, as rows or planes (xfjit_config.output_layout). The gaps of
 * one register may hold another. If registers overlap, or if rows of one register overlap (a stride below
 * 16), it is undefined whose value remains. */
typedef struct xfjit_output {
    void *data;         /* The memory; it starts with the first vertex of the batch. */
    size_t size_bytes;  /* Its size in bytes. */
    uint32_t stride;    /* Bytes from vertex to vertex (rows) or from plane to plane. */
    uint32_t reserved;  /* 0 */
} xfjit_output;

/* Options of a batch (xfjit_batch.flags), or-ed. All concern index lists. */
enum {
    /* An index equal to restart_index (before base_index is added) is not a vertex. The library reads
     * nothing for it, and the outputs in its place are meaningless. */
    XFJIT_BATCH_RESTART = 1,
    /* Each vertex runs once, however often the list names it, unless the program writes constants. Outputs
     * are the same as without this flag; xfjit_batch.places says where each vertex's outputs are. */
    XFJIT_BATCH_DISTINCT = 2,
    /* If an index names a vertex that is not below index_limit, use the last vertex below it. Without this
     * flag, such an index is an error. */
    XFJIT_BATCH_CLAMP = 4,
    XFJIT_BATCH_BIG_ENDIAN = 8  /* Indices are big-endian, as in the memory of big-endian guests. */
};

/* The work for one call of a program. */
typedef struct xfjit_batch {
    uint32_t size;                      /* sizeof(xfjit_batch) */
    uint32_t count;                     /* The number of vertices. */
    /* The first vertex. Without indices it counts vertices of the arrays; with indices it counts indices. */
    uint32_t first;
    int32_t base_index;                 /* This is added to each index. No vertex number is negative. */
    /* The vertex numbers, or null for first, first + 1, and so on. The library copies them before it
     * checks them, so a guest may write them while the batch runs. They need no alignment. */
    const void *indices;
    size_t index_bytes;                 /* Their size in bytes. */
    uint32_t index_size;                /* The size of an index: 2 or 4 bytes; 0 if there are no indices. */
    uint32_t attribute_size;            /* sizeof(xfjit_attribute) */
    /* The number of attributes in the array; those after them are (0, 0, 0, 1). */
    uint32_t attribute_count;
    uint32_t output_size;               /* sizeof(xfjit_output) */
    /* v0 and so on. Attributes that the program does not read may be anything. */
    const xfjit_attribute *attributes;
    /* o0 and so on. Outputs that the caller does not want may be anything. */
    const xfjit_output *outputs;
    uint32_t output_count;              /* The number of output registers in the array. */
    /* The number of rows in constants: at least as many as the generation has. */
    uint32_t constant_rows;
    /* The constants, four words for each row. This is the caller's own array, aligned for words. A run
     * writes it only if the program writes constants. */
    void *constants;
    /* Null, or one byte for each row of the generation. A byte becomes 1 when the program writes the row. */
    uint8_t *dirty;
    uint32_t flags;                     /* XFJIT_BATCH_* */
    uint32_t restart_index;             /* The index that is not a vertex (XFJIT_BATCH_RESTART). */
    /* 0, or a limit: indices must name vertices below it. A greater vertex number is refused, or clamped
     * with XFJIT_BATCH_CLAMP. */
    uint32_t index_limit;
    /* The number of instances: the vertices run once for each instance, in order; 0 means 1. The outputs
     * of instance i begin at vertex i * count. */
    uint32_t instance_count;
    /* The number of the first instance. Attributes with a divisor begin there. */
    uint32_t first_instance;
    /* The attributes that the caller wants in last, as a mask, whether or not the program reads them. */
    uint32_t last_mask;
    /* Null, or 16 rows of four words. The rows in last_mask receive the attributes of the last vertex of
     * the last instance; these are the current attributes after a draw. If there is no vertex, the rows
     * stay unchanged. They must not overlap anything else that the batch names. */
    void *last;
    /* Null, or memory for count numbers. For each vertex of an instance, its number says where its outputs
     * are. With XFJIT_BATCH_DISTINCT this is a position among the distinct vertices, which are in the
     * order of the list. Without it, this is the usual position. A restart index gets 4294967295. */
    uint32_t *places;
} xfjit_batch;

/* What a run has done. */
typedef struct xfjit_outcome {
    uint32_t size;          /* sizeof(xfjit_outcome) */
    /* The number of vertices that are done. This is all of them, unless the call reached a limit of the
     * worker (xfjit_worker_set_slot_budget, xfjit_worker_set_overtime) or was cancelled
     * (xfjit_worker_set_cancel). */
    uint32_t done;
    uint64_t deopt_groups;  /* The number of vertex groups that native code left to run again. */
    uint64_t timeouts;      /* The number of vertices that reached their timeout. */
    uint64_t stack_faults;  /* The number of vertices that ended with a stack fault. */
    /* The number of vertices that ran: less than done if each distinct vertex ran only once. */
    uint64_t vertices;
    uint64_t cancelled;     /* Not 0 if a flag cancelled the call before all vertices were done. */
} xfjit_outcome;

/* Lets the threads of the host's pool run a batch. It calls xfjit_run_part(worker, number) once for each
 * number below count, on any threads (this one included), at the same time or not. It returns after the
 * last of these calls has returned. It must return normally: no longjmp, no exception. */
typedef void (*xfjit_each)(void *user, xfjit_worker *worker, uint32_t count);


/* ---- One vertex, and one operation --------------------------------------------------------------------- */

/* Whether the program has ended, and why (xfjit_vertex.ended). */
enum {
    XFJIT_RUNS = 0,           /* It has not ended. */
    /* It ended by END, by a return without a call, or at a slot without an instruction. */
    XFJIT_ENDED = 1,
    XFJIT_ENDED_TIMEOUT = 2,  /* It ended by its timeout. */
    /* It ended by a stack fault: the stack was too deep, or its top entry was of the wrong kind. */
    XFJIT_ENDED_STACK = 3
};

/* The units (xfjit_op). */
enum {
    XFJIT_UNIT_VECTOR = 0,  /* The vector unit. */
    XFJIT_UNIT_SCALAR = 1   /* The scalar unit. */
};

/* The state of a vertex between two slots. The caller may change everything between steps. Rows are four
 * floats as bits. */
typedef struct xfjit_vertex {
    uint32_t size;           /* sizeof(xfjit_vertex) */
    uint32_t slot;           /* The slot that runs next, counted from the beginning of program memory. */
    uint32_t left;           /* The number of slots that may still run. */
    uint32_t ended;          /* XFJIT_RUNS, or how the program has ended; then nothing more runs. */
    uint32_t input[16][4];   /* Input registers. */
    uint32_t temp[48][4];    /* Temporaries. Kelvin's R12 is the readable copy of oPos. */
    uint32_t output[24][4];  /* Output registers, as written so far. */
    uint32_t codes[2][4];    /* Condition registers: the values that last set them. */
    int32_t address[2][4];   /* Address registers; Kelvin has only the first component of the first. */
    uint32_t depth;          /* The number of entries on the call stack, 8 at most. */
    /* The kind of each entry: an address register (1), or the slot after a call (0). */
    uint32_t stack_kind[8];
    /* The value of each entry: an address register, or the slot as the first number. */
    int32_t stack[8][4];
    uint32_t reserved;       /* 0 */
} xfjit_vertex;


/* ---- The unit as a device ------------------------------------------------------------------------------ */

/* An XF unit as a device: it takes commands and returns finished vertices. Only one call at a time may use
 * it. A second call returns XFJIT_E_BUSY. */
typedef struct xfjit_unit xfjit_unit;

/* The chip of a unit. */
enum {
    XFJIT_NV10 = 16,  /* The first Celsius. */
    XFJIT_NV15 = 21,  /* All later Celsius chips. */
    XFJIT_NV20 = 32,  /* The first Kelvin. */
    XFJIT_NV25 = 37,  /* Kelvin with two units. */
    XFJIT_NV2A = 42,  /* The Xbox's. */
    XFJIT_NV30 = 48,  /* The first Rankine. */
    XFJIT_NV34 = 52,  /* Rankine without the alternate light attenuation. */
    XFJIT_NV35 = 53,  /* This is treated as NV30. */
    XFJIT_NV40 = 64,  /* The first Curie. */
    XFJIT_NV41 = 65,  /* Only the programs of Curie. */
    XFJIT_NV43 = 67   /* All later Curie chips, and the RSX. */
};

/* Flags in a stream of commands (xfjit_unit_write), or-ed to an address. */
enum {
    /* Two words follow, for the pair of components that contains the address. Without this flag, one word
     * follows. */
    XFJIT_COMMAND_PAIR = 536870912,
    XFJIT_COMMAND_VERTEX = 1073741824  /* A vertex starts. This command has no address and no words. */
};

/* Registers that commands do not reach (xfjit_unit_set). Registers that the chip lacks have no effect. */
enum {
    XFJIT_REGISTER_OUTPUTS = 0,       /* The output registers that the unit sends, as a mask. */
    XFJIT_REGISTER_START = 1,         /* The slot where programs start (Kelvin: bits 8 to 15 of XFMODE A). */
    XFJIT_REGISTER_EXECUTION = 2,     /* Curie: the execution mode, as in method 0x1e94. */
    XFJIT_REGISTER_TIMEOUT = 3,       /* Curie: the timeout. */
    XFJIT_REGISTER_BRANCH_BITS = 4,   /* Curie: the boolean constants. */
    XFJIT_REGISTER_DEPTH_CLAMP = 5,   /* Celsius: 1 if depth and 1/w have a lower clamp. */
    XFJIT_REGISTER_CLASS = 6,         /* Rankine: 1 if the object is of Kelvin's class. */
    /* Curie: the output map, as in methods 0x1fc4 to 0x1fd4. It has five registers. */
    XFJIT_REGISTER_OUTPUT_MAP0 = 7,
    XFJIT_REGISTER_OUTPUT_MAP1 = 8,   /* The second word. */
    XFJIT_REGISTER_OUTPUT_MAP2 = 9,   /* The third word. */
    XFJIT_REGISTER_OUTPUT_MAP3 = 10,  /* The fourth word. */
    XFJIT_REGISTER_OUTPUT_MAP4 = 11,  /* The fifth word. */
    /* Curie: the enabled attributes of finished vertices, as in method 0x1ff4. Output registers that
     * belong to no enabled attribute are not sent. */
    XFJIT_REGISTER_OUTPUT_MASK = 12,
    XFJIT_REGISTER_INPUT_MASK = 13,   /* Curie: the attributes that are fetched, as in method 0x1ff0. */
    /* NV40: what words C, B, A and T3 to T0 of Rankine's XFMODE hold, for the fixed function (mode 0):
     * seven registers. */
    XFJIT_REGISTER_FIXED_C = 14,
    XFJIT_REGISTER_FIXED_B = 15,      /* Word B. */
    XFJIT_REGISTER_FIXED_A = 16,      /* Word A. */
    XFJIT_REGISTER_FIXED_T3 = 17,     /* Word T3. */
    XFJIT_REGISTER_FIXED_T2 = 18,     /* Word T2. */
    XFJIT_REGISTER_FIXED_T1 = 19,     /* Word T1. */
    XFJIT_REGISTER_FIXED_T0 = 20      /* Word T0. */
};

/* How texture coordinates select a texel (xfjit_unit_set_texture), or-ed. */
enum {
    /* The texture repeats without end. Without this flag, coordinates outside it select the nearest texel. */
    XFJIT_TEXTURE_REPEAT = 1,
    XFJIT_TEXTURE_WHOLE = 2    /* 1.0 is the width or the height. Without this flag, 1.0 is one texel. */
};

/* The kind of a piece of output (xfjit_piece.kind). */
enum {
    /* Vertices of programs: the registers in the mask, four words for each, the lowest register first. */
    XFJIT_PIECE_REGISTERS = 0,
    XFJIT_PIECE_FIXED = 1,      /* Vertices of the fixed function of Kelvin and Rankine, likewise. */
    XFJIT_PIECE_CELSIUS = 2,    /* Vertices of Celsius, 16 words each. */
    XFJIT_PIECE_BUNDLE = 3      /* Two words that the unit passed through. */
};

/* A piece of a unit's output. */
typedef struct xfjit_piece {
    uint32_t kind;          /* XFJIT_PIECE_* */
    uint32_t mask;          /* The output registers, for kinds of vertices that have them. */
    uint32_t count;         /* The number of vertices; 1 for other pieces. */
    uint32_t words_each;    /* The number of words of each. */
    const uint32_t *words;  /* The words in order. The pointer is valid until the callback returns. */
} xfjit_piece;

/* The constants of a unit, in place. */
typedef struct xfjit_view {
    uint32_t size;       /* sizeof(xfjit_view) */
    uint32_t row_count;  /* The number of rows of constants that the chip has. */
    const void *rows;    /* The rows, four words for each. They are read-only, and show the current values. */
    /* One byte for each row. It becomes 1 when a command, a program or a loaded state changes the row. The
     * caller clears it. */
    uint8_t *dirty;
} xfjit_view;

/* Receives a piece of a unit's output. It must return normally: no exception, no longjmp. */
typedef void (*xfjit_take)(void *user, const xfjit_piece *piece);


/* ---- Recording ----------------------------------------------------------------------------------------- */

/* Receives the next bytes of a capture, to be written to a file one after the other. A null pointer means
 * that the capture has ended and is complete. It returns 0 on success. If it returns anything else, the
 * recording ends, and it is not called again. It must not use the object that is recorded, and it must
 * return normally: no exception, no longjmp. */
typedef int32_t (*xfjit_record)(void *user, const void *bytes, size_t size);


/* ---- Flipper as a device ------------------------------------------------------------------------------- */

/* The vertex part of the GameCube's or the Wii's graphics chip as a device: it takes bytes of commands and
 * returns finished vertices. Only one call at a time may use it. A second call returns XFJIT_E_BUSY. */
typedef struct xfjit_flipper xfjit_flipper;

/* The console of the chip (xfjit_flipper_options.console). */
enum {
    XFJIT_GAMECUBE = 0,  /* The GameCube: addresses have 26 bits. */
    XFJIT_WII = 1        /* The Wii: addresses have 29 bits, and a second memory begins at 0x10000000. */
};

/* Which source to follow where sources differ (xfjit_flipper_options_init). */
enum {
    XFJIT_FLIPPER_SPEC = 0,         /* Documents and console tests. */
    XFJIT_FLIPPER_DOLPHIN_SW = 1,   /* Dolphin's software renderer. */
    /* Dolphin's compiled vertex loaders. The transform unit follows XFJIT_FLIPPER_SPEC. */
    XFJIT_FLIPPER_DOLPHIN_JIT = 2,
    /* Dolphin's software renderer with its defaults: it uses the compiled vertex loaders. */
    XFJIT_FLIPPER_DOLPHIN = 3
};

/* The options of a unit. If everything but the size is zero, all have their defaults.
 * xfjit_flipper_options_init fills in those of a dialect. QUIRKS.md gives the evidence for each choice. */
typedef struct xfjit_flipper_options {
    uint32_t size;          /* sizeof(xfjit_flipper_options) */
    uint32_t console;       /* XFJIT_GAMECUBE or XFJIT_WII */
    /* When one configuration has drawn this many vertices of one format, the library compiles code for it
     * that reads the vertices in place; 0: a million, UINT64_MAX: never. The output is the same. */
    uint64_t hot;
    uint32_t depth;         /* Depth. 0: as the projection gives it. 1: reduced slightly. */
    uint32_t half_angle;    /* Coefficients next to the half angle. 0: unchanged. 1: as a unit vector. */
    /* Conversion of colours to bytes. 0: to the nearest. 1: as x86 conversions do it. */
    uint32_t to_integer;
    /* Memory of normal matrices and lights. 0: it holds all bits. 1: it holds the upper 20 bits. */
    uint32_t storage;
    uint32_t accumulation;  /* Sum of lights. 0: as floats. 1: as integers. */
    uint32_t dialect;       /* The dialect that decides how vertices are read (XFJIT_FLIPPER_SPEC ...). */
    uint32_t decoding;      /* Decoding of command bytes. 0: exact. 1: by the upper bits. */
    uint32_t ring;          /* The block at a ring's top. 0: it belongs to the ring. 1: it does not. */
    uint32_t interrupt;     /* Interrupts of rings. 0: level-triggered. 1: latched. */
    /* What clears the flag that says that a ring's pointer has wrapped around. 0: the next block. 1: a
     * write of the pointer. */
    uint32_t wrap;
    uint32_t watermarks;    /* High and low marks of rings. 0: they signal. 1: they stop the reader. */
    /* A drawing command with at most this many vertices waits for others of the same call, so that they
     * run together: 1 to 256; 0: 32, UINT32_MAX: no command waits. The output and its order are the same. */
    uint32_t held;
} xfjit_flipper_options;

/* A part of a vertex (xfjit_flipper_element.source). Colours and matrix indices are integers, and so are
 * the output channels and the clip mask. Everything else is floats. Each source has four components; those
 * that it lacks are 0. */
enum {
    XFJIT_FLIPPER_IN_POSITION = 0,    /* Inputs of the transform unit begin here. The position: x, y, z. */
    /* The normal. If a vertex has no normal, tangent or binormal, the last ones that the unit kept are
     * used. */
    XFJIT_FLIPPER_IN_NORMAL = 1,
    XFJIT_FLIPPER_IN_TANGENT = 2,     /* The tangent. */
    XFJIT_FLIPPER_IN_BINORMAL = 3,    /* The binormal. */
    XFJIT_FLIPPER_IN_COLOUR0 = 4,     /* Colour 0: red, green, blue, alpha, 0 to 255. Colour 1 follows. */
    XFJIT_FLIPPER_IN_TEX0 = 6,        /* Texture coordinate 0: s, t. The other seven follow. */
    /* The matrix index of the position. Those of eight texture coordinates follow. If the vertex has no
     * index of its own, the command processor's registers give it. */
    XFJIT_FLIPPER_IN_MATRIX0 = 16,
    /* Outputs of the transform unit begin here. The position in clip space: x, y, z, w. */
    XFJIT_FLIPPER_OUT_CLIP = 32,
    XFJIT_FLIPPER_OUT_SCREEN = 33,    /* The position on the screen: x, y, z, 1/w. */
    XFJIT_FLIPPER_OUT_EYE = 34,       /* The position in eye space: x, y, z, 1. */
    XFJIT_FLIPPER_OUT_NORMAL = 35,    /* The unit normal. */
    XFJIT_FLIPPER_OUT_TANGENT = 36,   /* The tangent. */
    XFJIT_FLIPPER_OUT_BINORMAL = 37,  /* The binormal. */
    XFJIT_FLIPPER_OUT_COLOUR0 = 38,   /* Channel 0: red, green, blue, alpha, 0 to 255. Channel 1 follows. */
    XFJIT_FLIPPER_OUT_TEX0 = 40,      /* Texture coordinate 0: s, t, q. The other seven follow. */
    XFJIT_FLIPPER_OUT_MASK = 48       /* The clip mask, as one integer. */
};

/* The type of stored components (xfjit_flipper_element.stored). */
enum {
    XFJIT_FLIPPER_F32 = 0,  /* Floats of 32 bits. */
    XFJIT_FLIPPER_U8 = 1,   /* Bytes; only for integers. */
    XFJIT_FLIPPER_U32 = 2   /* Integers of 32 bits; only for integers. */
};

/* An attribute of vertices, in a layout that the caller declares. Numbers have the host's byte order. If
 * elements overlap, the later one wins. */
typedef struct xfjit_flipper_element {
    /* XFJIT_FLIPPER_IN_* or XFJIT_FLIPPER_OUT_*, plus the number of the colour, texture coordinate or
     * matrix. */
    uint32_t source;
    uint32_t stored;      /* The type of stored components: XFJIT_FLIPPER_F32 ... */
    uint32_t components;  /* 1 to 4 */
    uint32_t offset;      /* The byte offset of the first vertex's value. */
    uint32_t stride;      /* Bytes from one vertex to the next. */
    uint32_t reserved;    /* 0 */
} xfjit_flipper_element;

/* The kind of a unit's output (xfjit_flipper_output.kind). */
enum {
    XFJIT_FLIPPER_DRAW = 0,        /* The vertices of a drawing command. */
    /* A command loads a register after the transform unit: its number is in address, its 24 bits in value. */
    XFJIT_FLIPPER_BP = 1,
    /* The unit begins to read a display list: its address is in address, its size in bytes in value. */
    XFJIT_FLIPPER_CALL = 2,
    XFJIT_FLIPPER_INVALIDATE = 3,  /* A command empties the vertex cache. */
    XFJIT_FLIPPER_UNKNOWN = 4      /* A byte that begins no command; it is in value. */
};

/* Where the settings of the command processor and those of the transform unit disagree
 * (xfjit_flipper_output.disagreement), or-ed. */
enum {
    XFJIT_FLIPPER_COLOURS = 1,    /* The number of colours. */
    XFJIT_FLIPPER_NORMALS = 2,    /* The number of normals. */
    XFJIT_FLIPPER_TEXCOORDS = 4,  /* The number of texture coordinates. */
    XFJIT_FLIPPER_MATRICES = 8,   /* The matrix indices of vertices that have none of their own. */
    XFJIT_FLIPPER_POSITIONS = 16  /* Vertices have no position; zeros are used. */
};

/* Properties of a triangle (xfjit_flipper_triangle.flags), or-ed. */
enum {
    XFJIT_FLIPPER_BACK = 1,     /* The triangle shows its back face. */
    XFJIT_FLIPPER_REJECTED = 2  /* The whole triangle is outside one clip plane, so it is not drawn. */
};

/* The faces that the host does not draw (xfjit_flipper_culled), or-ed. */
enum {
    XFJIT_FLIPPER_CULL_FRONT = 1,  /* Triangles that show their front face. */
    XFJIT_FLIPPER_CULL_BACK = 2    /* Triangles that show their back face. */
};

/* 32-bit registers of the processor interface, as byte offsets from 0c003000 (xfjit_flipper_write_pi). */
enum {
    XFJIT_FLIPPER_PI_BASE = 12,   /* The start of the ring. */
    XFJIT_FLIPPER_PI_TOP = 16,    /* The last block of the ring. */
    /* Where the next block goes. Bit 26 is set after the pointer has wrapped around. */
    XFJIT_FLIPPER_PI_WRITE = 20,
    XFJIT_FLIPPER_PI_RESET = 24   /* Bit 0 drops the waiting bytes. */
};

/* 16-bit registers of the command processor that the processor can access, as byte offsets from 0c000000
 * (xfjit_flipper_write_port). For a pair, the offset is that of the lower half, bits 15 to 5. The upper
 * half, bits 25 to 16, is 2 bytes later. */
enum {
    XFJIT_FLIPPER_PORT_STATUS = 0,       /* Read only: XFJIT_FLIPPER_STATUS_*. */
    XFJIT_FLIPPER_PORT_ENABLE = 2,       /* XFJIT_FLIPPER_ENABLE_*. */
    XFJIT_FLIPPER_PORT_CLEAR = 4,        /* Write only: XFJIT_FLIPPER_CLEAR_*. */
    XFJIT_FLIPPER_PORT_PERF = 6,         /* The selection of the measurement. */
    XFJIT_FLIPPER_PORT_STREAM_LOW = 10,  /* The low mark of the streaming buffer. It has no effect. */
    XFJIT_FLIPPER_PORT_BASE = 32,        /* A pair: the start of the ring. */
    XFJIT_FLIPPER_PORT_TOP = 36,         /* A pair: the last block of the ring. */
    XFJIT_FLIPPER_PORT_HIGH = 40,        /* A pair: the high mark; more waiting bytes are an overflow. */
    XFJIT_FLIPPER_PORT_LOW = 44,         /* A pair: the low mark; fewer waiting bytes are an underflow. */
    XFJIT_FLIPPER_PORT_COUNT = 48,       /* A pair: the number of waiting bytes. */
    XFJIT_FLIPPER_PORT_WRITE = 52,       /* A pair: the end of the last waiting block. */
    XFJIT_FLIPPER_PORT_READ = 56,        /* A pair: the first waiting block. */
    XFJIT_FLIPPER_PORT_BREAK = 60        /* A pair: the block before which the reader stops. */
};

/* The bits of XFJIT_FLIPPER_PORT_STATUS. */
enum {
    XFJIT_FLIPPER_STATUS_OVERFLOW = 1,      /* More bytes wait than the high mark. */
    XFJIT_FLIPPER_STATUS_UNDERFLOW = 2,     /* Fewer bytes wait than the low mark. */
    XFJIT_FLIPPER_STATUS_READ_IDLE = 4,     /* The ring holds nothing to read. */
    XFJIT_FLIPPER_STATUS_COMMAND_IDLE = 8,  /* The command processor reads nothing. */
    XFJIT_FLIPPER_STATUS_BREAK = 16         /* The reader has stopped at the break point. */
};

/* The bits of XFJIT_FLIPPER_PORT_ENABLE. */
enum {
    XFJIT_FLIPPER_ENABLE_READ = 1,                 /* The command processor reads blocks. */
    XFJIT_FLIPPER_ENABLE_BREAK = 2,                /* The break point is active. */
    XFJIT_FLIPPER_ENABLE_OVERFLOW_INTERRUPT = 4,   /* An overflow interrupts. */
    XFJIT_FLIPPER_ENABLE_UNDERFLOW_INTERRUPT = 8,  /* An underflow interrupts. */
    /* The write pointer follows the blocks of the processor interface. */
    XFJIT_FLIPPER_ENABLE_LINK = 16,
    XFJIT_FLIPPER_ENABLE_BREAK_INTERRUPT = 32      /* The break point interrupts. */
};

/* The bits of XFJIT_FLIPPER_PORT_CLEAR. */
enum {
    XFJIT_FLIPPER_CLEAR_OVERFLOW = 1,   /* Clears the overflow. */
    XFJIT_FLIPPER_CLEAR_UNDERFLOW = 2,  /* Clears the underflow. */
    XFJIT_FLIPPER_CLEAR_METRICS = 4     /* Clears the measurements. */
};

/* The guest's memory, for calls that read it. Memory that does not exist reads as zeros. */
typedef struct xfjit_flipper_memory {
    uint32_t size;        /* sizeof(xfjit_flipper_memory) */
    uint32_t reserved;    /* 0 */
    const void *first;    /* The memory from address 0 on (MEM1). */
    size_t first_bytes;   /* Its size in bytes. Bytes above 128 MiB are ignored. */
    const void *second;   /* The memory from address 0x10000000 on (MEM2 of the Wii), or null. */
    size_t second_bytes;  /* Its size in bytes, likewise. */
} xfjit_flipper_memory;

/* A triangle of a draw. */
typedef struct xfjit_flipper_triangle {
    uint32_t vertices[3];  /* The positions of its vertices among those of the draw. */
    uint32_t flags;        /* XFJIT_FLIPPER_BACK, XFJIT_FLIPPER_REJECTED, or-ed. */
} xfjit_flipper_triangle;

/* One output of a unit. Pointers are valid until the callback returns. */
typedef struct xfjit_flipper_output {
    uint32_t kind;                            /* XFJIT_FLIPPER_DRAW ... */
    uint32_t address;                         /* The address of a register or of a display list. */
    /* The loaded value, the size of a display list in bytes, or a byte. */
    uint32_t value;
    /* For a draw, bits 5:3 of its command: 0 and 1 quads, 2 triangles, 3 strip, 4 fan, 5 lines, 6 line
     * strip, 7 points. */
    uint32_t primitive;
    /* The number of vertices in the command, including those that are left out. */
    uint32_t given;
    uint32_t count;                           /* The number of vertices in the output. */
    uint32_t disagreement;                    /* XFJIT_FLIPPER_COLOURS ... */
    uint32_t triangle_count;                  /* The number of triangles, if the caller wants them. */
    const xfjit_flipper_triangle *triangles;  /* The triangles. */
    const void *vertices;                     /* The vertices, in the declared layout. */
    size_t vertex_bytes;                      /* Their size in bytes. */
} xfjit_flipper_output;

/* How far a stream of commands has run. */
typedef struct xfjit_flipper_progress {
    uint32_t size;       /* sizeof(xfjit_flipper_progress) */
    /* 1 if the unit can continue without further bytes, because the budget ended inside a display list. */
    uint32_t in_list;
    /* The number of bytes that the unit took, or read from a ring. Pass the others again. */
    uint64_t used;
    uint64_t waiting;    /* The number of bytes that wait in the unit for the rest of their command. */
    uint32_t cancelled;  /* 1 if a flag cancelled the call (xfjit_flipper_set_cancel). */
    uint32_t reserved;   /* 0 */
} xfjit_flipper_progress;

/* Receives one output of a unit, in order. It must not use the unit, and it must return normally: no
 * exception, no longjmp. */
typedef void (*xfjit_flipper_take)(void *user, const xfjit_flipper_output *output);

#if defined __cplusplus
}
#endif

#endif

#if defined __cplusplus
extern "C" {
#endif

/* ---- Library ------------------------------------------------------------------------------------------- */

/* Returns the version of the interface, XFJIT_ABI. Any thread. */
XFJIT_API uint32_t xfjit_abi_version(void);

/* Returns the version of the library as text. The text is never freed. Any thread. */
XFJIT_API const char *xfjit_version_string(void);

/* Returns what this library and this host support, XFJIT_FEATURE_* or-ed. Any thread. */
XFJIT_API uint32_t xfjit_host_features(void);

/* Returns a short description of a status. The text is never freed. Any thread. */
XFJIT_API const char *xfjit_status_string(xfjit_status status);

/* Writes a description of the last error on this thread: as much of it as fits, ended by a zero. Returns
 * the full length without the zero. With size 0 it writes nothing. Any thread. */
XFJIT_API size_t xfjit_last_error(char *text, size_t size);


/* ---- Engine -------------------------------------------------------------------------------------------- */

/* Writes a profile of the programs in the engine's cache, as JSON: as much of it as fits, ended by a zero.
 * The field schema is "xfjit.profile.1"; see PROFILING.md. Returns the full length without the zero, or 0
 * on an error. Programs that run meanwhile keep counting, so the next text may be longer. The call takes
 * about as long as compiling the programs whose native code has left vertices to the interpreter. Any
 * thread. */
XFJIT_API size_t xfjit_engine_profile(const xfjit_engine *engine, char *text, size_t size);

/* Creates an engine. If options is null, all options have their defaults. Any thread. */
XFJIT_API xfjit_status xfjit_engine_create(const xfjit_options *options, xfjit_engine **engine);

/* Destroys an engine. A null pointer has no effect. The engine's thread ends with the engine, or with the
 * last of its workers and units. The call that ends it waits for the thread, and for the callback that the
 * thread is in. A callback on that thread may also make this call: it does not wait, and the thread ends
 * after the callback has returned. Programs live on as they are: those without native code stay
 * interpreted, unless another engine warms them. One thread, while no other uses the handle. */
XFJIT_API xfjit_status xfjit_engine_destroy(xfjit_engine *engine);

/* Compiles the programs that are not compiled yet. If wait is not 0, it compiles them before it returns;
 * otherwise xfjit_options.compile_by says who compiles them. If the engine compiles programs when it makes
 * their handles, there is nothing left to compile. Any thread. */
XFJIT_API xfjit_status xfjit_engine_warm(xfjit_engine *engine, const xfjit_program *const *programs, size_t count, int32_t wait);

/* Compiles the program of a job, and destroys the job. One thread, while no other uses the handle. */
XFJIT_API xfjit_status xfjit_job_run(xfjit_job *job);

/* Destroys a job without compiling. A null pointer has no effect. The interpreter runs the program until
 * xfjit_engine_warm. One thread, while no other uses the handle. */
XFJIT_API xfjit_status xfjit_job_drop(xfjit_job *job);

/* Creates a list from a file (path is UTF-8). The list is empty if the file does not exist or path is
 * null. Damaged entries of the file are skipped. Any thread. */
XFJIT_API xfjit_status xfjit_list_load(const char *path, xfjit_list **list);

/* Destroys a list. A null pointer has no effect. One thread, while no other uses the handle. */
XFJIT_API xfjit_status xfjit_list_destroy(xfjit_list *list);

/* Writes a list to a file. Readers of the file see the whole old list or the whole new one. Any thread. */
XFJIT_API xfjit_status xfjit_list_save(const xfjit_list *list, const char *path);

/* Returns the number of programs in a list, or 0 on an error. Any thread. */
XFJIT_API size_t xfjit_list_count(const xfjit_list *list);

/* Adds the vertices that the engine's programs have run to their counts in a list. Call this once, at the
 * end of a session; otherwise vertices are counted twice. Any thread. */
XFJIT_API xfjit_status xfjit_list_add(xfjit_list *list, const xfjit_engine *engine);

/* Compiles the programs of a list ahead of time, as xfjit_engine_warm does, beginning with those that have
 * run the most vertices. The engine keeps as many as fit into its cache. Any thread. */
XFJIT_API xfjit_status xfjit_engine_warm_list(xfjit_engine *engine, const xfjit_list *list, int32_t wait);

/* Compiles the programs of a list on this many threads: this one, and others that end before the call
 * returns. 0: as many as the system has for the process. warmed may be null; user is passed to it. The
 * engine keeps as many programs as fit into its cache. If warmed ends it, the interpreter runs the other
 * programs until they are asked for again. Any thread. */
XFJIT_API xfjit_status xfjit_engine_warm_list_with(xfjit_engine *engine, const xfjit_list *list, uint32_t threads, xfjit_warmed warmed, void *user);


/* ---- Configuration ------------------------------------------------------------------------------------- */

/* Fills a configuration with the chip's setup for ordinary programs. The caller sets size first. Any
 * thread. */
XFJIT_API xfjit_status xfjit_config_init(xfjit_config *config, uint32_t generation);

/* Fills a configuration so that results come as close as possible to an emulator's (XFJIT_LIKE_*). The
 * caller sets size first. Returns XFJIT_E_ARGUMENT if the emulator does not run programs of this
 * generation. Any thread. */
XFJIT_API xfjit_status xfjit_config_like(xfjit_config *config, uint32_t like, uint32_t generation);


/* ---- Programs ------------------------------------------------------------------------------------------ */

/* Returns the program that starts in slot start of a program memory. The memory has slot_count slots of
 * four 32-bit words in the host's byte order, the first word first. Slots are slot_stride bytes apart (16
 * if nothing is between them). The call ignores slots that the generation lacks. Equal programs are
 * prepared only once. The caller owns the program and releases it with xfjit_program_unref. If a program
 * cannot be compiled, this is not an error: it is interpreted. Any thread. */
XFJIT_API xfjit_status xfjit_program_get(xfjit_engine *engine, const void *slots, size_t slot_stride, size_t slot_count, size_t start, const xfjit_config *config, const xfjit_program **program);

/* Adds a reference to a program. Any thread. */
XFJIT_API xfjit_status xfjit_program_ref(const xfjit_program *program);

/* Releases a reference to a program. A null pointer has no effect. Any thread. */
XFJIT_API xfjit_status xfjit_program_unref(const xfjit_program *program);

/* Fills in the properties and the counters of a program. Any thread. */
XFJIT_API xfjit_status xfjit_program_info(const xfjit_program *program, xfjit_info *info);

/* Labels a program for people: xfjit_engine_profile and captures of workers contain the label. It is UTF-8
 * on one line, 255 bytes at most, without control characters; the program keeps a copy. A null pointer or
 * an empty text removes the label. A label changes nothing that is computed. An equal program of the same
 * engine is the same program, and has its label. Any thread. */
XFJIT_API xfjit_status xfjit_program_set_label(const xfjit_program *program, const char *label);

/* Writes the text of one slot (XFJIT_STYLE_*): as much of it as fits, ended by a zero. Returns the full
 * length without the zero, or 0 on an error. Any thread. */
XFJIT_API size_t xfjit_disassemble(uint32_t generation, const uint32_t *slot, uint32_t style, char *text, size_t size);


/* ---- Running ------------------------------------------------------------------------------------------- */

/* Creates a worker. It runs programs of any engine; xfjit_worker_program finds those of this one. Any
 * thread. */
XFJIT_API xfjit_status xfjit_worker_create(xfjit_engine *engine, xfjit_worker **worker);

/* Destroys a worker. A null pointer has no effect. This also releases the programs that the worker has
 * found; they live on only if someone else holds a reference. One thread, while no other uses the handle. */
XFJIT_API xfjit_status xfjit_worker_destroy(xfjit_worker *worker);

/* Does the same as xfjit_program_get, for programs that are looked up repeatedly: the worker compares
 * words that it has seen before, and does not decode them. The worker owns the program. It is valid until
 * the next call of this function, and longer with xfjit_program_ref. One thread at a time. */
XFJIT_API xfjit_status xfjit_worker_program(xfjit_worker *worker, const void *slots, size_t slot_stride, size_t slot_count, size_t start, const xfjit_config *config, const xfjit_program **program);

/* Limits the work of a call. Once its vertices have executed this many slots, no further vertex begins;
 * xfjit_outcome.done says how many vertices are done. All instances of a batch share the limit. 0: no
 * limit. One thread at a time. */
XFJIT_API xfjit_status xfjit_worker_set_slot_budget(xfjit_worker *worker, uint64_t slots);

/* Limits the overtime of a call. Overtime is the slots that a vertex executes after its first 2,048; only
 * programs with loops have any. Once all vertices of a call, in all instances, have used up the limit
 * together, no further vertex begins; xfjit_outcome.done says how many are done. The default is 16,777,216
 * slots, about a second in the interpreter, so that no draw of a guest blocks a thread for minutes. 0: no
 * limit. One thread at a time. */
XFJIT_API xfjit_status xfjit_worker_set_overtime(xfjit_worker *worker, uint64_t slots);

/* Runs a batch with all its instances. outcome may be null. Fields of the batch that the program does not
 * need may be anything. A program may run in any number of workers at once. One thread at a time with a
 * worker. */
XFJIT_API xfjit_status xfjit_run(const xfjit_program *program, xfjit_worker *worker, const xfjit_batch *batch, xfjit_outcome *outcome);

/* Runs a batch as xfjit_run does, on at most this many threads of the host's own pool. The results are the
 * same, to the bit: outputs, dirty bytes, the outcome. The library cuts the batch into parts and calls
 * each on this thread; each makes sure that xfjit_run_part is called for every part. For a draw with
 * several instances, the library calls each once for each instance. These batches run on this thread
 * alone, without a call of each: small ones; those of programs that write constants, or have loops, calls
 * or branches to a register; those of a worker with a slot budget or a flag that cancels calls; those
 * whose outputs overlap, or lie in each other's gaps at different strides. If a part does not run exactly
 * once, this returns XFJIT_E_ARGUMENT, and the contents of the outputs are undefined. The worker holds
 * what the other threads need; the first such call creates it. One thread at a time with a worker. */
XFJIT_API xfjit_status xfjit_run_parallel(const xfjit_program *program, xfjit_worker *worker, const xfjit_batch *batch, xfjit_outcome *outcome, uint32_t threads, xfjit_each each, void *user);

/* Runs a part of the batch that a call of xfjit_run_parallel with this worker is running: number is below
 * the count that its each was given. Returns when every vertex of the batch has begun. If no such call is
 * waiting for parts, it does nothing and returns XFJIT_E_ARGUMENT, as for a number that is none. The
 * worker must live. Any thread. */
XFJIT_API xfjit_status xfjit_run_part(xfjit_worker *worker, uint32_t number);

/* Runs vertices whose registers are stored one after the other, as in interpreters. input and output hold
 * count vertices of 16 rows. A row is four 32-bit words (floats, or their bits) in the host's byte order.
 * constants holds constant_rows such rows; the program reads, and possibly writes, those that its
 * generation has. dirty is null, or has one byte for each of these rows, which becomes 1 when a vertex
 * writes a component of the row. input and output must not overlap. Outputs that the caller does not want
 * stay unchanged. Outputs of vertices that a limit or a cancel flag of the worker has stopped stay
 * unchanged, too, and this call does not tell how many they are: a worker with such limits needs
 * xfjit_run, as does a program with outputs above 15. One thread at a time with a worker. */
XFJIT_API xfjit_status xfjit_run_rows(const xfjit_program *program, xfjit_worker *worker, void *constants, size_t constant_rows, uint8_t *dirty, const void *input, void *output, size_t count);

/* Fetches the attributes of one vertex: the vertex with this number in the batch's first instance. mask
 * selects the attributes. They go to rows, which has 16 rows of four words; the other rows stay unchanged.
 * The call uses only the indices and attributes of the batch. Any thread. */
XFJIT_API xfjit_status xfjit_fetch(const xfjit_batch *batch, uint32_t vertex, uint32_t mask, void *rows);


/* ---- One vertex, and one operation --------------------------------------------------------------------- */

/* Sets a vertex to the beginning of a program. The caller sets size and input first. Any thread. */
XFJIT_API xfjit_status xfjit_vertex_reset(const xfjit_program *program, xfjit_vertex *vertex);

/* Executes at most slots slots of a program for a vertex, as the interpreter does; 4294967295 runs the
 * whole program. It stops where the program ends, and records that in the vertex. Constants and dirty
 * bytes are as for xfjit_run_rows. Any thread. */
XFJIT_API xfjit_status xfjit_step(const xfjit_program *program, xfjit_vertex *vertex, void *constants, size_t constant_rows, uint8_t *dirty, uint32_t slots);

/* Computes one operation of a unit (XFJIT_UNIT_*), given its opcode. operands are three operands of four
 * words each; the operation reads those that it has. result receives four words. Operations without a
 * result (branches, address operations) return XFJIT_E_ARGUMENT. Any thread. */
XFJIT_API xfjit_status xfjit_op(const xfjit_config *config, uint32_t unit, uint32_t opcode, const void *operands, void *result);


/* ---- The unit as a device ------------------------------------------------------------------------------ */

/* Creates a unit of a chip (XFJIT_NV10 ...) in its state after reset. config may be null. The unit takes
 * from it only the model, and the choices for what is unknown about the chip. Any thread. */
XFJIT_API xfjit_status xfjit_unit_create(xfjit_engine *engine, uint32_t chip, const xfjit_config *config, xfjit_unit **unit);

/* Destroys a unit. A null pointer has no effect. One thread, while no other uses the handle. */
XFJIT_API xfjit_status xfjit_unit_destroy(xfjit_unit *unit);

/* Executes commands. A command is its address, as FE wraps it, and one word, or two words with
 * XFJIT_COMMAND_PAIR. XFJIT_COMMAND_VERTEX is a command by itself. If any word is not a valid command, or
 * if memory for the possible output is missing (XFJIT_E_MEMORY), nothing is executed. The unit collects
 * vertices, and runs them before their results become visible. Its output waits for xfjit_unit_drain,
 * which the caller should call regularly. One thread at a time. */
XFJIT_API xfjit_status xfjit_unit_write(xfjit_unit *unit, const uint32_t *commands, size_t words);

/* Sets a register that commands do not reach (XFJIT_REGISTER_*). One thread at a time. */
XFJIT_API xfjit_status xfjit_unit_set(xfjit_unit *unit, uint32_t which, uint32_t value);

/* Sets the texture of a texture unit, 0 to 3, for TXL; only programs of Curie read it. The texture has
 * height rows of width texels. A texel is 1 or 4 floats in the host's byte order. Rows are pitch bytes
 * apart, and may overlap. The call copies the texels, as many bytes as there are up to the last one. A
 * null pointer removes the texture; at first there is none. flags are XFJIT_TEXTURE_*, or-ed. Saved states
 * and recordings do not include textures. Returns XFJIT_E_INPUT if the memory does not hold all texels,
 * and XFJIT_E_MEMORY if there is none for the copy. One thread at a time. */
XFJIT_API xfjit_status xfjit_unit_set_texture(xfjit_unit *unit, uint32_t number, const void *texels, size_t size, uint32_t components, uint32_t width, uint32_t height, uint32_t pitch, uint32_t flags);

/* Limits the overtime of a batch or a draw of vertices; xfjit_worker_set_overtime explains it, and gives
 * the same default. Vertices that do not run any more are output as zeros. 0: no limit. One thread at a
 * time. */
XFJIT_API xfjit_status xfjit_unit_set_overtime(xfjit_unit *unit, uint64_t slots);

/* Runs pending vertices and passes the output since the last call to the callback, piece by piece, in
 * order. The callback must not use the unit. One thread at a time. */
XFJIT_API xfjit_status xfjit_unit_drain(xfjit_unit *unit, xfjit_take take, void *user);

/* Runs pending vertices and reads constants: count rows of four words, beginning with row first. Rows that
 * do not exist read as zeros. Commands write constants. One thread at a time. */
XFJIT_API xfjit_status xfjit_unit_constants(xfjit_unit *unit, size_t first, size_t count, void *rows);

/* Runs pending vertices and returns where the constants are, and which have changed. The caller may read
 * both, and write the dirty bytes, until the next call with the unit, whichever it is; after that, call
 * this function again. Nothing is copied. One thread at a time; that thread also uses the view. */
XFJIT_API xfjit_status xfjit_unit_view(xfjit_unit *unit, xfjit_view *view);

/* Runs pending vertices and writes the state of a unit, if it fits. Returns the size of the state in
 * bytes, or 0 on an error. The state does not include output that waits for xfjit_unit_drain. One thread
 * at a time. */
XFJIT_API size_t xfjit_unit_save(xfjit_unit *unit, void *bytes, size_t size);

/* Loads a saved state of a unit of the same chip. Pending vertices run first, in the old state. One thread
 * at a time. */
XFJIT_API xfjit_status xfjit_unit_load(xfjit_unit *unit, const void *bytes, size_t size);

/* Runs vertices from arrays, as if commands had sent them one after the other: for each vertex, its
 * attributes that have memory, then XFJIT_COMMAND_VERTEX. Attributes without memory (XFJIT_FORMAT_NONE, or
 * not given) keep the values that commands have written. Afterwards, the others have the values of the
 * last vertex. The call uses the batch's vertices, indices, instances and attributes; it ignores outputs,
 * constants and XFJIT_BATCH_DISTINCT. A restart index sends nothing. On an error, nothing has been sent,
 * with one exception: if memory runs out (XFJIT_E_MEMORY), whole instances, or pieces between restart
 * indices, may have been sent. One thread at a time. */
XFJIT_API xfjit_status xfjit_unit_draw(xfjit_unit *unit, const xfjit_batch *batch);


/* ---- Ending calls of other threads --------------------------------------------------------------------- */

/* Creates a flag that is not raised. Any thread. */
XFJIT_API xfjit_status xfjit_cancel_create(xfjit_cancel **cancel);

/* Destroys the handle of a flag. A null pointer has no effect. Workers and units that watch the flag keep
 * it in its current state. One thread, while no other uses the handle. */
XFJIT_API xfjit_status xfjit_cancel_destroy(xfjit_cancel *cancel);

/* Raises the flag (not 0) or lowers it (0). While it is raised, calls that watch it end, and further calls
 * do nothing; xfjit_outcome.cancelled reports that. Other calls may run meanwhile, and callbacks of the
 * library may call this. Any thread. */
XFJIT_API xfjit_status xfjit_cancel_set(const xfjit_cancel *cancel, int32_t raised);

/* Makes the calls of a worker watch a flag. With a null pointer they watch none, which is the default. A
 * call checks the flag before it begins, and between parts of its vertices. It therefore ends after at
 * most about 65,536 slots of each of sixteen vertices. xfjit_outcome.done says how many vertices are done;
 * those after them have had no effect. One thread at a time. */
XFJIT_API xfjit_status xfjit_worker_set_cancel(xfjit_worker *worker, const xfjit_cancel *cancel);

/* Makes a unit watch a flag while it runs vertices; see xfjit_worker_set_cancel. Vertices that do not run
 * are output as zeros. One thread at a time. */
XFJIT_API xfjit_status xfjit_unit_set_cancel(xfjit_unit *unit, const xfjit_cancel *cancel);


/* ---- Recording ----------------------------------------------------------------------------------------- */

/* Records a unit from now on, whatever its state. record receives bytes of a capture during calls of this
 * unit, and the rest from xfjit_unit_record_end. An existing recording is abandoned without its end
 * marker, even if the new one does not begin because record refuses the bytes (XFJIT_E_FILE). Destroying
 * the unit drops bytes that have not been passed on. One thread at a time. */
XFJIT_API xfjit_status xfjit_unit_record(xfjit_unit *unit, xfjit_record record, void *user);

/* Ends the recording of a unit, if one is in progress: record receives the rest, then a null pointer.
 * Returns XFJIT_E_FILE if record refuses the bytes; the recording ends then, too. One thread at a time. */
XFJIT_API xfjit_status xfjit_unit_record_end(xfjit_unit *unit);

/* Records the calls of xfjit_run, xfjit_run_rows and xfjit_run_parallel with a worker from now on:
 * programs, constants, and the attributes of vertices as rows, as they are before the run. A call is
 * recorded before it runs, even if it then fails (an output has no memory) or a flag stops it. record
 * receives bytes of a capture of calls, during calls of this worker, budget bytes at most. A budget too
 * small for an empty capture is refused (XFJIT_E_ARGUMENT). A call that does not fit into the budget ends
 * the recording with a null pointer. A call of more than 65,536 vertices is recorded as several calls of
 * at most that many, as far as they fit. If its program writes constants, it is left out instead. Programs
 * without instructions are left out, too. Calls take several times as long while they are recorded. An
 * existing recording is abandoned without its end marker; so is a recording for which memory runs out.
 * Destroying the worker drops bytes that have not been passed on. One thread at a time. */
XFJIT_API xfjit_status xfjit_worker_record(xfjit_worker *worker, uint64_t budget, xfjit_record record, void *user);

/* Ends the recording of a worker, if one is in progress: record receives the rest, then a null pointer.
 * Returns XFJIT_E_FILE if record does not take the rest. One thread at a time. */
XFJIT_API xfjit_status xfjit_worker_record_end(xfjit_worker *worker);


/* ---- Flipper as a device ------------------------------------------------------------------------------- */

/* Fills options with the choices of a dialect (XFJIT_FLIPPER_SPEC ...). The console becomes the GameCube.
 * The caller sets size first. Any thread. */
XFJIT_API xfjit_status xfjit_flipper_options_init(xfjit_flipper_options *options, uint32_t dialect);

/* Creates a unit in its state after reset, with all words zero. If options is null, the console is the
 * GameCube, and each choice has its default. Any thread. */
XFJIT_API xfjit_status xfjit_flipper_create(xfjit_engine *engine, const xfjit_flipper_options *options, xfjit_flipper **flipper);

/* Destroys a unit. A null pointer has no effect. One thread, while no other uses the handle. */
XFJIT_API xfjit_status xfjit_flipper_destroy(xfjit_flipper *flipper);

/* Declares the layout in which draws output their vertices: count elements of element_size bytes,
 * sizeof(xfjit_flipper_element). All elements must be outputs (XFJIT_FLIPPER_OUT). The unit does not
 * compute outputs that are in no element. If triangles is not 0, draws also return triangles. At first
 * there are no elements and no triangles. A layout is refused if 65,535 vertices would take more than 256
 * MiB. One thread at a time. */
XFJIT_API xfjit_status xfjit_flipper_set_layout(xfjit_flipper *flipper, const xfjit_flipper_element *elements, uint32_t element_size, size_t count, int32_t triangles);

/* Loads a register of the command processor (0 to 0xff), as command 08 does. Bits that the register lacks
 * are dropped. One thread at a time. */
XFJIT_API xfjit_status xfjit_flipper_load_cp(xfjit_flipper *flipper, uint32_t number, uint32_t value);

/* Reads a register of the command processor. Registers that do not exist read as 0. One thread at a time. */
XFJIT_API xfjit_status xfjit_flipper_read_cp(xfjit_flipper *flipper, uint32_t number, uint32_t *value);

/* Loads count words of the transform unit, beginning at address first (0 to 0xffff), as command 10 does.
 * Words for addresses that do not exist are dropped. One thread at a time. */
XFJIT_API xfjit_status xfjit_flipper_load_xf(xfjit_flipper *flipper, uint32_t first, const uint32_t *words, size_t count);

/* Reads count words of the transform unit, beginning at address first. Addresses that do not exist read as
 * zeros. One thread at a time. */
XFJIT_API xfjit_status xfjit_flipper_read_xf(xfjit_flipper *flipper, uint32_t first, uint32_t *words, size_t count);

/* Writes the state, if it fits: registers, words, and bytes that wait for the rest of their command.
 * Returns the size of the state in bytes, or 0 on an error. One thread at a time. */
XFJIT_API size_t xfjit_flipper_save(xfjit_flipper *flipper, void *bytes, size_t size);

/* Loads a saved state. Options and layout stay unchanged. One thread at a time. */
XFJIT_API xfjit_status xfjit_flipper_load(xfjit_flipper *flipper, const void *bytes, size_t size);

/* Records draws from now on, and everything that they depend on, whatever the state of the unit. record
 * receives bytes of a capture, as from xfjit_unit_record, and the rest from xfjit_flipper_record_end. An
 * existing recording is abandoned without its end marker, even if the new one does not begin because
 * record refuses the bytes (XFJIT_E_FILE). Destroying the unit drops bytes that have not been passed on.
 * One thread at a time. */
XFJIT_API xfjit_status xfjit_flipper_record(xfjit_flipper *flipper, xfjit_record record, void *user);

/* Ends the recording, if one is in progress: record receives the rest, then a null pointer. Returns
 * XFJIT_E_FILE if record refuses the bytes; the recording ends then, too. One thread at a time. */
XFJIT_API xfjit_status xfjit_flipper_record_end(xfjit_flipper *flipper);

/* Runs bytes of commands. Pieces may have any size: the unit keeps the beginning of a command until the
 * rest arrives. take receives the output as it is produced. memory may be null. budget limits the work of
 * the call, in bytes of commands and vertices; 0: no limit. If the budget is used up, progress (which may
 * be null) says how many bytes the unit took; pass the others again. If the call returns XFJIT_E_MEMORY,
 * all commands have run, but a draw was output without its vertices. One thread at a time. */
XFJIT_API xfjit_status xfjit_flipper_run(xfjit_flipper *flipper, const void *bytes, size_t size, const xfjit_flipper_memory *memory, uint64_t budget, xfjit_flipper_take take, void *user, xfjit_flipper_progress *progress);

/* Makes calls that run commands watch a flag; they check it before each command. With a null pointer they
 * watch none, which is the default. A cancelled call ends as if its budget were used up:
 * xfjit_flipper_progress.cancelled reports it, and the caller passes the remaining bytes again. A drawing
 * command is not divided. One thread at a time. */
XFJIT_API xfjit_status xfjit_flipper_set_cancel(xfjit_flipper *flipper, const xfjit_cancel *cancel);

/* Runs one drawing command by itself. opcode is its byte (0x80 to 0xbf). bytes holds its count vertices in
 * the format that the registers describe. Returns XFJIT_E_INPUT if bytes are missing. Bytes that wait in
 * the unit keep waiting. One thread at a time. */
XFJIT_API xfjit_status xfjit_flipper_draw(xfjit_flipper *flipper, uint32_t opcode, uint32_t count, const void *bytes, size_t size, const xfjit_flipper_memory *memory, xfjit_flipper_take take, void *user);

/* Stores 1, 2, 4 or 8 bytes to the write-gather line, big-endian: the lowest bytes bytes of value. The
 * 32nd byte sends a block to the gather address: a ring in memory. memory has size bytes and begins at the
 * guest's address 0. Blocks beyond it are lost. One thread at a time. */
XFJIT_API xfjit_status xfjit_flipper_store(xfjit_flipper *flipper, uint64_t value, uint32_t bytes, void *memory, size_t size);

/* Sends a block of 32 bytes to the gather address, as xfjit_flipper_store does. block must not overlap
 * memory. One thread at a time. */
XFJIT_API xfjit_status xfjit_flipper_burst(xfjit_flipper *flipper, const void *block, void *memory, size_t size);

/* Writes the special register 921, WPAR. It holds the gather address; 0c008000 means the ring of the
 * processor interface. Gathered bytes that have not been sent are lost. One thread at a time. */
XFJIT_API xfjit_status xfjit_flipper_write_gather(xfjit_flipper *flipper, uint32_t address);

/* Reads WPAR, and the number of bytes that wait for their block to fill. Either pointer may be null. One
 * thread at a time. */
XFJIT_API xfjit_status xfjit_flipper_read_gather(xfjit_flipper *flipper, uint32_t *address, uint32_t *held);

/* Writes a register of the processor interface (XFJIT_FLIPPER_PI_*). Other offsets have no effect. One
 * thread at a time. */
XFJIT_API xfjit_status xfjit_flipper_write_pi(xfjit_flipper *flipper, uint32_t offset, uint32_t value);

/* Reads such a register. Other offsets read as 0. One thread at a time. */
XFJIT_API xfjit_status xfjit_flipper_read_pi(xfjit_flipper *flipper, uint32_t offset, uint32_t *value);

/* Writes a 16-bit register of the command processor that the processor can access (XFJIT_FLIPPER_PORT_*).
 * Other offsets have no effect. One thread at a time. */
XFJIT_API xfjit_status xfjit_flipper_write_port(xfjit_flipper *flipper, uint32_t offset, uint32_t value);

/* Reads such a register. Other offsets read as 0. One thread at a time. */
XFJIT_API xfjit_status xfjit_flipper_read_port(xfjit_flipper *flipper, uint32_t offset, uint32_t *value);

/* Says whether the command processor raises its interrupt: raised becomes 1 or 0. One thread at a time. */
XFJIT_API xfjit_status xfjit_flipper_interrupt(xfjit_flipper *flipper, int32_t *raised);

/* Reads blocks of the command processor's ring and runs their commands. It stops when the ring is empty,
 * when reading is not allowed, or when the budget is used up; xfjit_flipper_progress.in_list is 1 in the
 * last case. The ring is in memory; addresses that do not exist read as zeros. Everything else is as for
 * xfjit_flipper_run. One thread at a time. */
XFJIT_API xfjit_status xfjit_flipper_run_fifo(xfjit_flipper *flipper, const xfjit_flipper_memory *memory, uint64_t budget, xfjit_flipper_take take, void *user, xfjit_flipper_progress *progress);

/* Returns the number of bytes in a vertex of a drawing command (0x80 to 0xbf), given the current
 * registers. Returns 0 on an error, or if vertices are empty. One thread at a time. */
XFJIT_API size_t xfjit_flipper_vertex_size(xfjit_flipper *flipper, uint32_t opcode);

/* Reads the vertices of a drawing command and stores them as they are before the transform unit, as a
 * vertex loader does. All elements (see xfjit_flipper_set_layout) must be inputs (XFJIT_FLIPPER_IN). They
 * are relative to data. Its data_size bytes must hold count vertices (otherwise XFJIT_E_OUTPUT), and must
 * not overlap memory that the call reads. Bytes that no element covers stay unchanged. stored, which may
 * be null, becomes the number of stored vertices; it excludes vertices that are left out. The unit keeps
 * normals as after a draw. Returns XFJIT_E_INPUT if bytes of the command are missing. One thread at a
 * time. */
XFJIT_API xfjit_status xfjit_flipper_fetch(xfjit_flipper *flipper, uint32_t opcode, uint32_t count, const void *bytes, size_t size, const xfjit_flipper_memory *memory, const xfjit_flipper_element *elements, uint32_t element_size, size_t element_count, void *data, size_t data_size, uint32_t *stored);

/* Transforms vertices from arrays with the words of the unit, and stores the results. The call uses the
 * vertices, indices and attributes of the batch. Attributes: 0 position, 1 normal, 2 tangent, 3 binormal,
 * 4 and 5 colours as numbers from 0 to 255 (XFJIT_FORMAT_RGBA8, XFJIT_FORMAT_UB256), 6 to 13 texture
 * coordinates, 14 matrix indices. Matrix indices are 1 to 3 floats that hold one byte for each bit of
 * matrices, the lowest bit first; bit 0 is the position's, bits 1 to 8 are those of the texture
 * coordinates. Vertices have those colours that have memory. Other attributes without memory have their
 * value. Instances and the restart index are not supported. All elements are outputs; data is as for
 * xfjit_flipper_fetch. The unit does not change. One thread at a time. */
XFJIT_API xfjit_status xfjit_flipper_transform(xfjit_flipper *flipper, const xfjit_batch *batch, uint32_t matrices, const xfjit_flipper_element *elements, uint32_t element_size, size_t element_count, void *data, size_t data_size);

/* Says whether a drawing command shows nothing. culled becomes 1 if each of its triangles is rejected or
 * shows a face in faces (XFJIT_FLIPPER_CULL_FRONT, XFJIT_FLIPPER_CULL_BACK); otherwise it becomes 0. Lines
 * and points have a width, so they count as visible if there are any vertices. The unit does not change.
 * Everything else is as for xfjit_flipper_draw. One thread at a time. */
XFJIT_API xfjit_status xfjit_flipper_culled(xfjit_flipper *flipper, uint32_t opcode, uint32_t count, const void *bytes, size_t size, const xfjit_flipper_memory *memory, uint32_t faces, int32_t *culled);

#if defined __cplusplus
}
#endif

#endif
