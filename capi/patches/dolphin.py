#!/usr/bin/env python3
"""Dolphin: the vertices of its loaders, compared with those of xfjit."""

from patching import Patch, Source, main


def edit(loader: Source) -> None:
    tester = loader.only("the class that compares loaders", r"\bclass\s+VertexLoaderTester\b", (0, len(loader.text)))
    loader.insert(tester, '#include "Core/HW/Memmap.h"', '#include "Core/System.h"', '#include "VideoCommon/xfjit_dolphin.h"')
    body = loader.function(
        "VertexLoaderBase::CreateVertexLoader", r"\bVertexLoaderBase::CreateVertexLoader\s*\(const TVtxDesc& vtx_desc,\s*const VAT& vtx_attr\)"
    )
    loader.insert(
        loader.only("the native loader's return", r"\breturn\s+native_loader\s*;", body),
        "  if (xfjit_dolphin_api() != nullptr)",
        "    return std::make_unique<XfjitLoaderTester>(std::move(native_loader), vtx_desc, vtx_attr);",
    )


main(
    Patch(
        emulator="Dolphin",
        tried_with="commit cd3ea814 (August 2026)",
        files={"xfjit_dolphin.h": "Source/Core/VideoCommon"},
        sources=["Source/Core/VideoCommon/VertexLoaderBase.cpp"],
        edit=edit,
    )
)
