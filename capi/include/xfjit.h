/* xfjit.h: vertex programs of GeForce 3 to 7, the Xbox and the PlayStation 3, at the speed of native code.
 *
 * C99 and C++98. Made of the library's source (capi/tests/headers); do not edit.
 *
 * Handles are opaque. Functions return a status, XFJIT_OK or what was wrong; xfjit_last_error has a sentence about it for
 * the thread that made the call. The caller sets `size` of each structure to its sizeof, so that structures can grow at
 * their end: what an old caller lacks counts as 0, and an old library takes a new caller's structure as long as what
 * it does not know is 0. The library has no state beside the handles, writes no files but lists and what goes to
 * xfjit_options.verify_directory, and starts no thread but that of XFJIT_COMPILE_THREAD. A pointer to memory that the
 * call reads or writes must be good for the call only. Misuse is a
 * status as far as it can be told: null pointers, alignment, sizes, handles of another kind. That memory is there, and that
 * nobody else writes it meanwhile, is the caller's word.
 *
 * Memory whose size a call decides (lists, vertices, commands, recordings) is a status where there is none: XFJIT_E_MEMORY. A
 * compilation begins only if 64 MiB can be had, of which it takes a fraction; otherwise the program is interpreted. What has the same
 * size for all (handles, messages, a worker, a program) cannot be refused: where the system has none of that the process ends.
 *
 * A process that is forked has the handles, but not the threads of its parent. In the child programs run, as they are by then, and
 * handles end, without waiting; what a thread had is not freed, and a worker or a unit that was in a call stays busy. Everything else is
 * for engines that the child makes.
 *
 * License: MIT or Apache-2.0, at your choice. */
#ifndef XFJIT_H
#define XFJIT_H

/* How functions are imported. Define it if that needs something else; with XFJIT_SHARED on Windows it is a DLL's. */
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

/* The version of this interface. It is raised when something changes so that callers of the old one would
 * fail; what is only added leaves it as it is. */
enum {
    XFJIT_ABI = 1  /* What xfjit_abi_version of a library that fits this header returns. */
};

/* How a call has ended. After anything but XFJIT_OK the call has changed nothing, unless its description
 * says otherwise, and xfjit_last_error has a sentence about it. */
enum {
    XFJIT_OK = 0,               /* Done. */
    /* The library is of another version than the caller: a structure is larger, and not zero after what is
     * known. */
    XFJIT_E_VERSION = -1,
    /* A number without a meaning, a null pointer where there must be something, an address that is not
     * aligned. */
    XFJIT_E_ARGUMENT = -2,
    XFJIT_E_DECODE = -3,        /* The words are no program. */
    XFJIT_E_INPUT = -4,         /* An attribute or an index list does not hold what the batch reads. */
    /* An output has no memory, too little, or shares it with what the batch reads. */
    XFJIT_E_OUTPUT = -5,
    XFJIT_E_CONSTANTS = -6,     /* There are too few rows of constants. */
    XFJIT_E_INTERNAL = -7,      /* A fault of the library. What the call was to write is undefined. */
    /* No handle of this kind, or one that has been destroyed, as far as that can be told. */
    XFJIT_E_HANDLE = -8,
    /* Another thread, or a callback of this one, is in a call with this worker or unit. */
    XFJIT_E_BUSY = -9,
    XFJIT_E_SIZE = -10,         /* A structure is smaller than its first version, or larger than any. */
    XFJIT_E_STATE = -11,        /* The bytes are no saved state of such a unit. */
    XFJIT_E_FILE = -12,         /* A file cannot be read or written. */
    XFJIT_E_UNSUPPORTED = -13,  /* This host or this library has not what is asked for. */
    XFJIT_E_MEMORY = -14        /* There is not so much memory as a call of this size takes. */
};
typedef int32_t xfjit_status;

/* What xfjit_host_features tells, as bits. */
enum {
    XFJIT_FEATURE_BUILT_NATIVE = 1,  /* The library was built with native code. */
    /* This host runs it. Without this bit programs are interpreted: slower, with the same results. */
    XFJIT_FEATURE_NATIVE = 2
};


/* ---- Engine -------------------------------------------------------------------------------------------- */

/* Prepares programs and keeps them. All threads may use one at the same time. It lives until
 * xfjit_engine_destroy, its cache and its thread also as long as a worker or a unit of it does. */
typedef struct xfjit_engine xfjit_engine;

/* A program, ready to run. It never changes, and all threads may run it at the same time. It is counted:
 * it lives until xfjit_program_unref has been called once for the call that made it and once for each
 * xfjit_program_ref. */
typedef struct xfjit_program xfjit_program;

/* What a thread runs programs in: working memory, and the programs that it has found by their words. It
 * belongs to no thread, but only one call at a time may have it; a second one returns XFJIT_E_BUSY. */
typedef struct xfjit_worker xfjit_worker;

/* A flag by which any thread ends the calls of workers and units that look at it. It may serve any number
 * of them. */
typedef struct xfjit_cancel xfjit_cancel;

/* The compilation of one program, which any thread may do (XFJIT_COMPILE_JOB). It may outlive its engine. */
typedef struct xfjit_job xfjit_job;

/* Programs with the vertices that they have run, kept in a file from one session to the next: microcode
 * and counters, never machine code. All threads may use one at the same time. */
typedef struct xfjit_list xfjit_list;

/* What runs programs (xfjit_options.backend). */
enum {
    XFJIT_BACKEND_BEST = 0,        /* Native code where there is any, else the interpreter. */
    XFJIT_BACKEND_INTERPRETER = 1  /* The interpreter alone. */
};

/* The instruction set of native code (xfjit_options.instructions). Results are the same in each. */
enum {
    XFJIT_INSTRUCTIONS_BEST = 0,       /* The widest that this machine has. */
    XFJIT_INSTRUCTIONS_X86_64_V2 = 1,  /* x86-64 up to SSE4.2: vectors of four vertices. */
    XFJIT_INSTRUCTIONS_X86_64_V3 = 2,  /* x86-64 with AVX2: vectors of eight vertices. */
    XFJIT_INSTRUCTIONS_X86_64_V4 = 3,  /* x86-64 with AVX-512: vectors of sixteen vertices. */
    XFJIT_INSTRUCTIONS_AARCH64 = 4     /* AArch64: vectors of four vertices. */
};

/* What Linux's perf is told of generated code (xfjit_options.perf). */
enum {
    XFJIT_PERF_NONE = 0,    /* Nothing. */
    XFJIT_PERF_MAP = 1,     /* Names of programs: /tmp/perf-PID.map, which perf report reads by itself. */
    /* Names, code, and lines of microcode: jit-PID.dump in xfjit_options.perf_directory, for perf record
     * -k mono and perf inject --jit. One engine at a time has one in a directory. */
    XFJIT_PERF_JITDUMP = 2
};

/* Who compiles (xfjit_options.compile_by) the programs that have run compile_after vertices. */
enum {
    XFJIT_COMPILE_THREAD = 0,  /* A thread of the engine's own. */
    /* The call with which a program has run so many: results and hitches are the same each time the same
     * is run. */
    XFJIT_COMPILE_INLINE = 1,
    XFJIT_COMPILE_JOB = 2      /* Whoever calls xfjit_job_run with what xfjit_options.hot has been given. */
};

/* What xfjit_options.heard is told. */
enum {
    XFJIT_EVENT_COMPILED = 1,  /* A program has got its native code. */
    XFJIT_EVENT_REFUSED = 2,   /* There will be no native code of a program; it stays in the interpreter. */
    /* A batch in native code differed from the interpreter's (xfjit_options.verify_every), whose results
     * stand. The program stays in the interpreter from now on. */
    XFJIT_EVENT_MISMATCH = 3,
    /* Native code of a program has been given up, since a quarter of its vertices run out of time. */
    XFJIT_EVENT_GIVEN_UP = 4
};

/* Is given the compilation of a program, to hand it to a thread that calls xfjit_job_run: in the call that
 * ran the program, on its thread, so that it had better be quick. It may call the library, but not with
 * that call's worker, does not end that call's program, and must return: no longjmp, no exception. */
typedef void (*xfjit_hot)(void *user, xfjit_job *job);

/* Is told of an event (XFJIT_EVENT_*), on the thread on which it happens, and under the same rules. The
 * program is lent for the call; xfjit_program_ref keeps it. */
typedef void (*xfjit_heard)(void *user, uint32_t event, const xfjit_program *program);

/* How much what xfjit_options.log is told matters. */
enum {
    XFJIT_LOG_ERROR = 1,    /* Something was computed wrong, and put right (xfjit_options.verify_every). */
    XFJIT_LOG_WARNING = 2,  /* A program runs slower than it should. */
    XFJIT_LOG_INFO = 3,     /* Something has been done that takes its time. */
    XFJIT_LOG_DEBUG = 4     /* What is going to be done. */
};

/* Is told in words (UTF-8, one line, lent for the call) what happens in an engine, and how much it matters
 * (XFJIT_LOG_*): on the thread on which it happens, and under the same rules. There is no log but this,
 * and none of several engines together. */
typedef void (*xfjit_log)(void *user, uint32_t level, const char *text);

