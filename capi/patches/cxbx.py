#!/usr/bin/env python3
"""Cxbx-Reloaded: programs that are launched to write constants."""

from patching import Patch, Source, main


def edit(shader: Source) -> None:
    everything = (0, len(shader.text))
    shader.insert(
        shader.after(shader.only("the header of the interpreter", r'#include "nv2a_vsh_emulator\.h"', everything)),
        '#include "xfjit_nv2a.h"',
    )
    body = shader.function("CxbxrImpl_RunVertexStateShader", r"\bvoid\s+CxbxrImpl_RunVertexStateShader\s*\([^)]*\)")
    shader.insert(
        shader.only("the program of the interpreter", r"\bNv2aVshProgram\s+program\b[^;]*;", body),
        "\tif (xfjit_nv2a_launch(GetCxbxVertexShaderSlotPtr(0), Address, pData,",
        "\t\tg_EmuD3DVertexShaderConstants.data(), g_EmuD3DVertexShaderConstantsDirty.data()))",
        "\t\treturn;",
    )


main(
    Patch(
        emulator="Cxbx-Reloaded",
        tried_with="commit 585c49a5 (April 2026)",
        files={name: "src/core/hle/D3D8" for name in ("xfjit_nv2a.h", "xfjit_rows.h")},
        sources=["src/core/hle/D3D8/XbVertexShader.cpp"],
        edit=edit,
    )
)
