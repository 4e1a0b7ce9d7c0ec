/* xfjit_dolphin.h: the vertices that Dolphin's loaders read, beside those that xfjit reads. Included by
 * Source/Core/VideoCommon/VertexLoaderBase.cpp, into which dolphin.py puts the call. The emulator goes on with its own vertices.
 *
 * With XFJIT_VERTICES=check in the environment each loader is compared in every draw; the first difference of each is told in
 * the emulator's log, and all are counted. XFJIT_LIBRARY=path says where the library is.
 *
 * License: MIT or Apache-2.0, at your choice. */
#pragma once

#define XFJIT_LOADER_IMPLEMENTATION
#include "xfjit_loader.h"

#include <cstdlib>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

// The library, opened once; null where it is not wanted, or not there.
inline const xfjit_api* xfjit_dolphin_api()
{
  static xfjit_api api;
  static const bool is_there = [] {
    const char* const wanted = std::getenv("XFJIT_VERTICES");
    if (wanted == nullptr || std::strcmp(wanted, "check") != 0)
      return false;
    if (xfjit_load(&api, std::getenv("XFJIT_LIBRARY")) == XFJIT_LOADED)
      return true;
    ERROR_LOG_FMT(VIDEO, "xfjit: {}", api.error);
    return false;
  }();
  return is_there ? &api : nullptr;
}

inline xfjit_engine* xfjit_dolphin_engine(const xfjit_api& api)
{
  static xfjit_engine* const engine = [&api] {
    xfjit_engine* made = nullptr;
    xfjit_options options{};
    options.size = sizeof options;
    options.compile_after = 64;
    return api.engine_create(&options, &made) == XFJIT_OK ? made : nullptr;
  }();
  return engine;
}

// Draws and vertices that were compared, and draws that differed.
struct XfjitDolphinCounts
{
  u64 draws, vertices, differences;
};
inline XfjitDolphinCounts xfjit_dolphin_counts{};

class XfjitLoaderTester final : public VertexLoaderBase
{
public:
  XfjitLoaderTester(std::unique_ptr<VertexLoaderBase> theirs_, const TVtxDesc& desc, const VAT& attr)
      : VertexLoaderBase(desc, attr), theirs(std::move(theirs_)), api(*xfjit_dolphin_api())
  {
    m_native_vtx_decl = theirs->m_native_vtx_decl;
    const bool is_wii = Core::System::GetInstance().IsWii();
    xfjit_flipper_options options{};
    options.size = sizeof options;
    if (api.flipper_options_init(&options, XFJIT_FLIPPER_DOLPHIN_JIT) != XFJIT_OK)
      return;
    options.console = is_wii ? XFJIT_WII : XFJIT_GAMECUBE;
    if (api.flipper_create(xfjit_dolphin_engine(api), &options, &flipper) != XFJIT_OK)
    {
      flipper = nullptr;
      return;
    }
    api.flipper_load_cp(flipper, 0x50, desc.low.Hex);
    api.flipper_load_cp(flipper, 0x60, desc.high.Hex);
    api.flipper_load_cp(flipper, 0x70, attr.g0.Hex);
    api.flipper_load_cp(flipper, 0x80, attr.g1.Hex);
    api.flipper_load_cp(flipper, 0x90, attr.g2.Hex);
    declare();
  }

  ~XfjitLoaderTester() override { api.flipper_destroy(flipper); }

  int RunVertices(const u8* src, u8* dst, int count) override
  {
    const int stored = theirs->RunVertices(src, dst, count);
    m_numLoadedVertices = theirs->m_numLoadedVertices;
    if (flipper != nullptr && count > 0)
      compare(src, dst, count, stored);
    return stored;
  }

private:
  void add(const AttributeFormat& attribute, int components, int offset, u32 source, u32 stored)
  {
    if (attribute.enable)
    {
      elements.push_back({source, stored, static_cast<u32>(components), static_cast<u32>(attribute.offset + offset),
                          static_cast<u32>(m_native_vtx_decl.stride), 0});
    }
  }