/* How an engine works. All zeros (but for the size) are the defaults. */
typedef struct xfjit_options {
    uint32_t size;                 /* sizeof(xfjit_options) */
    uint32_t backend;              /* XFJIT_BACKEND_* */
    /* 0: programs are compiled when their handle is made, by the caller's thread. Otherwise they run in
     * the interpreter at first, and are compiled once they have run so many vertices; results are the same
     * before and after. */
    uint64_t compile_after;
    uint64_t cache_bytes;          /* The most that its cache may hold; 0: 64 MiB. */
    /* Slots that a vertex may execute, whatever its program asks for; 0: 65535. */
    uint32_t slot_limit;
    /* XFJIT_COMPILE_*: who compiles, if compile_after is not 0. The engine starts a thread for
     * XFJIT_COMPILE_THREAD alone. */
    uint32_t compile_by;
    /* 0, or: of so many batches of a program in native code, the first runs in the interpreter as well,
     * whose results stand if they differ. Then the program leaves native code for good. */
    uint64_t verify_every;
    /* Null, or the path (UTF-8) of a directory into which the first difference of each program is written,
     * as a test file. */
    const char *verify_directory;
    xfjit_hot hot;                 /* Is given the jobs of XFJIT_COMPILE_JOB; else null. */
    xfjit_heard heard;             /* Null, or is told of events (XFJIT_EVENT_*). */
    void *user;                    /* What all of them are given. */
    xfjit_log log;                 /* Null, or is told of events in words. */
    uint32_t log_level;            /* The last XFJIT_LOG_* that it is told; 0: XFJIT_LOG_INFO. */
    /* XFJIT_INSTRUCTIONS_*: what native code is made for. There is no engine for what this host or this
     * library has not. */
    uint32_t instructions;
    /* Of so many batches that a worker runs, one is timed for xfjit_engine_profile; 0: 256, 1: all,
     * UINT32_MAX: none. */
    uint32_t time_one_in;
    /* XFJIT_PERF_*: whether Linux's perf is told of generated code. Files that cannot be made are an error
     * (XFJIT_E_FILE). */
    uint32_t perf;
    /* Of XFJIT_PERF_JITDUMP the path (UTF-8) of a directory, which is made if need be; else null. */
    const char *perf_directory;
} xfjit_options;


/* ---- Configuration ------------------------------------------------------------------------------------- */

/* Whose programs. */
enum {
    XFJIT_KELVIN = 0,   /* GeForce 3 and 4 Ti, Xbox (NV20, NV25, NV2A). */
    XFJIT_RANKINE = 1,  /* GeForce FX (NV30 to NV38). */
    XFJIT_CURIE = 2     /* GeForce 6 and 7, PlayStation 3 (NV40 to G7x, RSX). */
};

/* Which arithmetic. */
enum {
    XFJIT_HW = 0,   /* The chip's, bit for bit. */
    /* IEEE single precision in the chip's order, near to what emulators compute, and faster. */
    XFJIT_IEEE = 1
};

/* Emulators for xfjit_config_like. */
enum {
    /* nv2a_vsh_cpu, which xemu and Cxbx-Reloaded run programs with that write constants. */
    XFJIT_LIKE_NV2A_VSH_CPU = 0,
    XFJIT_LIKE_XEMU = 1,          /* xemu's draws. */
    XFJIT_LIKE_CXBX = 2,          /* Cxbx-Reloaded's draws. */
    XFJIT_LIKE_MAME = 3,          /* MAME. */
    XFJIT_LIKE_BOCHS = 4,         /* Bochs. */
    XFJIT_LIKE_RPCS3 = 5          /* RPCS3 (programs of Curie). */
};

/* What an emulator computes otherwise than IEEE single precision in the chip's order (xfjit_config.forms):
 * 0 for nothing, or one of the first three, with the others added. */
enum {
    XFJIT_FORMS_NV2A_VSH_CPU = 1,      /* That of nv2a_vsh_cpu. */
    XFJIT_FORMS_MAME = 4,              /* That of MAME. */
    XFJIT_FORMS_BOCHS = 5,             /* That of Bochs. */
    /* But ARL as the chip has it: what nv2a_vsh_cpu has parsed writes no address. */
    XFJIT_FORMS_CHIP_ADDRESSES = 256,
    /* And 512 rows of constants, which Bochs has for every chip: so many a run needs then, Curie's too. */
    XFJIT_FORMS_512_ROWS = 512,
    /* And EXP, LOG, LIT, LG2 and EX2 as the emulator has them with the GNU C library, to the bit: programs
     * that have one run in the interpreter. */
    XFJIT_FORMS_LIBRARY = 1024
};

