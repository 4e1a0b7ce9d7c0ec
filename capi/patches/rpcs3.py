#!/usr/bin/env python3
"""RPCS3: looks at the vertex programs that a guest uploads, and records them."""

from patching import Patch, Source, main


def edit(thread: Source) -> None:
    everything = (0, len(thread.text))
    thread.insert(
        thread.after(thread.only("the header of the registers", r'#include "rsx_methods\.h"', everything)),
        '#include "xfjit_rpcs3.h"',
    )
    body = thread.function("thread::prefetch_vertex_program", r"\bvoid\s+thread::prefetch_vertex_program\s*\(\s*\)")
    call = thread.only("the import of the textures' state", r"\bcurrent_vertex_program\.texture_state\.import\s*\(", body)
    thread.only("the analysis", r"\bcurrent_vp_metadata\s*=\s*program_hash_util::", body)
    thread.insert(
        call,
        "\t\txfjit_rpcs3_program(method_registers.transform_program.data(), transform_program_start,",
        "\t\t\tmethod_registers.transform_constants.data(), current_vp_metadata.referenced_inputs_mask);",
    )


main(
    Patch(
        emulator="RPCS3",
        tried_with="commit 3aac7d77 (August 2026)",
        files={name: "rpcs3/Emu/RSX" for name in ("xfjit_rpcs3.h", "xfjit_rows.h")},
        sources=["rpcs3/Emu/RSX/RSXThread.cpp"],
        edit=edit,
    )
)