  // A texture coordinate of three components has its matrix index after s and t.
  void declare()
  {
    const PortableVertexDeclaration& decl = m_native_vtx_decl;
    add(decl.posmtx, decl.posmtx.components, 0, XFJIT_FLIPPER_IN_MATRIX0, XFJIT_FLIPPER_U8);
    add(decl.position, decl.position.components, 0, XFJIT_FLIPPER_IN_POSITION, XFJIT_FLIPPER_F32);
    for (u32 number = 0; number < 3; number++)
      add(decl.normals[number], 3, 0, XFJIT_FLIPPER_IN_NORMAL + number, XFJIT_FLIPPER_F32);
    for (u32 number = 0; number < 2; number++)
      add(decl.colors[number], 4, 0, XFJIT_FLIPPER_IN_COLOUR0 + number, XFJIT_FLIPPER_U8);
    for (u32 number = 0; number < 8; number++)
    {
      const AttributeFormat& coordinate = decl.texcoords[number];
      const bool has_index = coordinate.components == 3;
      add(coordinate, has_index ? 2 : coordinate.components, 0, XFJIT_FLIPPER_IN_TEX0 + number, XFJIT_FLIPPER_F32);
      if (has_index)
        add(coordinate, 1, 8, XFJIT_FLIPPER_IN_MATRIX0 + 1 + number, XFJIT_FLIPPER_F32);
    }
  }

  void compare(const u8* src, const u8* dst, int count, int stored)
  {
    auto& memory = Core::System::GetInstance().GetMemory();
    const xfjit_flipper_memory lent{sizeof lent,       0, memory.GetRAM(), memory.GetRamSizeReal(), memory.GetEXRAM(),
                                    memory.GetEXRAM() ? memory.GetExRamSizeReal() : 0};
    for (u32 array = 0; array < 12; array++)
    {
      api.flipper_load_cp(flipper, 0xa0 | array, g_main_cp_state.array_bases[static_cast<CPArray>(array)]);
      api.flipper_load_cp(flipper, 0xb0 | array, g_main_cp_state.array_strides[static_cast<CPArray>(array)]);
    }
    const size_t stride = static_cast<size_t>(m_native_vtx_decl.stride), bytes = stride * static_cast<size_t>(stored);
    // What neither stores is equal.
    ours.assign(dst, dst + bytes);
    ours.resize(stride * static_cast<size_t>(count));
    for (const xfjit_flipper_element& element : elements)
      clear(element);
    u32 other = 0;
    const xfjit_status status = api.flipper_fetch(flipper, 0x90, static_cast<u32>(count), src, m_vertex_size * static_cast<size_t>(count),
                                                  &lent, elements.data(), sizeof elements[0], elements.size(), ours.data(),
                                                  ours.size(), &other);
    xfjit_dolphin_counts.draws++;
    xfjit_dolphin_counts.vertices += static_cast<u32>(stored);
    if (status == XFJIT_OK && other == static_cast<u32>(stored) && std::memcmp(ours.data(), dst, bytes) == 0)
      return;
    xfjit_dolphin_counts.differences++;
    if (std::exchange(has_differed, true))
      return;
    size_t at = 0;
    while (at < bytes && ours[at] == dst[at])
      at++;
    char why[256] = "";
    if (status != XFJIT_OK)
      api.last_error(why, sizeof why);
    ERROR_LOG_FMT(VIDEO, "xfjit: {} and {} vertices, vertex {}, byte {} of it; {}\nVertex desc:\n{}\n\nVertex attr:\n{}", stored,
                  other, at / stride, at % stride, why, m_VtxDesc, m_VtxAttr);
  }

  // So that what is not stored shows.
  void clear(const xfjit_flipper_element& element)
  {
    const size_t size = element.components * (element.stored == XFJIT_FLIPPER_F32 ? 4 : 1);
    for (size_t at = element.offset; at + size <= ours.size(); at += element.stride)
      std::memset(&ours[at], 0x55, size);
  }

  const std::unique_ptr<VertexLoaderBase> theirs;
  const xfjit_api& api;
  xfjit_flipper* flipper = nullptr;
  std::vector<xfjit_flipper_element> elements;
  std::vector<u8> ours;
  bool has_differed = false;
};