/* How outputs lie in memory (xfjit_config.output_layout). */
enum {
    XFJIT_ROWS = 0,   /* x, y, z, w of a vertex, then the next vertex at the stride. */
    XFJIT_PLANES = 1  /* x of all vertices, then y of all at the stride, and so on. */
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

/* Output registers of Curie (GeForce 6 and 7, PlayStation 3), as drivers map them. Fog and point size have
 * clip distances in y, z and w. */
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

/* How the components of an attribute lie in memory (xfjit_attribute.format). Fewer than four are completed
 * from (0, 0, 0, 1). */
enum {
    XFJIT_FORMAT_NONE = 0,         /* There is no memory: every vertex has value. */
    /* 32-bit floats (or whatever the 32 bits are: they are handed on as they are), little-endian. */
    XFJIT_FORMAT_F32 = 1,
    XFJIT_FORMAT_F16 = 2,          /* Half floats. */
    XFJIT_FORMAT_S1 = 3,           /* Shorts, normalised as the chips do: (2v + 1) / 65535, cut off. */
    XFJIT_FORMAT_S32K = 4,         /* Shorts as whole numbers. */
    XFJIT_FORMAT_UB_OGL = 5,       /* Bytes, normalised as the chips do: v / 255 cut off, 255 is 1.0. */
    /* Bytes of a colour, normalised likewise, four of them: blue, green, red, alpha. */
    XFJIT_FORMAT_UB_D3D = 6,
    XFJIT_FORMAT_UB256 = 7,        /* Bytes as whole numbers. */
    /* Three signed fields of a word, 11, 11 and 10 bits from the lowest on, normalised: v / 1023, v / 511.
     * All three come: components is 3, or 1, as the Xbox has it, which means the same. */
    XFJIT_FORMAT_CMP = 8,
    /* Shorts, normalised as programming interfaces do: v / 32767, rounded to nearest, at least -1. */
    XFJIT_FORMAT_SNORM16 = 9,
    XFJIT_FORMAT_UNORM16 = 10,     /* Unsigned shorts, normalised: v / 65535. */
    XFJIT_FORMAT_U16 = 11,         /* Unsigned shorts as whole numbers. */
    XFJIT_FORMAT_SNORM8 = 12,      /* Signed bytes, normalised: v / 127, at least -1. */
    /* Bytes, normalised as programming interfaces do: v / 255, rounded to nearest. */
    XFJIT_FORMAT_UNORM8 = 13,
    XFJIT_FORMAT_S8 = 14,          /* Signed bytes as whole numbers. */
    /* A colour in 16 bits, from the highest on: red (5), green (6), blue (5). As all that follow it is
     * numbers from 0 to 255, codes of less than eight bits with their bits repeated, and alpha is 255
     * where there is none. */
    XFJIT_FORMAT_RGB565 = 15,
    XFJIT_FORMAT_RGBA4 = 16,       /* A colour in 16 bits, four each. */
    XFJIT_FORMAT_RGBA6 = 17,       /* A colour in three bytes, six bits each. */
    XFJIT_FORMAT_RGBA8 = 18,       /* A colour in bytes, red first; of three components without alpha. */
    /* Or-ed to a format: the bytes of each word or short are in the other order, big-endian. */
    XFJIT_FORMAT_BIG_ENDIAN = 128
};

#define XFJIT_FORMAT(format, components) ((uint32_t)(format) | (uint32_t)(components) << 8)

/* Everything beside the words that decides what a program computes. Made by xfjit_config_init or
 * xfjit_config_like, then changed. */
typedef struct xfjit_config {
    uint32_t size;                 /* sizeof(xfjit_config) */
    uint32_t generation;           /* XFJIT_KELVIN ... */
    uint32_t model;                /* XFJIT_HW or XFJIT_IEEE */
    /* The output registers that are wanted, as a mask of 1 << XFJIT_KELVIN_OPOS and so on; others are
     * neither computed nor written. Fewer are faster. All of them need memory in a batch. 0 is for
     * programs that write constants alone. */
    uint32_t live_outputs;
    /* 1: what a program has no instruction for stays in the outputs as it was; 0: it becomes 0, 0, 0 or 1. */
    uint32_t keep_outputs;
    /* 1: programs may write constants (state programs). Those that do run vertex after vertex. */
    uint32_t constant_writes;
    uint32_t user_constants_only;  /* 1: programs may read no constants but the user's (XFMODE). */
    uint32_t output_layout;        /* XFJIT_ROWS or XFJIT_PLANES */
    /* Both units write a component: 0 the scalar unit wins, 1 the vector unit, 2 the vector unit's write
     * is dropped. */
    uint32_t write_order;
    /* Masked writes to oFog: 0 x is written whatever the mask, 1 as the mask says. */
    uint32_t fog_write;
    uint32_t address_bias;         /* ARL: 0 floor, 1 0.001 is added before. */
    /* Rankine, scalar result of paired operations: 0 goes to R1, 1 to the common destination. */
    uint32_t paired;
    uint32_t branch_test;          /* Branches without the condition-enable bit: 0 are tested, 1 are taken. */
    uint32_t end_on_branch;        /* END on a taken branch: 0 does nothing, 1 ends. */
    /* Indirect branches: 0 by the branch table, 1 to the slot in the register. */
    uint32_t indirect;
    uint32_t address_nan;          /* NaN as an address: 0 is 0, 1 the least address. */
    uint32_t address_codes;        /* Address operations: 0 update condition codes, 1 do not. */
    uint32_t saturate_nan;         /* NaN saturated: 0 passes, 1 becomes 0. */
    uint32_t out_of_range;         /* Indexed reads of constants out of range: 0 give zeros, 1 wrap. */
    uint32_t clip_outputs;         /* Rankine's outputs 17 to 22: 0 exist, 1 do not. */
    /* Rankine, Curie. 1: PROGRAM_V1, a program of Kelvin's class; 0: V2 and V3. */
    uint32_t mode_v1;
    uint32_t arithmetic_legacy;    /* Rankine, Curie. 0: modern rules of arithmetic; 1: legacy ones. */
    uint32_t branch_bits;          /* Rankine, Curie. The boolean constants. */
    uint32_t timeout;              /* Rankine, Curie. Slots that a vertex may execute, 65535 at most. */
    uint32_t viewport;             /* Rankine, Curie. 1: the position is transformed by the viewport. */
    uint16_t branch_table[16];     /* Rankine, Curie. Slots that indirect branches go to. */
    /* How attributes lie in memory, where that is known: XFJIT_FORMAT(format, components); 0: four floats.
     * Native code reads such attributes where they are. What is named as floats takes any format with no
     * more components, which is converted first; what is named otherwise takes nothing else. */
    uint32_t input_formats[16];
    /* Bytes of an index, 2 or 4, of batches that are read through an index list: native code reads
     * attributes where they are then. 4 serves lists of both. 0: batches without one. All batches run
     * whatever stands here; what it is not made for is copied first. */
    uint32_t index_size;
    uint32_t forms;                /* Of XFJIT_IEEE: 0 or XFJIT_FORMS_*, which xfjit_config_like fills in. */
} xfjit_config;


/* ---- Programs ------------------------------------------------------------------------------------------ */

/* What a program reads and writes (supersets of what a vertex does), and what it has done. */
typedef struct xfjit_info {
    uint32_t size;                  /* sizeof(xfjit_info) */
    /* The first slot whose content matters, and how many follow: while these words are the same, so is the
     * program. */
    uint32_t first_slot;
    uint32_t slots;                 /* See first_slot. */
    /* The attributes that it reads, as a mask: the others of a batch may be anything. */
    uint32_t inputs_read;
    uint32_t outputs_written;       /* The output registers that it writes, as a mask, wanted or not. */
    uint32_t constant_rows;         /* Rows of constants that a run needs. */
    uint8_t output_masks[24];       /* Of each output register the components written, x lowest. */
    uint8_t constants_read[68];     /* The constants read, a bit each; the lowest bit of byte 0 is row 0. */
    uint8_t constants_written[68];  /* The constants written, likewise. */
    uint32_t native;                /* 1 if there is native code by now. */
    uint32_t code_bytes;            /* Bytes of it. */
    uint64_t compile_ns;            /* Nanoseconds that it took to compile. */
    uint64_t batches;               /* Batches run. */
    uint64_t vertices;              /* Vertices run. */
    uint64_t deopt_groups;          /* Groups of vertices that native code has left to the interpreter. */
} xfjit_info;

/* What xfjit_disassemble writes. */
enum {
    /* The instruction as the library runs it, in the grammar of its assembler. What has no effect is not
     * shown. */
    XFJIT_STYLE_TEXT = 0,
    /* The fields of the words as they are, name=value with spaces between; values are decimal. */
    XFJIT_STYLE_FIELDS = 1
};


/* ---- Running ------------------------------------------------------------------------------------------- */

/* Where the values of an attribute lie. All zeros: the value (0, 0, 0, 0) for every vertex. */
typedef struct xfjit_attribute {
    const void *data;     /* The window of memory: vertex 0 is at its beginning. */
    size_t size_bytes;    /* Bytes of the window. A batch that would read beyond them is refused. */
    uint32_t stride;      /* Bytes from one vertex to the next; 0: all have the first one's value. */
    uint32_t format;      /* XFJIT_FORMAT_* */
    uint32_t components;  /* 1 to 4, as many as the format has. */
    /* 0: the attribute belongs to vertices. Otherwise to instances: all vertices of instance i have number
     * i / divisor of the array. */
    uint32_t divisor;
    uint32_t value[4];    /* What every vertex has if format is XFJIT_FORMAT_NONE: floats, or their bits. */
} xfjit_attribute;

/* Where the values of an output register go: rows or planes, as the program was configured. Registers may
 * lie in each other's gaps. Where registers lie over each other, or several rows of one (a stride below
 * 16), nobody says whose value stays. */
typedef struct xfjit_output {
    void *data;         /* The memory; the first vertex of the batch is at its beginning. */
    size_t size_bytes;  /* Bytes of it. */
    uint32_t stride;    /* Bytes from vertex to vertex (rows) or from plane to plane. */
    uint32_t reserved;  /* 0 */
} xfjit_output;

/* What is to be done with a batch (xfjit_batch.flags), or-ed. All of it is about index lists. */
enum {
    /* An index that is restart_index (before base_index is added) is no vertex: nothing is read for it,
     * and what outputs have in its place means nothing. */
    XFJIT_BATCH_RESTART = 1,
    /* Each vertex runs once, however often the list names it, unless the program writes constants. Outputs
     * are as they would be without this; with xfjit_batch.places the caller finds them there. */
    XFJIT_BATCH_DISTINCT = 2,
    /* A vertex that is not below index_limit is the last one below it, rather than a mistake. */
    XFJIT_BATCH_CLAMP = 4,
    /* Indices have the other byte order than little-endian: that of big-endian guests. */
    XFJIT_BATCH_BIG_ENDIAN = 8
};

/* What a program runs on. */
typedef struct xfjit_batch {
    uint32_t size;                      /* sizeof(xfjit_batch) */
    uint32_t count;                     /* Vertices. */
    uint32_t first;                     /* The first of them: of the arrays, or, with indices, of these. */
    int32_t base_index;                 /* Added to each index. No vertex is less than 0. */
    /* The numbers of the vertices, or null: first, first + 1, and so on. They are copied before they are
     * looked at: a guest may write them while the batch runs. Any alignment. */
    const void *indices;
    size_t index_bytes;                 /* Bytes of them. */
    uint32_t index_size;                /* 2 or 4 bytes each; 0 without. */
    uint32_t attribute_size;            /* sizeof(xfjit_attribute) */
    uint32_t attribute_count;           /* Attributes given; those after them are (0, 0, 0, 1). */
    uint32_t output_size;               /* sizeof(xfjit_output) */
    /* v0 and so on. Those that the program does not read may be anything. */
    const xfjit_attribute *attributes;
    const xfjit_output *outputs;        /* o0 and so on. Those that are not wanted may be anything. */
    uint32_t output_count;              /* Output registers given. */
    uint32_t constant_rows;             /* Rows of constants given, at least as many as the generation has. */
    /* The constants, four words each: the caller's own array, aligned for words. Written only if the
     * program writes constants. */
    void *constants;
    /* Null, or a byte for each row of the generation, which becomes 1 when the program writes the row. */
    uint8_t *dirty;
    uint32_t flags;                     /* XFJIT_BATCH_* */
    uint32_t restart_index;             /* The index that is no vertex (XFJIT_BATCH_RESTART). */
    /* 0, or what every vertex that indices name is below; a greater one is refused (or XFJIT_BATCH_CLAMP). */
    uint32_t index_limit;
    /* How often the vertices are run, instance after instance; 0 is 1. Outputs of instance i begin at
     * vertex i * count. */
    uint32_t instance_count;
    /* The number of the first instance, which attributes with a divisor begin with. */
    uint32_t first_instance;
    /* The attributes that are wanted in last, as a mask, whether or not the program reads them. */
    uint32_t last_mask;
    /* Null, or 16 rows of four words, of which those in last_mask get what the last vertex of the last
     * instance has: what current attributes are after a draw. They stay as they are if there is no vertex. */
    void *last;
    /* Null, or memory for count numbers, which tell for each vertex of an instance where its outputs are:
     * with XFJIT_BATCH_DISTINCT among those of its distinct vertices, which are in the order of the list
     * then; without, where they always are. Of a restart index 4294967295. */
    uint32_t *places;
} xfjit_batch;

/* What a run did. */
typedef struct xfjit_outcome {
    uint32_t size;          /* sizeof(xfjit_outcome) */
    /* Vertices that are done: all, unless a limit of the worker is reached (xfjit_worker_set_slot_budget,
     * xfjit_worker_set_overtime) or the call is cancelled (xfjit_worker_set_cancel). */
    uint32_t done;
    uint64_t deopt_groups;  /* Groups of vertices that native code has left to the interpreter. */
    uint64_t timeouts;      /* Vertices that ran out of time. */
    uint64_t stack_faults;  /* Vertices that left their stack. */
    uint64_t vertices;      /* Vertices that ran: fewer than are done where each distinct one ran once. */
    uint64_t cancelled;     /* Not 0 if another thread has ended the call before all vertices were done. */
} xfjit_outcome;


/* ---- One vertex, and one operation --------------------------------------------------------------------- */

/* Whether and how a program has ended (xfjit_vertex.ended). */
enum {
    XFJIT_RUNS = 0,           /* It has not. */
    XFJIT_ENDED = 1,          /* By END, by a return without a call, or at a slot without an instruction. */
    XFJIT_ENDED_TIMEOUT = 2,  /* By its timeout. */
    XFJIT_ENDED_STACK = 3     /* By its stack: too deep, or not what was looked for. */
};

/* The units (xfjit_op). */
enum {
    XFJIT_UNIT_VECTOR = 0,  /* The vector unit. */
    XFJIT_UNIT_SCALAR = 1   /* The scalar unit. */
};

/* A vertex between two slots. All of it may be changed between steps. Rows are four floats as their bits. */
typedef struct xfjit_vertex {
    uint32_t size;           /* sizeof(xfjit_vertex) */
    /* The slot that is executed next, counted from the beginning of program memory. */
    uint32_t slot;
    uint32_t left;           /* Slots that may still be executed. */
    uint32_t ended;          /* XFJIT_RUNS, or how the program has ended; nothing is executed then. */
    uint32_t input[16][4];   /* Input registers. */
    uint32_t temp[48][4];    /* Temporaries. R12 of Kelvin is the readable copy of oPos. */
    uint32_t output[24][4];  /* Output registers, as they are so far. */
    uint32_t codes[2][4];    /* Condition registers: the values that have set them. */
    int32_t address[2][4];   /* Address registers; on Kelvin [0][0] alone. */
    uint32_t depth;          /* Entries on the call stack, 8 at most. */
    /* Of each entry, whether it is an address register (1) or the slot after a call (0). */
    uint32_t stack_kind[8];
    int32_t stack[8][4];     /* What each entry is: an address register, or the slot in its first number. */
    uint32_t reserved;       /* 0 */
} xfjit_vertex;


/* ---- The unit as a device ------------------------------------------------------------------------------ */

/* An XF unit as a device: commands in, finished vertices out. Only one call at a time may have it; a
 * second one returns XFJIT_E_BUSY. */
typedef struct xfjit_unit xfjit_unit;

/* Chips, for units. */
enum {
    XFJIT_NV10 = 16,  /* The first Celsius. */
    XFJIT_NV15 = 21,  /* All later ones. */
    XFJIT_NV20 = 32,  /* The first Kelvin. */
    XFJIT_NV25 = 37,  /* Kelvin with two units. */
    XFJIT_NV2A = 42,  /* The Xbox's. */
    XFJIT_NV30 = 48,  /* The first Rankine. */
    XFJIT_NV34 = 52,  /* Without the alternate attenuation of lights. */
    XFJIT_NV35 = 53,  /* Taken for NV30. */
    XFJIT_NV40 = 64,  /* The first Curie. */
    XFJIT_NV41 = 65,  /* Curie's programs alone. */
    XFJIT_NV43 = 67   /* All later ones, and the RSX. */
};

/* What stands in a stream of commands (xfjit_unit_write), or-ed to an address. */
enum {
    /* Two words follow, for the pair of components that the address is in; without it one word. */
    XFJIT_COMMAND_PAIR = 536870912,
    XFJIT_COMMAND_VERTEX = 1073741824  /* No address and no words: a vertex starts. */
};

/* Registers beside the commands (xfjit_unit_set). Those that a chip lacks do nothing. */
enum {
    XFJIT_REGISTER_OUTPUTS = 0,       /* Output registers that are sent, as a mask. */
    XFJIT_REGISTER_START = 1,         /* Slot in which programs start (Kelvin: bits 8 to 15 of XFMODE A). */
    XFJIT_REGISTER_EXECUTION = 2,     /* Curie: execution mode, as method 0x1e94 has it. */
    XFJIT_REGISTER_TIMEOUT = 3,       /* Curie: timeout. */
    XFJIT_REGISTER_BRANCH_BITS = 4,   /* Curie: boolean constants. */
    XFJIT_REGISTER_DEPTH_CLAMP = 5,   /* Celsius: 1 if depth and 1/w are clamped from below. */
    XFJIT_REGISTER_CLASS = 6,         /* Rankine: 1 if the object is of Kelvin's class. */
    /* Curie: the output map, as methods 0x1fc4 to 0x1fd4 have it: five registers. */
    XFJIT_REGISTER_OUTPUT_MAP0 = 7,
    XFJIT_REGISTER_OUTPUT_MAP1 = 8,   /* The second word. */
    XFJIT_REGISTER_OUTPUT_MAP2 = 9,   /* The third word. */
    XFJIT_REGISTER_OUTPUT_MAP3 = 10,  /* The fourth word. */
    XFJIT_REGISTER_OUTPUT_MAP4 = 11,  /* The fifth word. */
    /* Curie: attributes of finished vertices that are on, as method 0x1ff4 has them. Output registers of
     * no such attribute are not sent. */
    XFJIT_REGISTER_OUTPUT_MASK = 12,
    XFJIT_REGISTER_INPUT_MASK = 13,   /* Curie: attributes that are fetched, as method 0x1ff0 has them. */
    /* NV40: what words C, B, A and T[3] to T[0] of Rankine's XFMODE hold, for the fixed function (mode 0):
     * seven registers. */
    XFJIT_REGISTER_FIXED_C = 14,
    XFJIT_REGISTER_FIXED_B = 15,      /* Word B. */
    XFJIT_REGISTER_FIXED_A = 16,      /* Word A. */
    XFJIT_REGISTER_FIXED_T3 = 17,     /* Word T[3]. */
    XFJIT_REGISTER_FIXED_T2 = 18,     /* Word T[2]. */
    XFJIT_REGISTER_FIXED_T1 = 19,     /* Word T[1]. */
    XFJIT_REGISTER_FIXED_T0 = 20      /* Word T[0]. */
};

/* How coordinates find a texel (xfjit_unit_set_texture), or-ed. */
enum {
    /* Those outside repeat the texture without end; without it they are at the nearest texel. */
    XFJIT_TEXTURE_REPEAT = 1,
    XFJIT_TEXTURE_WHOLE = 2    /* 1.0 is the width or the height; without it, a texel. */
};

/* What a piece of output is (xfjit_piece.kind). */
enum {
    /* Vertices of programs: the registers in the mask, four words each, the lowest first. */
    XFJIT_PIECE_REGISTERS = 0,
    XFJIT_PIECE_FIXED = 1,      /* Vertices of the fixed function of Kelvin and Rankine, likewise. */
    XFJIT_PIECE_CELSIUS = 2,    /* Vertices of Celsius, 16 words each. */
    XFJIT_PIECE_BUNDLE = 3      /* Two words that were passed through. */
};

/* A piece of what a unit puts out. */
typedef struct xfjit_piece {
    uint32_t kind;          /* XFJIT_PIECE_* */
    uint32_t mask;          /* Output registers, for vertices that have them. */
    uint32_t count;         /* Vertices, or 1. */
    uint32_t words_each;    /* Words of each. */
    const uint32_t *words;  /* The words, one after the other; good until the callback returns. */
} xfjit_piece;

/* The constants of a unit where it has them. */
typedef struct xfjit_view {
    uint32_t size;       /* sizeof(xfjit_view) */
    uint32_t row_count;  /* Rows of constants that the chip has. */
    const void *rows;    /* The rows, four words each, to be read. They are those of the moment. */
    /* A byte for each, which becomes 1 when a command, a program or a loaded state changes the row. It is
     * the caller's to clear. */
    uint8_t *dirty;
} xfjit_view;

/* Takes a piece of what a unit puts out. It returns: no exception and no longjmp leaves it. */
typedef void (*xfjit_take)(void *user, const xfjit_piece *piece);


/* ---- Recording ----------------------------------------------------------------------------------------- */

/* Takes the next bytes of a capture, to be written to a file one after the other. A null pointer tells
 * that the capture has ended and is whole. It returns 0, or something else if they cannot be taken: then
 * it is not called again. It does not use what is recorded, and returns: no exception and no longjmp
 * leaves it. */
typedef int32_t (*xfjit_record)(void *user, const void *bytes, size_t size);


/* ---- Flipper as a device ------------------------------------------------------------------------------- */

/* The vertex half of the GameCube's or the Wii's chip as a device: bytes of commands in, finished vertices
 * out. Only one call at a time may have it; a second one returns XFJIT_E_BUSY. */
typedef struct xfjit_flipper xfjit_flipper;

/* Whose chip it is (xfjit_flipper_options.console). */
enum {
    XFJIT_GAMECUBE = 0,  /* The GameCube's: addresses of 26 bits. */
    XFJIT_WII = 1        /* The Wii's: addresses of 29 bits, a second memory from 0x10000000 on. */
};

/* Whose reading where sources differ (xfjit_flipper_options_init). */
enum {
    XFJIT_FLIPPER_SPEC = 0,         /* That of documents and console tests. */
    XFJIT_FLIPPER_DOLPHIN_SW = 1,   /* Dolphin's software renderer. */
    /* The vertices of Dolphin's compiled loaders; the transform unit is as XFJIT_FLIPPER_SPEC. */
    XFJIT_FLIPPER_DOLPHIN_JIT = 2,
    /* Dolphin's software renderer as it is by default: the vertices of its compiled loaders. */
    XFJIT_FLIPPER_DOLPHIN = 3
};

/* How a unit works. All zeros (but for the size) are the defaults; xfjit_flipper_options_init makes those
 * of a dialect. QUIRKS.md has the evidence for each choice. */
typedef struct xfjit_flipper_options {
    uint32_t size;          /* sizeof(xfjit_flipper_options) */
    uint32_t console;       /* XFJIT_GAMECUBE or XFJIT_WII */
    /* From how many vertices on that one configuration has drawn in one form it has code of its own that
     * reads them where they lie; 0: a million, UINT64_MAX: never. What leaves is the same. */
    uint64_t hot;
    uint32_t depth;         /* Depth: 0 as the projection has it, 1 lessened. */
    uint32_t half_angle;    /* Coefficients beside the half angle: 0 as they are, 1 as a unit vector. */
    uint32_t to_integer;    /* Colours as bytes: 0 the nearest, 1 as conversions of x86 have it. */
    uint32_t storage;       /* Memories of normal matrices and lights: 0 hold all bits, 1 the upper 20. */
    uint32_t accumulation;  /* Lights are added: 0 as floats, 1 as integers. */
    uint32_t dialect;       /* Vertices are read as by the dialect of this number (XFJIT_FLIPPER_SPEC ...). */
    uint32_t decoding;      /* Bytes of commands: 0 exact, 1 by their upper bits. */
    uint32_t ring;          /* Rings: 0 with the block at their top, 1 without. */
    uint32_t interrupt;     /* Interrupts of rings: 0 levels, 1 latched. */
    /* The flag that a ring's pointer has come round is cleared by: 0 the next block, 1 a write of the
     * pointer. */
    uint32_t wrap;
    uint32_t watermarks;    /* Marks of rings: 0 signal, 1 stop the reader. */
    /* Up to how many vertices a drawing command waits for others of its call, so that they run together: 1
     * to 256; 0: 32, UINT32_MAX: none waits. What leaves is the same, and its order. */
    uint32_t held;
} xfjit_flipper_options;

/* What a vertex has (xfjit_flipper_element.source). Colours and matrix indices are whole numbers, and so
 * are the channels and the clip mask that leave; all else is floats. A source has four components: what it
 * lacks is 0. */
enum {
    XFJIT_FLIPPER_IN_POSITION = 0,    /* Before the transform unit: position, x, y, z. */
    /* Normal. It, the tangent and the binormal are those that have been kept if the vertex has none. */
    XFJIT_FLIPPER_IN_NORMAL = 1,
    XFJIT_FLIPPER_IN_TANGENT = 2,     /* Tangent. */
    XFJIT_FLIPPER_IN_BINORMAL = 3,    /* Binormal. */
    XFJIT_FLIPPER_IN_COLOUR0 = 4,     /* Colour 0, red, green, blue, alpha, 0 to 255. Colour 1 follows. */
    XFJIT_FLIPPER_IN_TEX0 = 6,        /* Texture coordinate 0, s, t. The other seven follow. */
    /* The matrix index of the position; those of eight texture coordinates follow. That of the command
     * processor's registers if the vertex has none of its own. */
    XFJIT_FLIPPER_IN_MATRIX0 = 16,
    /* Or-ed to what leaves the transform unit, which follows. Position in clip space, x, y, z, w. */
    XFJIT_FLIPPER_OUT_CLIP = 32,
    XFJIT_FLIPPER_OUT_SCREEN = 33,    /* Position on the screen, x, y, z, 1/w. */
    XFJIT_FLIPPER_OUT_EYE = 34,       /* Position in eye space, x, y, z, 1. */
    XFJIT_FLIPPER_OUT_NORMAL = 35,    /* Unit normal. */
    XFJIT_FLIPPER_OUT_TANGENT = 36,   /* Tangent. */
    XFJIT_FLIPPER_OUT_BINORMAL = 37,  /* Binormal. */
    XFJIT_FLIPPER_OUT_COLOUR0 = 38,   /* Channel 0, red, green, blue, alpha, 0 to 255. Channel 1 follows. */
    XFJIT_FLIPPER_OUT_TEX0 = 40,      /* Texture coordinate 0, s, t, q. The other seven follow. */
    XFJIT_FLIPPER_OUT_MASK = 48       /* The clip mask: one integer. */
};

/* What components are stored as (xfjit_flipper_element.stored). */
enum {
    XFJIT_FLIPPER_F32 = 0,  /* Floats of 32 bits. */
    XFJIT_FLIPPER_U8 = 1,   /* Bytes; of whole numbers alone. */
    XFJIT_FLIPPER_U32 = 2   /* Integers of 32 bits; of whole numbers alone. */
};

/* An attribute of vertices in a layout that the caller declares. Numbers are the host's. Where elements
 * lie over each other the later one stays. */
typedef struct xfjit_flipper_element {
    /* XFJIT_FLIPPER_IN_* or XFJIT_FLIPPER_OUT_*, plus the number of a colour, a texture coordinate, a
     * matrix. */
    uint32_t source;
    uint32_t stored;      /* How components are stored: XFJIT_FLIPPER_F32 ... */
    uint32_t components;  /* 1 to 4 */
    uint32_t offset;      /* Bytes before that of the first vertex. */
    uint32_t stride;      /* Bytes from one vertex to the next. */
    uint32_t reserved;    /* 0 */
} xfjit_flipper_element;

/* What leaves a unit (xfjit_flipper_output.kind). */
enum {
    XFJIT_FLIPPER_DRAW = 0,        /* The vertices of a drawing command. */
    /* A register behind the transform unit is loaded: its number in address, 24 bits in value. */
    XFJIT_FLIPPER_BP = 1,
    XFJIT_FLIPPER_CALL = 2,        /* A list is read from now on: address, and bytes in value. */
    XFJIT_FLIPPER_INVALIDATE = 3,  /* The vertex cache is emptied. */
    XFJIT_FLIPPER_UNKNOWN = 4      /* A byte that begins no command: in value. */
};

/* What the command processor and the transform unit have been told differently
 * (xfjit_flipper_output.disagreement), or-ed. */
enum {
    XFJIT_FLIPPER_COLOURS = 1,    /* The number of colours. */
    XFJIT_FLIPPER_NORMALS = 2,    /* The number of normals. */
    XFJIT_FLIPPER_TEXCOORDS = 4,  /* The number of texture coordinates. */
    XFJIT_FLIPPER_MATRICES = 8,   /* Matrix indices of vertices that have none of their own. */
    XFJIT_FLIPPER_POSITIONS = 16  /* Vertices have no position; zeros stand for it. */
};

/* What is known of a triangle (xfjit_flipper_triangle.flags), or-ed. */
enum {
    XFJIT_FLIPPER_BACK = 1,     /* It shows its back. */
    XFJIT_FLIPPER_REJECTED = 2  /* All of it is outside of one plane, so that it is not drawn. */
};

/* Faces that a host does not draw (xfjit_flipper_culled), or-ed. */
enum {
    XFJIT_FLIPPER_CULL_FRONT = 1,  /* Those of which the front is seen. */
    XFJIT_FLIPPER_CULL_BACK = 2    /* Those of which the back is seen. */
};

/* Registers of the processor's interface, of 32 bits: byte offsets from 0c003000 (xfjit_flipper_write_pi). */
enum {
    XFJIT_FLIPPER_PI_BASE = 12,   /* Where the ring begins. */
    XFJIT_FLIPPER_PI_TOP = 16,    /* Its last block. */
    XFJIT_FLIPPER_PI_WRITE = 20,  /* Where the next block goes; bit 26 is set once that has come round. */
    XFJIT_FLIPPER_PI_RESET = 24   /* Bit 0 drops what waits. */
};

/* Registers of the command processor that the processor reaches, of 16 bits: byte offsets from 0c000000
 * (xfjit_flipper_write_port). Of pairs this is the lower half, bits 15 to 5; the upper one, bits 25 to 16,
 * is 2 further on. */
enum {
    XFJIT_FLIPPER_PORT_STATUS = 0,       /* Read only: XFJIT_FLIPPER_STATUS_*. */
    XFJIT_FLIPPER_PORT_ENABLE = 2,       /* XFJIT_FLIPPER_ENABLE_*. */
    XFJIT_FLIPPER_PORT_CLEAR = 4,        /* Write only: XFJIT_FLIPPER_CLEAR_*. */
    XFJIT_FLIPPER_PORT_PERF = 6,         /* What is measured. */
    XFJIT_FLIPPER_PORT_STREAM_LOW = 10,  /* The low mark of the streaming buffer; it has no effect. */
    XFJIT_FLIPPER_PORT_BASE = 32,        /* A pair: where the ring begins. */
    XFJIT_FLIPPER_PORT_TOP = 36,         /* A pair: its last block. */
    XFJIT_FLIPPER_PORT_HIGH = 40,        /* A pair: bytes above which there is an overflow. */
    XFJIT_FLIPPER_PORT_LOW = 44,         /* A pair: bytes below which there is an underflow. */
    XFJIT_FLIPPER_PORT_COUNT = 48,       /* A pair: bytes that wait. */
    XFJIT_FLIPPER_PORT_WRITE = 52,       /* A pair: behind the last block that waits. */
    XFJIT_FLIPPER_PORT_READ = 56,        /* A pair: the first block that waits. */
    XFJIT_FLIPPER_PORT_BREAK = 60        /* A pair: the block before which the reader stops. */
};

/* Bits of XFJIT_FLIPPER_PORT_STATUS. */
enum {
    XFJIT_FLIPPER_STATUS_OVERFLOW = 1,      /* More bytes wait than the high mark. */
    XFJIT_FLIPPER_STATUS_UNDERFLOW = 2,     /* Fewer than the low mark. */
    XFJIT_FLIPPER_STATUS_READ_IDLE = 4,     /* There is nothing to read. */
    XFJIT_FLIPPER_STATUS_COMMAND_IDLE = 8,  /* Nothing is read. */
    XFJIT_FLIPPER_STATUS_BREAK = 16         /* The reader stands before the break point. */
};

/* Bits of XFJIT_FLIPPER_PORT_ENABLE. */
enum {
    XFJIT_FLIPPER_ENABLE_READ = 1,                 /* Blocks are read. */
    XFJIT_FLIPPER_ENABLE_BREAK = 2,                /* The break point counts. */
    XFJIT_FLIPPER_ENABLE_OVERFLOW_INTERRUPT = 4,   /* An overflow interrupts. */
    XFJIT_FLIPPER_ENABLE_UNDERFLOW_INTERRUPT = 8,  /* An underflow interrupts. */
    /* The write pointer moves with the blocks of the processor's interface. */
    XFJIT_FLIPPER_ENABLE_LINK = 16,
    XFJIT_FLIPPER_ENABLE_BREAK_INTERRUPT = 32      /* The break point interrupts. */
};

/* Bits of XFJIT_FLIPPER_PORT_CLEAR. */
enum {
    XFJIT_FLIPPER_CLEAR_OVERFLOW = 1,   /* The overflow. */
    XFJIT_FLIPPER_CLEAR_UNDERFLOW = 2,  /* The underflow. */
    XFJIT_FLIPPER_CLEAR_METRICS = 4     /* Measurements. */
};

/* The guest's memory, lent for a call that reads it. What is not there reads as zeros. */
typedef struct xfjit_flipper_memory {
    uint32_t size;        /* sizeof(xfjit_flipper_memory) */
    uint32_t reserved;    /* 0 */
    const void *first;    /* From address 0 on (MEM1). */
    size_t first_bytes;   /* Bytes of it; those behind 128 MiB do not count. */
    const void *second;   /* From address 0x10000000 on (MEM2 of the Wii), or null. */
    size_t second_bytes;  /* Bytes of it, likewise. */
} xfjit_flipper_memory;

/* A triangle of a draw. */
typedef struct xfjit_flipper_triangle {
    uint32_t vertices[3];  /* Its vertices, by their place among those of the draw. */
    uint32_t flags;        /* XFJIT_FLIPPER_BACK, XFJIT_FLIPPER_REJECTED, or-ed. */
} xfjit_flipper_triangle;

/* One thing that leaves a unit. Pointers are good until the callback returns. */
typedef struct xfjit_flipper_output {
    uint32_t kind;                            /* XFJIT_FLIPPER_DRAW ... */
    uint32_t address;                         /* Of a register, or a list. */
    uint32_t value;                           /* What is loaded; bytes of a list; a byte. */
    /* Of a draw, bits 5:3 of its command: 0 and 1 quads, 2 triangles, 3 strip, 4 fan, 5 lines, 6 line
     * strip, 7 points. */
    uint32_t primitive;
    /* Vertices that the command had, with those that are left out. */
    uint32_t given;
    uint32_t count;                           /* Vertices that there are. */
    uint32_t disagreement;                    /* XFJIT_FLIPPER_COLOURS ... */
    uint32_t triangle_count;                  /* Triangles that there are, if they are wanted. */
    const xfjit_flipper_triangle *triangles;  /* The triangles. */
    const void *vertices;                     /* The vertices in the layout that has been declared. */
    size_t vertex_bytes;                      /* Bytes of them. */
} xfjit_flipper_output;

/* How far a stream has been run. */
typedef struct xfjit_flipper_progress {
    uint32_t size;       /* sizeof(xfjit_flipper_progress) */
    /* 1 if there is more to run without further bytes: a list that the budget has ended in. */
    uint32_t in_list;
    uint64_t used;       /* Bytes that have been taken, or read of a ring; the others come again. */
    uint64_t waiting;    /* Bytes that wait in the unit for the rest of their command. */
    uint32_t cancelled;  /* 1 if a flag has ended the call (xfjit_flipper_set_cancel). */
    uint32_t reserved;   /* 0 */
} xfjit_flipper_progress;

/* Takes one thing that leaves a unit, in order. It does not use the unit, and returns: no exception and no
 * longjmp leaves it. */
typedef void (*xfjit_flipper_take)(void *user, const xfjit_flipper_output *output);

#if defined __cplusplus
}
#endif

