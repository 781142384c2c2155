// SPDX-License-Identifier: MIT
// Atomics and ordered accesses in CUDA: relaxed operations between the fences of the memory order, which
// every version of NVRTC supports.
#include "frontend/lower/cuda/device_functions.hpp"

namespace quern::frontend::lower {
namespace {

constexpr std::uint32_t kAcquire = 2, kRelease = 3, kAcquireRelease = 4, kSequential = 5;

bool acquires(std::uint32_t order) {
  return order == kAcquire || order == kAcquireRelease || order == kSequential;
}
bool releases(std::uint32_t order) {
  return order == kRelease || order == kAcquireRelease || order == kSequential;
}

std::string_view fence_of(std::uint32_t scope) {
  constexpr std::uint32_t kDevice = 2, kAllDevices = 3;
  return scope == kAllDevices ? "__threadfence_system(); "
         : scope == kDevice   ? "__threadfence(); "
                              : "__threadfence_block(); ";
}

}  // namespace

std::string CudaDeviceFunctions::atomic_body(std::string_view operation, const Type* type,
                                             const AtomicCall& how) {
  const Type* bits = program_.types.unsigned_of(type);
  const std::string t = types_.text(type), u = types_.text(bits), address = "((" + u + "*)x)";
  const auto to_bits = [&](const std::string& value) {
    return bits == type ? value : conversions_.reinterpret_helper(bits, type) + "(" + value + ")";
  };
  const auto from_bits = [&](const std::string& value) {
    return bits == type ? value : conversions_.reinterpret_helper(type, bits) + "(" + value + ")";
  };
  const std::string fence(fence_of(how.scope));
  const std::string before = releases(how.order) ? fence : "", after = acquires(how.order) ? fence : "";
  const auto result = [&](const std::string& value) {
    return before + "const " + t + " r = " + value + "; " + after + "return r;";
  };
  if (operation == "init") return "*x = y;";
  if (operation == "load") return result("*x");
  if (operation == "store" || operation == "flag_clear")
    return before + "*x = " + (operation == "store" ? "y" : "0") + ";" +
           (how.order == kSequential ? " " + fence : "");
  if (operation == "exchange") return result(from_bits("atomicExch(" + address + ", " + to_bits("y") + ")"));
  if (operation == "flag_test_and_set")
    return before + "const bool r = atomicExch(" + address + ", 1u) != 0; " + after + "return r;";
  if (operation.starts_with("compare_exchange"))
    return before + "const " + u + " e = " + to_bits("*y") + ", o = atomicCAS(" + address + ", e, " +
           to_bits("z") + "); if (o != e) *y = " + from_bits("o") + "; " + after + "return o == e;";
  const bool adds = operation == "fetch_add" || operation == "fetch_sub";
  if (type->is_integer()) {
    const std::string_view function = adds                       ? "atomicAdd"
                                      : operation == "fetch_or"  ? "atomicOr"
                                      : operation == "fetch_xor" ? "atomicXor"
                                      : operation == "fetch_and" ? "atomicAnd"
                                      : operation == "fetch_min" ? "atomicMin"
                                                                 : "atomicMax";
    const bool is_extremum = operation == "fetch_min" || operation == "fetch_max";
    const std::string as = is_extremum ? t : u;
    const std::string value = operation == "fetch_sub" ? "(" + u + ")(0 - (" + u + ")y)" : "(" + as + ")y";
    return result("(" + t + ")" + std::string(function) + "((" + as + "*)x, " + value + ")");
  }
  if (adds) return result("atomicAdd((" + t + "*)x, " + (operation == "fetch_sub" ? "-y" : "y") + ")");
  return before + u + " o = *(volatile " + u + "*)x, e; do { e = o; const " + t + " v = " + from_bits("e") +
         ", w = " + fetch_result(operation, "v", "y") + "; o = atomicCAS(" + address + ", e, " +
         to_bits("w") + "); } while (o != e); " + after + "return " + from_bits("e") + ";";
}

std::string CudaDeviceFunctions::ordered_access(const Expr* e, const std::vector<std::string>& arguments) {
  if (e->builtin->name.ends_with("streaming")) return streaming_access(e, arguments);
  const std::string_view name = e->builtin->name;
  const Type* type = e->overload;
  const std::string t = types_.text(type);
  const bool stores = name.starts_with("quern_store_");
  std::string function = std::string(name) + "_" + name_of(type);
  const std::string arguments_text = arguments[0] + (stores ? ", " + arguments[1] : "");
  const std::int64_t scope = *constant_value(e->arguments.back());
  const std::string scope_name = scope == 0 ? "cta" : scope == 1 ? "gpu" : "sys";
  const bool wide = size_of(type) == 8;
  const std::string bits = wide ? "unsigned long long" : "unsigned", suffix = wide ? "b64" : "b32",
                    letter = wide ? "l" : "r";
  function += "_" + scope_name;
  if (stores)
    out_.helper(function, "void " + function + "(" + t + " *p, " + t + " x) { " + bits +
                              " b; memcpy(&b, &x, sizeof x); asm volatile(\"st.release." + scope_name + "." +
                              suffix + " [%0], %1;\" :: \"l\"(p), \"" + letter + "\"(b) : \"memory\"); }");
  else
    out_.helper(function, t + " " + function + "(const " + t + " *p) { " + bits + " b; " + t +
                              " x; asm volatile(\"ld.acquire." + scope_name + "." + suffix +
                              " %0, [%1];\" : \"=" + letter +
                              "\"(b) : \"l\"(p) : \"memory\"); memcpy(&x, &b, sizeof x); return x; }");
  return function + "(" + arguments_text + ")";
}

std::string CudaDeviceFunctions::streaming_access(const Expr* e, const std::vector<std::string>& arguments) {
  const std::string_view name = e->builtin->name;
  const Type* type = e->overload;
  const std::string t = types_.text(type);
  const bool stores = name.starts_with("quern_store_");
  const std::string function = std::string(name) + "_" + name_of(type);
  const std::string store_head = "void " + function + "(" + t + " *p, " + t + " x)";
  const std::string load_head = t + " " + function + "(const " + t + " *p)";
  const std::string arguments_text = arguments[0] + (stores ? ", " + arguments[1] : "");
  const std::uint64_t size = size_of(type);
  // Splits the element into pieces of a size that the instruction supports, which have CUDA's type names.
  const std::string piece = size % 16 == 0  ? "uint4"
                            : size % 8 == 0 ? "uint2"
                            : size % 4 == 0 ? "unsigned"
                            : size % 2 == 0 ? "unsigned short"
                                            : "unsigned char";
  const std::string pieces = std::to_string(size / (size % 16 == 0  ? 16
                                                    : size % 8 == 0 ? 8
                                                    : size % 4 == 0 ? 4
                                                    : size % 2 == 0 ? 2
                                                                    : 1));
  if (stores)
    out_.helper(function, store_head + " { " + piece + " b[" + pieces +
                              "]; memcpy(b, &x, sizeof x); for (int i = 0; i < " + pieces +
                              "; ++i) __stcs((" + piece + "*)p + i, b[i]); }");
  else
    out_.helper(function, load_head + " { " + piece + " b[" + pieces + "]; for (int i = 0; i < " + pieces +
                              "; ++i) b[i] = __ldcs((const " + piece + "*)p + i); " + t +
                              " x; memcpy(&x, b, sizeof x); return x; }");
  return function + "(" + arguments_text + ")";
}

}  // namespace quern::frontend::lower
