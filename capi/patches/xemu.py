#!/usr/bin/env python3
"""xemu: programs that are launched to write constants."""

from patching import Patch, Source, main


def edit(pgraph: Source) -> None:
    everything = (0, len(pgraph.text))
    pgraph.insert(
        pgraph.after(pgraph.only("the header of the interpreter", r'#include "nv2a_vsh_emulator\.h"', everything)),
        '#include "xfjit_nv2a.h"',
    )
    body = pgraph.function("of the method LAUNCH_TRANSFORM_PROGRAM", r"\bDEF_METHOD\s*\(\s*NV097\s*,\s*LAUNCH_TRANSFORM_PROGRAM\s*\)")
    pgraph.insert(
        pgraph.only("the program of the interpreter", r"\bNv2aVshProgram\s+program\s*;", body),
        "    if (xfjit_nv2a_launch(pg->program_data, program_start, pg->vertex_state_shader_v0,",
        "                          pg->vsh_constants, pg->vsh_constants_dirty)) {",
        "        return;",
        "    }",
    )


main(
    Patch(
        emulator="xemu",
        tried_with="the trees of January and April 2026 (0.8)",
        files={name: "hw/xbox/nv2a/pgraph" for name in ("xfjit_nv2a.h", "xfjit_rows.h")},
        sources=["hw/xbox/nv2a/pgraph/pgraph.c"],
        edit=edit,
    )
)