#endif

#if defined __cplusplus
extern "C" {
#endif

/* ---- Library ------------------------------------------------------------------------------------------- */

/* The version of the interface, XFJIT_ABI. Any thread. */
XFJIT_API uint32_t xfjit_abi_version(void);

/* The version of the library, for people. Lives for ever. Any thread. */
XFJIT_API const char *xfjit_version_string(void);

/* What this library and this host have, XFJIT_FEATURE_* or-ed. Any thread. */
XFJIT_API uint32_t xfjit_host_features(void);

/* A few words about a status. Lives for ever. Any thread. */
XFJIT_API const char *xfjit_status_string(xfjit_status status);

/* What was wrong with the last call of this thread that has failed: as much of it as fits, ended by a
 * zero. Returns its whole length without the zero; with size 0 nothing is written. Any thread. */
XFJIT_API size_t xfjit_last_error(char *text, size_t size);


/* ---- Engine -------------------------------------------------------------------------------------------- */

/* Writes what the programs in the engine's cache have done, as JSON (its field schema is
 * "xfjit.profile.1", see EMBEDDING.md): as much of it as fits, ended by a zero. Returns its whole length
 * without the zero, or 0 if something is wrong. Programs that run meanwhile go on counting, so that the
 * next text may be longer. It takes about as long as compiling the programs of which native code has left
 * vertices to the interpreter. Any thread. */
XFJIT_API size_t xfjit_engine_profile(const xfjit_engine *engine, char *text, size_t size);

/* Makes an engine. Without options (a null pointer) it has the defaults. Any thread. */
XFJIT_API xfjit_status xfjit_engine_create(const xfjit_options *options, xfjit_engine **engine);

/* Ends an engine; a null pointer is none. Its thread ends with it, or with the last of its workers and
 * units: whoever ends that waits for the thread, and for the callback that it is in. A callback on that
 * thread may do so, too: it does not wait, and the thread ends when the callback has returned. Programs
 * live on. One thread, while no other uses the handle. */
XFJIT_API xfjit_status xfjit_engine_destroy(xfjit_engine *engine);

/* Compiles programs that are not compiled yet: before it returns if wait is not 0, otherwise by whoever
 * compiles (xfjit_options.compile_by). Of an engine that compiles when handles are made all are. Any
 * thread. */
XFJIT_API xfjit_status xfjit_engine_warm(xfjit_engine *engine, const xfjit_program *const *programs, size_t count, int32_t wait);

/* Compiles the program of a job, and ends the job. One thread, while no other uses the handle. */
XFJIT_API xfjit_status xfjit_job_run(xfjit_job *job);

/* Ends a job without doing it; a null pointer is none. The program stays in the interpreter until
 * xfjit_engine_warm. One thread, while no other uses the handle. */
XFJIT_API xfjit_status xfjit_job_drop(xfjit_job *job);

/* Makes a list: of a file (path is UTF-8), or an empty one, if there is no such file or path is null. What
 * is damaged in the file is left out, the rest is there. Any thread. */
XFJIT_API xfjit_status xfjit_list_load(const char *path, xfjit_list **list);

/* Ends a list; a null pointer is none. One thread, while no other uses the handle. */
XFJIT_API xfjit_status xfjit_list_destroy(xfjit_list *list);

/* Writes a list to a file: whoever reads it finds all of the old one or all of the new one. Any thread. */
XFJIT_API xfjit_status xfjit_list_save(const xfjit_list *list, const char *path);

/* The number of programs in a list; 0 if something is wrong. Any thread. */
XFJIT_API size_t xfjit_list_count(const xfjit_list *list);

/* Adds what the programs that the engine holds have run to their counts in a list. Once in a session, at
 * its end, so that nothing is counted twice. Any thread. */
XFJIT_API xfjit_status xfjit_list_add(xfjit_list *list, const xfjit_engine *engine);

/* Has the programs of a list compiled before they are asked for, those that have run most first: as
 * xfjit_engine_warm. The engine holds as many as its cache has room for. Any thread. */
XFJIT_API xfjit_status xfjit_engine_warm_list(xfjit_engine *engine, const xfjit_list *list, int32_t wait);


/* ---- Configuration ------------------------------------------------------------------------------------- */

/* Fills a configuration, of which size is set: the chip as it is set up for ordinary programs. Any thread. */
XFJIT_API xfjit_status xfjit_config_init(xfjit_config *config, uint32_t generation);

/* Fills a configuration, of which size is set, as near as it comes to what an emulator (XFJIT_LIKE_*)
 * computes. XFJIT_E_ARGUMENT if that does not run this generation's programs. Any thread. */
XFJIT_API xfjit_status xfjit_config_like(xfjit_config *config, uint32_t like, uint32_t generation);


/* ---- Programs ------------------------------------------------------------------------------------------ */

/* The program that starts in slot start of a program memory: slot_count slots of four 32-bit words of the
 * host, the first word first, slot_stride bytes from one to the next (16 if there is nothing between).
 * Slots that the generation lacks are not looked at. Equal programs are prepared once. It is the caller's:
 * xfjit_program_unref. A program that cannot be compiled is no error; it is interpreted. Any thread. */
XFJIT_API xfjit_status xfjit_program_get(xfjit_engine *engine, const void *slots, size_t slot_stride, size_t slot_count, size_t start, const xfjit_config *config, const xfjit_program **program);

/* Counts one more use of a program. Any thread. */
XFJIT_API xfjit_status xfjit_program_ref(const xfjit_program *program);

/* Ends one use of a program; a null pointer is none. Any thread. */
XFJIT_API xfjit_status xfjit_program_unref(const xfjit_program *program);

/* Fills what is known of a program. Any thread. */
XFJIT_API xfjit_status xfjit_program_info(const xfjit_program *program, xfjit_info *info);

/* Writes the text of one slot (XFJIT_STYLE_*): as much of it as fits, ended by a zero. Returns its whole
 * length without the zero, or 0 if something is wrong. Any thread. */
XFJIT_API size_t xfjit_disassemble(uint32_t generation, const uint32_t *slot, uint32_t style, char *text, size_t size);


/* ---- Running ------------------------------------------------------------------------------------------- */

/* Makes a worker. It runs programs of any engine, and finds those of this one. Any thread. */
XFJIT_API xfjit_status xfjit_worker_create(xfjit_engine *engine, xfjit_worker **worker);

/* Ends a worker; a null pointer is none. Programs that it has found end with it, unless somebody else
 * counts them. One thread, while no other uses the handle. */
XFJIT_API xfjit_status xfjit_worker_destroy(xfjit_worker *worker);

/* As xfjit_program_get, for programs that are looked for again and again: words that this worker has seen
 * are compared, not decoded. The program is the worker's: it is valid until the next call of this
 * function, and longer if it is counted (xfjit_program_ref). One thread at a time. */
XFJIT_API xfjit_status xfjit_worker_program(xfjit_worker *worker, const void *slots, size_t slot_stride, size_t slot_count, size_t start, const xfjit_config *config, const xfjit_program **program);

/* Limits what a call may take: once its vertices have executed so many slots, no further one begins, and
 * xfjit_outcome.done tells how many have. All instances of a batch share the limit. 0: no limit. One
 * thread at a time. */
XFJIT_API xfjit_status xfjit_worker_set_slot_budget(xfjit_worker *worker, uint64_t slots);

/* Limits the overtime of a call: slots that a vertex executes after its first 2,048, which only programs
 * with loops do. Once the vertices of a call, of all instances, have executed so many of them, no further
 * one begins, and xfjit_outcome.done tells how many have. At first there are 16,777,216, about a second of
 * the interpreter, so that no draw of a guest holds a thread for minutes. 0: no limit. One thread at a
 * time. */
XFJIT_API xfjit_status xfjit_worker_set_overtime(xfjit_worker *worker, uint64_t slots);

/* Runs a batch, all instances of it. outcome may be null. What the program does not need of the batch may
 * be anything. One thread at a time with a worker; a program may run in any number of them. */
XFJIT_API xfjit_status xfjit_run(const xfjit_program *program, xfjit_worker *worker, const xfjit_batch *batch, xfjit_outcome *outcome);

/* Runs vertices whose registers lie one after the other, as interpreters have them: input and output are
 * count vertices of 16 rows of four 32-bit words (floats, or their bits) of the host. constants are
 * constant_rows such rows, of which the program reads, and perhaps writes, those that its generation has.
 * dirty is null or has a byte for each of these, which becomes 1 when a vertex writes a component of the
 * row. input and output do not overlap. Outputs that are not wanted are not touched; a program with
 * outputs above 15 needs xfjit_run. One thread at a time with a worker. */
XFJIT_API xfjit_status xfjit_run_rows(const xfjit_program *program, xfjit_worker *worker, void *constants, size_t constant_rows, uint8_t *dirty, const void *input, void *output, size_t count);

/* Fetches the attributes of one vertex alone: number vertex of the batch's first instance, its attributes
 * in mask, into rows, 16 rows of four words; the other rows stay as they are. Nothing of the batch but
 * indices and attributes is looked at. Any thread. */
XFJIT_API xfjit_status xfjit_fetch(const xfjit_batch *batch, uint32_t vertex, uint32_t mask, void *rows);


/* ---- One vertex, and one operation --------------------------------------------------------------------- */

/* Sets a vertex, of which size and input are set, to the beginning of a program. Any thread. */
XFJIT_API xfjit_status xfjit_vertex_reset(const xfjit_program *program, xfjit_vertex *vertex);

/* Executes up to slots slots of a program for a vertex, as the interpreter does; 4294967295 for all of it.
 * It stops where the program ends, which it notes in the vertex. Constants and dirty bytes are as for
 * xfjit_run_rows. Any thread. */
XFJIT_API xfjit_status xfjit_step(const xfjit_program *program, xfjit_vertex *vertex, void *constants, size_t constant_rows, uint8_t *dirty, uint32_t slots);

/* One operation of a unit (XFJIT_UNIT_*) by its opcode, on three operands of four words each, of which it
 * looks at those that it has; the result are four words. What has no result (branches, address operations)
 * is an XFJIT_E_ARGUMENT. Any thread. */
XFJIT_API xfjit_status xfjit_op(const xfjit_config *config, uint32_t unit, uint32_t opcode, const void *operands, void *result);


/* ---- The unit as a device ------------------------------------------------------------------------------ */

/* Makes a unit of a chip (XFJIT_NV10 ...) after reset. config may be null; of it the model and what nobody
 * knows of the chip is taken. Any thread. */
XFJIT_API xfjit_status xfjit_unit_create(xfjit_engine *engine, uint32_t chip, const xfjit_config *config, xfjit_unit **unit);

/* Ends a unit; a null pointer is none. One thread, while no other uses the handle. */
XFJIT_API xfjit_status xfjit_unit_destroy(xfjit_unit *unit);

/* Executes commands: each is its address as FE wraps it, and one word, or two with XFJIT_COMMAND_PAIR; or
 * XFJIT_COMMAND_VERTEX alone. If one of them is none, nothing is executed, nor if there is no memory for
 * what might come out (XFJIT_E_MEMORY). Vertices are collected and run when that can be seen; what comes
 * out waits for xfjit_unit_drain, which is to be called now and then. One thread at a time. */
XFJIT_API xfjit_status xfjit_unit_write(xfjit_unit *unit, const uint32_t *commands, size_t words);

/* Sets a register beside the commands (XFJIT_REGISTER_*). One thread at a time. */
XFJIT_API xfjit_status xfjit_unit_set(xfjit_unit *unit, uint32_t which, uint32_t value);

/* Gives a texture unit, 0 to 3, what TXL looks at from now on: height rows of width texels, of 1 or 4
 * floats, pitch bytes from row to row, in the byte order of the host, which are copied; a null pointer for
 * none, as at first. flags are XFJIT_TEXTURE_*, or-ed. Only programs of Curie look. States and recordings
 * do not have textures. XFJIT_E_INPUT if the texels are not all there. One thread at a time. */
XFJIT_API xfjit_status xfjit_unit_set_texture(xfjit_unit *unit, uint32_t number, const void *texels, size_t size, uint32_t components, uint32_t width, uint32_t height, uint32_t pitch, uint32_t flags);

/* Limits the overtime of a batch or a draw of vertices, see xfjit_worker_set_overtime, where it is at
 * first the same. Vertices that do not run any more leave as zeros. 0: no limit. One thread at a time. */
XFJIT_API xfjit_status xfjit_unit_set_overtime(xfjit_unit *unit, uint64_t slots);

/* Runs what is pending and hands over what has come out since the last time, piece by piece, in order. The
 * callback may not use the unit. One thread at a time. */
XFJIT_API xfjit_status xfjit_unit_drain(xfjit_unit *unit, xfjit_take take, void *user);

/* Runs what is pending and reads constants: count rows of four words from row first on, zeros where there
 * are none. They are written by commands. One thread at a time. */
XFJIT_API xfjit_status xfjit_unit_constants(xfjit_unit *unit, size_t first, size_t count, void *rows);

/* Runs what is pending and tells where the constants are, and which have changed. Both may be used, the
 * dirty bytes also written, until the next call with the unit, whatever that is; then this one has to be
 * called again. Nothing is copied. One thread at a time, which is also the one that uses them. */
XFJIT_API xfjit_status xfjit_unit_view(xfjit_unit *unit, xfjit_view *view);

/* Runs what is pending and writes the state of a unit, if there is room for it. Returns how many bytes
 * that takes, or 0 if something is wrong. What waits to be drained is no part of it. One thread at a time. */
XFJIT_API size_t xfjit_unit_save(xfjit_unit *unit, void *bytes, size_t size);

/* Takes a saved state, of a unit of the same chip. What is pending is run before, in the old one. One
 * thread at a time. */
XFJIT_API xfjit_status xfjit_unit_load(xfjit_unit *unit, const void *bytes, size_t size);

/* Runs vertices from arrays, as if commands had sent them one after the other: for each its attributes
 * that have memory, then XFJIT_COMMAND_VERTEX. Those without memory (XFJIT_FORMAT_NONE, or not given) are
 * what commands have written; afterwards the others are those of the last vertex. Of the batch its
 * vertices, indices, instances and attributes are looked at; what it says of outputs and constants may be
 * anything, and XFJIT_BATCH_DISTINCT makes no difference. A restart index sends nothing. If something is
 * wrong, nothing has been sent; if memory ends (XFJIT_E_MEMORY) whole instances may have been, or pieces
 * between restart indices. One thread at a time. */
XFJIT_API xfjit_status xfjit_unit_draw(xfjit_unit *unit, const xfjit_batch *batch);


/* ---- Ending calls of other threads --------------------------------------------------------------------- */

/* Makes a flag that is not raised. Any thread. */
XFJIT_API xfjit_status xfjit_cancel_create(xfjit_cancel **cancel);

/* Ends the handle of a flag; a null pointer is none. Workers and units that look at the flag keep it, as
 * it is. One thread, while no other uses the handle. */
XFJIT_API xfjit_status xfjit_cancel_destroy(xfjit_cancel *cancel);

/* Raises the flag (not 0) or lowers it (0). While it is raised, calls that look at it end, and further
 * ones do nothing: xfjit_outcome.cancelled tells. Any thread. It may be called while others run, and from
 * callbacks of the library. */
XFJIT_API xfjit_status xfjit_cancel_set(const xfjit_cancel *cancel, int32_t raised);

/* Has the calls of a worker look at a flag; a null pointer: at none, as at first. A call looks before it
 * begins, and between parts of its vertices, so that it ends after at most some 65,536 slots of each of
 * sixteen. xfjit_outcome.done tells how many are done; those after them have done nothing. One thread at a
 * time. */
XFJIT_API xfjit_status xfjit_worker_set_cancel(xfjit_worker *worker, const xfjit_cancel *cancel);

/* Has a unit look at a flag while it runs vertices, as xfjit_worker_set_cancel; those that do not run
 * leave as zeros. One thread at a time. */
XFJIT_API xfjit_status xfjit_unit_set_cancel(xfjit_unit *unit, const xfjit_cancel *cancel);


/* ---- Recording ----------------------------------------------------------------------------------------- */

/* Records a unit from now on, whatever state it is in: record is handed bytes of a capture, now and then,
 * in calls of this unit, and in the end by xfjit_unit_record_end. A recording that there is goes on no
 * more, and is not ended, even if this one does not begin because record refuses the bytes (XFJIT_E_FILE).
 * Destroying the unit drops what has not been handed over. One thread at a time. */
XFJIT_API xfjit_status xfjit_unit_record(xfjit_unit *unit, xfjit_record record, void *user);

/* Ends the recording of a unit, if there is one: record is handed the rest, then a null pointer.
 * XFJIT_E_FILE if it does not take them; there is no recording any more then, either. One thread at a
 * time. */
XFJIT_API xfjit_status xfjit_unit_record_end(xfjit_unit *unit);

/* Records what xfjit_run and xfjit_run_rows run with a worker from now on, before it runs: programs,
 * constants, attributes of the vertices as rows. record is handed bytes of a capture of calls, in calls of
 * this worker. They are at most budget, and one that is too small for an empty capture is refused
 * (XFJIT_E_ARGUMENT): the call that there is no room for ends the recording, with a null pointer. A call
 * of more than 65,536 vertices is recorded as several of at most so many, as far as there is room; if its
 * program writes constants it is left out, and so are programs without instructions. Calls take several
 * times as long. A recording that there is goes on no more, and is not ended, nor is one for which memory
 * ends. Destroying the worker drops what has not been handed over. One thread at a time. */
XFJIT_API xfjit_status xfjit_worker_record(xfjit_worker *worker, uint64_t budget, xfjit_record record, void *user);

/* Ends the recording of a worker, if there is one: record is handed the rest, then a null pointer. One
 * thread at a time. */
XFJIT_API xfjit_status xfjit_worker_record_end(xfjit_worker *worker);


/* ---- Flipper as a device ------------------------------------------------------------------------------- */

/* Fills options, of which size is set, with the choices of a dialect (XFJIT_FLIPPER_SPEC ...); the console
 * is the GameCube. Any thread. */
XFJIT_API xfjit_status xfjit_flipper_options_init(xfjit_flipper_options *options, uint32_t dialect);

/* Makes a unit after reset, all of whose words are zero. options may be null: the GameCube's, with the
 * default of each choice. Any thread. */
XFJIT_API xfjit_status xfjit_flipper_create(xfjit_engine *engine, const xfjit_flipper_options *options, xfjit_flipper **flipper);

/* Ends a unit; a null pointer is none. One thread, while no other uses the handle. */
XFJIT_API xfjit_status xfjit_flipper_destroy(xfjit_flipper *flipper);

/* Declares how the vertices of draws leave: count elements of element_size bytes,
 * sizeof(xfjit_flipper_element), all of them of outputs (XFJIT_FLIPPER_OUT). What is in none of them is
 * not computed. triangles is not 0 if triangles are wanted too. At first there are no elements and no
 * triangles. A layout is refused in which 65,535 vertices would take more than 256 MiB. One thread at a
 * time. */
XFJIT_API xfjit_status xfjit_flipper_set_layout(xfjit_flipper *flipper, const xfjit_flipper_element *elements, uint32_t element_size, size_t count, int32_t triangles);

/* Loads a register of the command processor (0 to 0xff), as command 08 does. Bits that it does not have
 * are dropped. One thread at a time. */
XFJIT_API xfjit_status xfjit_flipper_load_cp(xfjit_flipper *flipper, uint32_t number, uint32_t value);

/* Reads a register of the command processor; 0 where there is none. One thread at a time. */
XFJIT_API xfjit_status xfjit_flipper_read_cp(xfjit_flipper *flipper, uint32_t number, uint32_t *value);

/* Loads count words of the transform unit (0 to 0xffff), from an address on, as command 10 does. What is
 * not there is dropped. One thread at a time. */
XFJIT_API xfjit_status xfjit_flipper_load_xf(xfjit_flipper *flipper, uint32_t first, const uint32_t *words, size_t count);

/* Reads count words of the transform unit, from an address on; zeros where there are none. One thread at a
 * time. */
XFJIT_API xfjit_status xfjit_flipper_read_xf(xfjit_flipper *flipper, uint32_t first, uint32_t *words, size_t count);

/* Writes the state, if there is room for it: registers, words, bytes that wait for the rest of their
 * command. Returns how many bytes that takes, or 0 if something is wrong. One thread at a time. */
XFJIT_API size_t xfjit_flipper_save(xfjit_flipper *flipper, void *bytes, size_t size);

/* Takes a saved state. Options and layout stay. One thread at a time. */
XFJIT_API xfjit_status xfjit_flipper_load(xfjit_flipper *flipper, const void *bytes, size_t size);

/* Records draws from now on, and what they depend on, whatever state the unit is in: record is handed
 * bytes of a capture, as by xfjit_unit_record, and in the end by xfjit_flipper_record_end. A recording
 * that there is goes on no more, and is not ended, even if this one does not begin because record refuses
 * the bytes (XFJIT_E_FILE). Destroying the unit drops what has not been handed over. One thread at a time. */
XFJIT_API xfjit_status xfjit_flipper_record(xfjit_flipper *flipper, xfjit_record record, void *user);

/* Ends the recording, if there is one: record is handed the rest, then a null pointer. XFJIT_E_FILE if it
 * does not take them; there is no recording any more then, either. One thread at a time. */
XFJIT_API xfjit_status xfjit_flipper_record_end(xfjit_flipper *flipper);

/* Runs bytes of commands, in pieces of any size: the beginning of a command waits in the unit for its
 * rest. What leaves is handed to take as it is made. memory may be null. budget is the work that the call
 * may do, in bytes of commands and vertices, or 0 for no limit; if it is used up progress (which may be
 * null) tells how many bytes have been taken, and the others come again. With XFJIT_E_MEMORY all has been
 * run, and a draw came without vertices. One thread at a time. */
XFJIT_API xfjit_status xfjit_flipper_run(xfjit_flipper *flipper, const void *bytes, size_t size, const xfjit_flipper_memory *memory, uint64_t budget, xfjit_flipper_take take, void *user, xfjit_flipper_progress *progress);

/* Has the calls of a unit that run commands look at a flag before each of them; a null pointer: at none,
 * as at first. They end as if their budget were used up: xfjit_flipper_progress.cancelled tells, and what
 * has not been run comes again. A drawing command is not divided. One thread at a time. */
XFJIT_API xfjit_status xfjit_flipper_set_cancel(xfjit_flipper *flipper, const xfjit_cancel *cancel);

/* Runs one drawing command alone: opcode is its byte (0x80 to 0xbf), bytes are those of its count
 * vertices, as the registers have them. XFJIT_E_INPUT if there are fewer. What waits in the unit goes on
 * waiting. One thread at a time. */
XFJIT_API xfjit_status xfjit_flipper_draw(xfjit_flipper *flipper, uint32_t opcode, uint32_t count, const void *bytes, size_t size, const xfjit_flipper_memory *memory, xfjit_flipper_take take, void *user);

/* A store of 1, 2, 4 or 8 bytes to the line whose stores are gathered, big-endian: the lowest bytes bytes
 * of value. The 32nd byte sends a block to where gathered ones go, a ring in memory, whose size bytes
 * begin at the guest's address 0; a block behind them is lost. One thread at a time. */
XFJIT_API xfjit_status xfjit_flipper_store(xfjit_flipper *flipper, uint64_t value, uint32_t bytes, void *memory, size_t size);

/* A block of 32 bytes on its way to where gathered ones go, as for xfjit_flipper_store; it lies apart from
 * memory. One thread at a time. */
XFJIT_API xfjit_status xfjit_flipper_burst(xfjit_flipper *flipper, const void *block, void *memory, size_t size);

/* Writes the special register 921, WPAR: where gathered blocks go, the ring of the processor's interface
 * if it is 0c008000. What has been gathered is lost. One thread at a time. */
XFJIT_API xfjit_status xfjit_flipper_write_gather(xfjit_flipper *flipper, uint32_t address);

/* Reads it, and how many bytes are held until there is a block of them; either may be null. One thread at
 * a time. */
XFJIT_API xfjit_status xfjit_flipper_read_gather(xfjit_flipper *flipper, uint32_t *address, uint32_t *held);

/* Writes a register of the processor's interface (XFJIT_FLIPPER_PI_*); others are none of these, and
 * nothing happens. One thread at a time. */
XFJIT_API xfjit_status xfjit_flipper_write_pi(xfjit_flipper *flipper, uint32_t offset, uint32_t value);

/* Reads one; 0 where there is none of these. One thread at a time. */
XFJIT_API xfjit_status xfjit_flipper_read_pi(xfjit_flipper *flipper, uint32_t offset, uint32_t *value);

/* Writes a register of the command processor that the processor reaches (XFJIT_FLIPPER_PORT_*), 16 bits;
 * others are none of these, and nothing happens. One thread at a time. */
XFJIT_API xfjit_status xfjit_flipper_write_port(xfjit_flipper *flipper, uint32_t offset, uint32_t value);

/* Reads one; 0 where there is none of these. One thread at a time. */
XFJIT_API xfjit_status xfjit_flipper_read_port(xfjit_flipper *flipper, uint32_t offset, uint32_t *value);

/* Tells whether the command processor interrupts: raised becomes 1 or 0. One thread at a time. */
XFJIT_API xfjit_status xfjit_flipper_interrupt(xfjit_flipper *flipper, int32_t *raised);

/* Reads blocks of the command processor's ring and runs their commands, until there are none, or none may
 * be read, or the budget is used up: then xfjit_flipper_progress.in_list is 1. The ring lies in memory;
 * what is not there reads as zeros. The rest is as for xfjit_flipper_run. One thread at a time. */
XFJIT_API xfjit_status xfjit_flipper_run_fifo(xfjit_flipper *flipper, const xfjit_flipper_memory *memory, uint64_t budget, xfjit_flipper_take take, void *user, xfjit_flipper_progress *progress);

/* Returns how many bytes a vertex of a drawing command (0x80 to 0xbf) has, as the registers are; 0 if
 * something is wrong, or if vertices have nothing. One thread at a time. */
XFJIT_API size_t xfjit_flipper_vertex_size(xfjit_flipper *flipper, uint32_t opcode);

/* Reads the vertices of a drawing command and stores them as they are before the transform unit: what a
 * loader of vertices does. The elements (see xfjit_flipper_set_layout) are all of inputs
 * (XFJIT_FLIPPER_IN), and begin at data, whose data_size bytes must hold count vertices (XFJIT_E_OUTPUT)
 * and lie apart from what is read. What no element covers stays. stored, which may be null, becomes the
 * number of vertices without those that are left out. Normals are kept as behind a draw. XFJIT_E_INPUT if
 * the command lacks bytes. One thread at a time. */
XFJIT_API xfjit_status xfjit_flipper_fetch(xfjit_flipper *flipper, uint32_t opcode, uint32_t count, const void *bytes, size_t size, const xfjit_flipper_memory *memory, const xfjit_flipper_element *elements, uint32_t element_size, size_t element_count, void *data, size_t data_size, uint32_t *stored);

/* Transforms vertices from arrays with the words that the unit has, and stores what leaves. Of the batch
 * its vertices, indices and attributes are looked at: 0 position, 1 normal, 2 tangent, 3 binormal, 4 and 5
 * colours as numbers from 0 to 255 (XFJIT_FORMAT_RGBA8, XFJIT_FORMAT_UB256), 6 to 13 texture coordinates,
 * 14 matrix indices: a byte for each bit of matrices (bit 0 the position's, 1 to 8 those of texture
 * coordinates), the lowest first, as 1 to 3 floats. Vertices have the colours that have memory; other
 * attributes without memory have their value. No instances, no restart index. Elements are all of outputs,
 * and data is as for xfjit_flipper_fetch. Nothing of the unit changes. One thread at a time. */
XFJIT_API xfjit_status xfjit_flipper_transform(xfjit_flipper *flipper, const xfjit_batch *batch, uint32_t matrices, const xfjit_flipper_element *elements, uint32_t element_size, size_t element_count, void *data, size_t data_size);

/* Tells whether nothing of a drawing command can be seen: culled becomes 1 if each of its triangles is
 * rejected, or shows a face of faces (XFJIT_FLIPPER_CULL_FRONT, XFJIT_FLIPPER_CULL_BACK), else 0. Lines
 * and points have a width, and count as seen if there are any vertices. Nothing of the unit changes. The
 * rest is as for xfjit_flipper_draw. One thread at a time. */
XFJIT_API xfjit_status xfjit_flipper_culled(xfjit_flipper *flipper, uint32_t opcode, uint32_t count, const void *bytes, size_t size, const xfjit_flipper_memory *memory, uint32_t faces, int32_t *culled);

#if defined __cplusplus
}
#endif

#endif
