// SPDX-License-Identifier: MIT
// Definitions for OpenCL devices, whose compilers do not know Quern's include files and intrinsics. A
// sub-group has one work-item there, and loads and stores with memory orders use the atomics of OpenCL C 1.2.
#include "frontend/frontend.hpp"
#include "frontend/preprocess/embedded_includes.hpp"

namespace quern::frontend {
namespace {

struct Piece {
  std::string_view name;  // the text is added if the source contains this name
  std::string_view text;
};

constexpr Piece kPieces[] = {
    {"quern_shuffle",
     "#define quern_shuffle(x, lane) (x)\n"
     "#define quern_shuffle_xor(x, mask) (x)\n"
     "#define quern_shuffle_up(x, distance) (x)\n"
     "#define quern_shuffle_down(x, distance) (x)\n"},
    {"quern_ballot", "#define quern_ballot(x) ((x) ? 1ul : 0ul)\n"},
    {"quern_match_any", "#define quern_match_any(x) (1ul)\n"},
    {"quern_load_streaming", "#define quern_load_streaming(p) (*(p))\n"},
    {"quern_store_streaming", "#define quern_store_streaming(p, x) (*(p) = (x))\n"},
    {"quern_load_acquire",
     "#define QUERN_LOAD(SPACE, T, U, OR, AS, FENCE) T __attribute__((overloadable)) "
     "quern_load_acquire(const volatile SPACE T *p, int scope) { const T x = AS(OR((volatile SPACE U *)p, "
     "0)); "
     "mem_fence(FENCE); return x; }\n"
     "QUERN_LOAD(global, int, int, atomic_or, as_int, CLK_GLOBAL_MEM_FENCE)\n"
     "QUERN_LOAD(global, uint, uint, atomic_or, as_uint, CLK_GLOBAL_MEM_FENCE)\n"
     "QUERN_LOAD(global, float, int, atomic_or, as_float, CLK_GLOBAL_MEM_FENCE)\n"
     "QUERN_LOAD(local, int, int, atomic_or, as_int, CLK_LOCAL_MEM_FENCE)\n"
     "QUERN_LOAD(local, uint, uint, atomic_or, as_uint, CLK_LOCAL_MEM_FENCE)\n"
     "QUERN_LOAD(local, float, int, atomic_or, as_float, CLK_LOCAL_MEM_FENCE)\n"
     "#ifdef QUERN_HAS_INT64_ATOMICS\n"
     "QUERN_LOAD(global, long, long, atom_or, as_long, CLK_GLOBAL_MEM_FENCE)\n"
     "QUERN_LOAD(global, ulong, ulong, atom_or, as_ulong, CLK_GLOBAL_MEM_FENCE)\n"
     "#endif\n"},
    {"quern_store_release",
     "#define QUERN_STORE(SPACE, T, XCHG, FENCE) void __attribute__((overloadable)) "
     "quern_store_release(volatile SPACE T *p, T x, int scope) { mem_fence(FENCE); XCHG(p, x); }\n"
     "QUERN_STORE(global, int, atomic_xchg, CLK_GLOBAL_MEM_FENCE)\n"
     "QUERN_STORE(global, uint, atomic_xchg, CLK_GLOBAL_MEM_FENCE)\n"
     "QUERN_STORE(global, float, atomic_xchg, CLK_GLOBAL_MEM_FENCE)\n"
     "QUERN_STORE(local, int, atomic_xchg, CLK_LOCAL_MEM_FENCE)\n"
     "QUERN_STORE(local, uint, atomic_xchg, CLK_LOCAL_MEM_FENCE)\n"
     "QUERN_STORE(local, float, atomic_xchg, CLK_LOCAL_MEM_FENCE)\n"
     "#ifdef QUERN_HAS_INT64_ATOMICS\n"
     "QUERN_STORE(global, long, atom_xchg, CLK_GLOBAL_MEM_FENCE)\n"
     "QUERN_STORE(global, ulong, atom_xchg, CLK_GLOBAL_MEM_FENCE)\n"
     "#endif\n"},
};

}  // namespace

std::string opencl_prelude(std::string_view source) {
  std::string prelude = embedded_texts(source);
  for (const Piece& piece : kPieces)
    if (source.find(piece.name) != source.npos) prelude += piece.text;
  return prelude;
}

}  // namespace quern::frontend
