// SPDX-License-Identifier: MIT
// The atomic functions of OpenCL 2, and what else orders memory or asks where it lies. In C atomics are the
// compiler's own; in CUDA they are relaxed ones between the fences that the memory order asks for, which
// every NVRTC knows.
#include "frontend/lower/emitter.hpp"

namespace quern::frontend::lower {
namespace {

constexpr std::uint32_t kRelaxed = 0, kAcquire = 2, kRelease = 3, kAcquireRelease = 4, kSequential = 5;

bool acquires(std::uint32_t order) {
  return order == kAcquire || order == kAcquireRelease || order == kSequential;
}
bool releases(std::uint32_t order) {
  return order == kRelease || order == kAcquireRelease || order == kSequential;
}

// What may be asked of an operation that only loads, or only stores; more than that is all there is.
std::uint32_t order_of_load(std::uint32_t order) {
  return order == kRelaxed || order == kAcquire ? order : kSequential;
}
std::uint32_t order_of_store(std::uint32_t order) {
  return order == kRelaxed || order == kRelease ? order : kSequential;
}

std::string_view fence_of(std::uint32_t scope) {
  constexpr std::uint32_t kDevice = 2, kAllDevices = 3;
  return scope == kAllDevices ? "__threadfence_system(); "
         : scope == kDevice   ? "__threadfence(); "
                              : "__threadfence_block(); ";
}

// What a fetch function leaves in memory, of the old value o and the operand y.
std::string combined(std::string_view operation, const std::string& o, const std::string& y) {
  if (operation == "fetch_min") return y + " < " + o + " ? " + y + " : " + o;
  if (operation == "fetch_max") return o + " < " + y + " ? " + y + " : " + o;
  const std::string sign = operation == "fetch_add"   ? " + "
                           : operation == "fetch_sub" ? " - "
                           : operation == "fetch_or"  ? " | "
                           : operation == "fetch_xor" ? " ^ "
                                                      : " & ";
  return o + sign + y;
}

}  // namespace

std::string Emitter::atomic(const Expr* e, const std::vector<std::string>& arguments) {
  const Type* type = e->overload;
  const AtomicCall how = AtomicCall::unpacked(e->op);
  const std::string_view operation = atomic_operation(e->text);
  std::string name = "quern_atomic_" + std::string(operation) + "_" + name_of(type) + "_" +
                     std::to_string(how.order) + std::to_string(how.scope);
  const bool compares = operation.starts_with("compare_exchange");
  if (compares) name += "_" + std::to_string(how.failure);
  if (!defined_.contains(name)) {
    const std::string t = type_text(type);
    std::string head = type_text(e->type.type) + " " + name + "(volatile " + t + " *x";
    if (compares)
      head += ", " + t + " *y, " + t + " z";
    else if (arguments.size() > 1)
      head += ", " + t + " y";
    const std::string body = is_cuda() ? atomic_cuda(operation, type, how) : atomic_c(operation, type, how);
    helper(name, qualifiers() + head + ") { " + body + " }");
  }
  std::string call = name + "(";
  for (std::size_t i = 0; i < arguments.size(); ++i) call += (i > 0 ? ", " : "") + arguments[i];
  return call + ")";
}

std::string Emitter::atomic_c(std::string_view operation, const Type* type, const AtomicCall& how) {
  const std::string t = type_text(type), order = std::to_string(how.order);
  if (operation == "load" || operation == "store" || operation == "flag_clear") {
    const bool loads = operation == "load";
    const std::string o = std::to_string(loads ? order_of_load(how.order) : order_of_store(how.order));
    if (loads) return t + " r; __atomic_load(x, &r, " + o + "); return r;";
    return (operation == "store" ? "" : t + " y = 0; ") + "__atomic_store(x, &y, " + o + ");";
  }
  if (operation == "init") return "*x = y;";
  if (operation == "exchange") return t + " r; __atomic_exchange(x, &y, &r, " + order + "); return r;";
  if (operation == "flag_test_and_set") return "return __atomic_exchange_n(x, 1, " + order + ") != 0;";
  if (operation.starts_with("compare_exchange"))
    return "return __atomic_compare_exchange(x, y, &z, " +
           std::string(operation.ends_with("weak") ? "1" : "0") + ", " + order + ", " +
           std::to_string(order_of_load(how.failure)) + ");";
  const bool is_extremum = operation == "fetch_min" || operation == "fetch_max";
  if (type->is_integer() && !is_extremum)
    return "return __atomic_" + std::string(operation) + "(x, y, " + order + ");";
  return t + " o, n; __atomic_load(x, &o, 0); do n = " + combined(operation, "o", "y") +
         "; while (!__atomic_compare_exchange(x, &o, &n, 1, " + order + ", 0)); return o;";
}

std::string Emitter::atomic_cuda(std::string_view operation, const Type* type, const AtomicCall& how) {
  const Type* bits = program_.types.unsigned_of(type);
  const std::string t = type_text(type), u = type_text(bits), address = "((" + u + "*)x)";
  const auto to_bits = [&](const std::string& value) {
    return bits == type ? value : reinterpret_helper(bits, type) + "(" + value + ")";
  };
  const auto from_bits = [&](const std::string& value) {
    return bits == type ? value : reinterpret_helper(type, bits) + "(" + value + ")";
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
         ", w = " + combined(operation, "v", "y") + "; o = atomicCAS(" + address + ", e, " + to_bits("w") +
         "); } while (o != e); " + after + "return " + from_bits("e") + ";";
}

// Quern's intrinsics for acquire, release and streaming.
std::string Emitter::memory_order(const Expr* e, const std::vector<std::string>& arguments) {
  const std::string_view name = e->builtin->name;
  const Type* type = e->overload;
  const std::string t = type_text(type);
  const bool stores = name.starts_with("quern_store_"), streams = name.ends_with("streaming");
  std::string function = std::string(name) + "_" + name_of(type);
  const std::string store_head = "void " + function + "(" + t + " *p, " + t + " x)";
  const std::string load_head = t + " " + function + "(const " + t + " *p)";
  const std::string arguments_text = arguments[0] + (stores ? ", " + arguments[1] : "");
  if (streams) {
    if (!is_cuda())
      return stores ? "((void)(*" + arguments[0] + " = " + arguments[1] + "))" : "(*" + arguments[0] + ")";
    const std::uint64_t size = size_of(type);
    // In pieces that the instruction knows; their names are CUDA's own.
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
      helper(function, qualifiers() + store_head + " { " + piece + " b[" + pieces +
                           "]; memcpy(b, &x, sizeof x); for (int i = 0; i < " + pieces + "; ++i) __stcs((" +
                           piece + "*)p + i, b[i]); }");
    else
      helper(function, qualifiers() + load_head + " { " + piece + " b[" + pieces + "]; for (int i = 0; i < " +
                           pieces + "; ++i) b[i] = __ldcs((const " + piece + "*)p + i); " + t +
                           " x; memcpy(&x, b, sizeof x); return x; }");
    return function + "(" + arguments_text + ")";
  }
  const std::int64_t scope = *constant_value(e->arguments.back());
  if (!is_cuda()) {
    if (stores)
      helper(function, qualifiers() + store_head + " { __atomic_store(p, &x, __ATOMIC_RELEASE); }");
    else
      helper(function, qualifiers() + load_head + " { " + t +
                           " x; __atomic_load(p, &x, __ATOMIC_ACQUIRE); return x; }");
    return function + "(" + arguments_text + ")";
  }
  const std::string scope_name = scope == 0 ? "cta" : scope == 1 ? "gpu" : "sys";
  const bool wide = size_of(type) == 8;
  const std::string bits = wide ? "unsigned long long" : "unsigned", suffix = wide ? "b64" : "b32",
                    letter = wide ? "l" : "r";
  function += "_" + scope_name;
  if (stores)
    helper(function, qualifiers() + "void " + function + "(" + t + " *p, " + t + " x) { " + bits +
                         " b; memcpy(&b, &x, sizeof x); asm volatile(\"st.release." + scope_name + "." +
                         suffix + " [%0], %1;\" :: \"l\"(p), \"" + letter + "\"(b) : \"memory\"); }");
  else
    helper(function, qualifiers() + t + " " + function + "(const " + t + " *p) { " + bits + " b; " + t +
                         " x; asm volatile(\"ld.acquire." + scope_name + "." + suffix + " %0, [%1];\" : \"=" +
                         letter + "\"(b) : \"l\"(p) : \"memory\"); memcpy(&x, &b, sizeof x); return x; }");
  return function + "(" + arguments_text + ")";
}

// to_global and its relatives, of a pointer whose space the type does not tell.
std::string Emitter::space_test(const Expr* e, const std::string& x) {
  const std::string_view name = e->builtin->name;
  if (name == "get_fence")  // flags that are too many order too much, which is right
    return is_cuda() ? "(__isShared((const void *)" + x + ") ? 1u : 2u)" : "3u";
  const std::string t = type_text(e->type.type);
  if (!is_cuda()) {
    const std::string wanted = name == "to_global" ? "1" : name == "to_local" ? "2" : "0";
    helper("quern_in_space",
           "static inline void *quern_in_space(const quern_launch *c, const void *x, int wanted) { return "
           "c->runtime->space(c, x) == wanted ? (void *)x : 0; }");
    return "((" + t + ")quern_in_space(quern_c, (const void *)" + x + ", " + wanted + "))";
  }
  const std::string test = name == "to_global"  ? "__isGlobal"
                           : name == "to_local" ? "__isShared"
                                                : "__isLocal";
  const std::string function = "quern_" + std::string(name);
  helper(function,
         qualifiers() + "void *" + function + "(const void *x) { return " + test + "(x) ? (void *)x : 0; }");
  return "((" + t + ")" + function + "((const void *)" + x + "))";
}

}  // namespace quern::frontend::lower
