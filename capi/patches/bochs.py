#!/usr/bin/env python3
"""Bochs: the vertex programs of its GeForce cards, three vertices of a triangle at a time."""

from patching import Patch, Source, main


def edit(geforce: Source) -> None:
    everything = (0, len(geforce.text))
    geforce.insert(
        geforce.after(geforce.only("the header of the card", r'#include "geforce\.h"', everything)),
        '#include "xfjit_bochs.h"',
    )
    body = geforce.function("bx_geforce_c::d3d_triangle", r"\bvoid\s+bx_geforce_c::d3d_triangle\s*\([^)]*\)")
    outputs = geforce.only("the array of the outputs", r"\bfloat\s+vs_out\s*\[3\]\[16\]\[4\]\s*;", body)
    call = geforce.only("the call of the interpreter", r"\bd3d_vertex_shader\s*\(\s*ch\s*,\s*v_in\s*,\s*v_out\s*\)\s*;", body)
    geforce.insert(
        geforce.after(outputs),
        "  bool xfjit_done = (ch->d3d_transform_execution_mode & 3) != 0 &&",
        "    xfjit_bochs_triangle(BX_GEFORCE_THIS card_type, ch->d3d_transform_program,",
        "      ch->d3d_transform_program_start, ch->d3d_transform_constant, ch->d3d_vertex_data, base, vs_out) != 0;",
    )
    geforce.insert(call, "      if (!xfjit_done)")


main(
    Patch(
        emulator="Bochs",
        tried_with="commit 783b58fd (3.0, August 2026)",
        files={name: "bochs/iodev/display" for name in ("xfjit_bochs.h", "xfjit_rows.h")},
        sources=["bochs/iodev/display/geforce.cc"],
        edit=edit,
    )
)
