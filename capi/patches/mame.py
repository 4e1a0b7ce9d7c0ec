#!/usr/bin/env python3
"""MAME: the vertex programs of the Xbox and of arcade boards like it."""

from patching import Patch, Source, main


def edit(nv2a: Source) -> None:
    everything = (0, len(nv2a.text))
    nv2a.insert(
        nv2a.after(nv2a.only("the header of the chip", r'#include "xbox_nv2a\.h"', everything)),
        '#include "xfjit_mame.h"',
    )
    body = nv2a.function(
        "vertex_program_simulator::process", r"\bvoid\s+vertex_program_simulator::process\s*\(int address, vertex_nv \*in, vertex_nv \*out, int count\)"
    )
    nv2a.insert(
        nv2a.only("the start of the interpreter", r"\bset_data\s*\(in, out\)\s*;", body),
        "\tif (xfjit_mame_process(op[0].i, sizeof(op[0]), address, c_constant, in, out, count))",
        "\t\treturn;",
    )


main(
    Patch(
        emulator="MAME",
        tried_with="0.289",
        files={name: "src/mame/shared" for name in ("xfjit_mame.h", "xfjit_rows.h")},
        sources=["src/mame/shared/xbox_nv2a.cpp"],
        edit=edit,
    )
)
