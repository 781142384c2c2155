// SPDX-License-Identifier: MIT
// Macro expansion, and the predefined macros.
#include "frontend/preprocess/preprocessor.hpp"

#include <algorithm>

namespace quern::frontend {
namespace {

// Limit for the tokens that macros produce in one translation.
constexpr std::size_t kMaxProduced = 2'000'000;
constexpr int kMaxNesting = 100;
constexpr std::size_t kMaxContexts = 1000;
constexpr std::size_t kMaxTokenText = 65536;

const std::unordered_map<std::string_view, std::string_view>& opencl_macros() {
  static const auto* table = new std::unordered_map<std::string_view, std::string_view>{
      {"__OPENCL_VERSION__", "120"},
      {"__OPENCL_C_VERSION__", "120"},
      {"CL_VERSION_1_0", "100"},
      {"CL_VERSION_1_1", "110"},
      {"CL_VERSION_1_2", "120"},
      {"__ENDIAN_LITTLE__", "1"},
      {"cl_khr_fp64", "1"},
      {"cl_khr_global_int32_base_atomics", "1"},
      {"cl_khr_global_int32_extended_atomics", "1"},
      {"cl_khr_byte_addressable_store", "1"},
      {"cl_khr_local_int32_base_atomics", "1"},
      {"cl_khr_local_int32_extended_atomics", "1"},
      {"cl_khr_int64_base_atomics", "1"},
      {"cl_khr_int64_extended_atomics", "1"},
      {"cl_ext_float_atomics", "1"},
      {"__opencl_c_ext_fp32_global_atomic_add", "1"},
      {"__opencl_c_ext_fp32_local_atomic_add", "1"},
      {"__opencl_c_ext_fp64_global_atomic_add", "1"},
      {"__opencl_c_ext_fp64_local_atomic_add", "1"},
      {"__opencl_c_generic_address_space", "1"},
      {"__opencl_c_program_scope_global_variables", "1"},
      {"__opencl_c_atomic_order_acq_rel", "1"},
      {"__opencl_c_atomic_order_seq_cst", "1"},
      {"__opencl_c_atomic_scope_device", "1"},
      {"__opencl_c_int64", "1"},
      {"__opencl_c_fp64", "1"},
      {"ATOMIC_FLAG_INIT", "0"},
      {"memory_order_relaxed", "0"},
      {"memory_order_acquire", "2"},
      {"memory_order_release", "3"},
      {"memory_order_acq_rel", "4"},
      {"memory_order_seq_cst", "5"},
      {"memory_scope_work_item", "0"},
      {"memory_scope_work_group", "1"},
      {"memory_scope_device", "2"},
      {"memory_scope_all_svm_devices", "3"},
      {"memory_scope_sub_group", "4"},
      {"cl_khr_subgroups", "1"},
      {"cl_khr_subgroup_shuffle", "1"},
      {"cl_khr_subgroup_shuffle_relative", "1"},
      {"__opencl_c_subgroups", "1"},
      {"__opencl_c_work_group_collective_functions", "1"},
      {"QUERN_HAS_FP64", "1"},
      {"QUERN_HAS_INT64_ATOMICS", "1"},
      {"QUERN_SCOPE_GROUP", "0"},
      {"QUERN_SCOPE_DEVICE", "1"},
      {"QUERN_SCOPE_SYSTEM", "2"},
      {"NULL", "((void*)0)"},
      {"CHAR_BIT", "8"},
      {"CHAR_MAX", "127"},
      {"CHAR_MIN", "(-128)"},
      {"SCHAR_MAX", "127"},
      {"SCHAR_MIN", "(-128)"},
      {"UCHAR_MAX", "255"},
      {"SHRT_MAX", "32767"},
      {"SHRT_MIN", "(-32768)"},
      {"USHRT_MAX", "65535"},
      {"INT_MAX", "2147483647"},
      {"INT_MIN", "(-2147483647 - 1)"},
      {"UINT_MAX", "0xffffffffu"},
      {"LONG_MAX", "0x7fffffffffffffffl"},
      {"LONG_MIN", "(-0x7fffffffffffffffl - 1)"},
      {"ULONG_MAX", "0xfffffffffffffffful"},
      {"FLT_DIG", "6"},
      {"FLT_MANT_DIG", "24"},
      {"FLT_MAX_10_EXP", "38"},
      {"FLT_MAX_EXP", "128"},
      {"FLT_MIN_10_EXP", "(-37)"},
      {"FLT_MIN_EXP", "(-125)"},
      {"FLT_RADIX", "2"},
      {"FLT_MAX", "0x1.fffffep127f"},
      {"FLT_MIN", "0x1.0p-126f"},
      {"FLT_EPSILON", "0x1.0p-23f"},
      {"MAXFLOAT", "0x1.fffffep127f"},
      {"DBL_DIG", "15"},
      {"DBL_MANT_DIG", "53"},
      {"DBL_MAX_10_EXP", "308"},
      {"DBL_MAX_EXP", "1024"},
      {"DBL_MIN_10_EXP", "(-307)"},
      {"DBL_MIN_EXP", "(-1021)"},
      {"DBL_MAX", "0x1.fffffffffffffp1023"},
      {"DBL_RADIX", "2"},
      {"DBL_MIN", "0x1.0p-1022"},
      {"DBL_EPSILON", "0x1.0p-52"},
      {"cl_khr_fp16", "1"},
      {"QUERN_HAS_FP16", "1"},
      {"HALF_DIG", "3"},
      {"HALF_MANT_DIG", "11"},
      {"HALF_MAX_10_EXP", "4"},
      {"HALF_MAX_EXP", "16"},
      {"HALF_MIN_10_EXP", "(-4)"},
      {"HALF_MIN_EXP", "(-13)"},
      {"HALF_RADIX", "2"},
      {"HALF_MAX", "0x1.ffcp15h"},
      {"HALF_MIN", "0x1.0p-14h"},
      {"HALF_EPSILON", "0x1.0p-10h"},
      {"M_E_H", "2.7182818284590452354h"},
      {"M_LOG2E_H", "1.4426950408889634074h"},
      {"M_LOG10E_H", "0.43429448190325182765h"},
      {"M_LN2_H", "0.69314718055994530942h"},
      {"M_LN10_H", "2.30258509299404568402h"},
      {"M_PI_H", "3.14159265358979323846h"},
      {"M_PI_2_H", "1.57079632679489661923h"},
      {"M_PI_4_H", "0.78539816339744830962h"},
      {"M_1_PI_H", "0.31830988618379067154h"},
      {"M_2_PI_H", "0.63661977236758134308h"},
      {"M_2_SQRTPI_H", "1.12837916709551257390h"},
      {"M_SQRT2_H", "1.41421356237309504880h"},
      {"M_SQRT1_2_H", "0.70710678118654752440h"},
      {"HUGE_VALF", "as_float(0x7f800000)"},
      {"HUGE_VAL", "as_double(0x7ff0000000000000l)"},
      {"INFINITY", "as_float(0x7f800000)"},
      {"NAN", "as_float(0x7fc00000)"},
      {"FP_ILOGB0", "INT_MIN"},
      {"FP_ILOGBNAN", "INT_MAX"},
      {"CLK_LOCAL_MEM_FENCE", "1"},
      {"CLK_GLOBAL_MEM_FENCE", "2"},
      {"M_E", "2.7182818284590452354"},
      {"M_LOG2E", "1.4426950408889634074"},
      {"M_LOG10E", "0.43429448190325182765"},
      {"M_LN2", "0.69314718055994530942"},
      {"M_LN10", "2.30258509299404568402"},
      {"M_PI", "3.14159265358979323846"},
      {"M_PI_2", "1.57079632679489661923"},
      {"M_PI_4", "0.78539816339744830962"},
      {"M_1_PI", "0.31830988618379067154"},
      {"M_2_PI", "0.63661977236758134308"},
      {"M_2_SQRTPI", "1.12837916709551257390"},
      {"M_SQRT2", "1.41421356237309504880"},
      {"M_SQRT1_2", "0.70710678118654752440"},
      {"M_E_F", "2.7182818284590452354f"},
      {"M_LOG2E_F", "1.4426950408889634074f"},
      {"M_LOG10E_F", "0.43429448190325182765f"},
      {"M_LN2_F", "0.69314718055994530942f"},
      {"M_LN10_F", "2.30258509299404568402f"},
      {"M_PI_F", "3.14159265358979323846f"},
      {"M_PI_2_F", "1.57079632679489661923f"},
      {"M_PI_4_F", "0.78539816339744830962f"},
      {"M_1_PI_F", "0.31830988618379067154f"},
      {"M_2_PI_F", "0.63661977236758134308f"},
      {"M_2_SQRTPI_F", "1.12837916709551257390f"},
      {"M_SQRT2_F", "1.41421356237309504880f"},
      {"M_SQRT1_2_F", "0.70710678118654752440f"}};
  return *table;
}

struct FunctionLike {
  std::string_view name;
  std::vector<std::string_view> parameters;
  std::string_view body;
};

// The first two are part of OpenCL C. The last one is clang's, and older kernels use it.
const FunctionLike* function_like_macro(std::string_view name) {
  static const auto* rows =
      new std::vector<FunctionLike>{{"kernel_exec", {"size", "type"}, "__kernel"},
                                    {"__kernel_exec", {"size", "type"}, "__kernel"},
                                    {"__builtin_expect", {"value", "likely"}, "(value)"}};
  const auto found = std::ranges::find(*rows, name, &FunctionLike::name);
  return found == rows->end() ? nullptr : &*found;
}

}  // namespace

std::string_view predefined_macro(std::string_view name, Target target) {
  if (name == "QUERN") return "1";
  if (name == "QUERN_OPENCL" && target == Target::opencl) return "1";
  if (name == "QUERN_HOST" && target == Target::host) return "1";
  if (name == "QUERN_CUDA" && (target == Target::cuda || target == Target::cuda_c)) return "1";
  if (target == Target::cuda_c) return name == "__CUDACC__" || name == "__CUDACC_RTC__" ? "1" : "";
  if (name == "QUERN_SUB_GROUP_SIZE") return target == Target::cuda ? "32" : "1";
  const auto found = opencl_macros().find(name);
  return found == opencl_macros().end() ? std::string_view() : found->second;
}

static bool differs_between_targets(std::string_view name) {
  if (!name.starts_with("QUERN_")) return false;
  const std::string_view on_opencl = predefined_macro(name, Target::opencl);
  return predefined_macro(name, Target::host) != on_opencl ||
         predefined_macro(name, Target::cuda) != on_opencl;
}

const Preprocessor::MacroPtr& Preprocessor::find_macro(std::string_view name) {
  const auto [found, is_new] = macros_.try_emplace(name);
  MacroPtr& macro = found->second;
  if (!is_new) return macro;
  depends_on_target_ |= differs_between_targets(name);
  if (name == "__LINE__" || name == "__FILE__" || name == "__COUNTER__")
    return macro = std::make_shared<Macro>();
  const FunctionLike* row = target_ == Target::cuda_c ? nullptr : function_like_macro(name);
  const std::string_view text = row ? row->body : predefined_macro(name, target_);
  if (text.empty()) return macro;
  macro = std::make_shared<Macro>();
  macro->function_like = row != nullptr;
  if (row) macro->parameters = row->parameters;
  Lexer lexer(files_, files_.add("<predefined>", std::string(text)));
  for (Token token = lexer.next(); token.kind != TokenKind::end; token = lexer.next())
    macro->body.push_back(token);
  return macro;
}

void Preprocessor::count(std::size_t tokens, Location at) {
  produced_ += tokens + 1;
  if (produced_ > kMaxProduced || contexts_.size() > kMaxContexts)
    files_.fail(at, "macro expansion is too large");
}

// Returns whether '(' is the next token. Keeps expansions that are read to their end, so that their macros
// stay disabled.
bool Preprocessor::opens_arguments() {
  for (std::size_t i = contexts_.size(); i-- > 0;) {
    const Context& context = contexts_[i];
    if (context.position < context.tokens.size()) return context.tokens[context.position].is(punct("("));
  }
  return !isolated_ && peek_file_token().is(punct("("));
}

bool Preprocessor::expand(const Token& token) {
  if (token.no_expand) return false;
  const MacroPtr& found = find_macro(token.text);
  if (!found) return false;
  const MacroPtr macro = found;  // keeps it alive if its own arguments undefine it
  if (macro->disabled) {
    Token kept = token;
    kept.no_expand = true;
    count(1, token.at);
    contexts_.push_back({{kept}, 0, nullptr});
    return true;
  }
  std::vector<Token> result;
  if (macro->function_like) {
    if (!opens_arguments()) return false;
    std::vector<std::vector<Token>> values = arguments(*macro, token);
    result = substitute(*macro, std::move(values), token.at);
  } else if (token.text == "__FILE__") {
    Token value = token;
    value.kind = TokenKind::string;
    std::string text = "\"";
    for (const char c : files_.name(token.at.file))
      text += (c == '"' || c == '\\' ? "\\" : "") + std::string(1, c);
    value.text = files_.keep(text + "\"");
    result.push_back(value);
  } else if (token.text == "__LINE__" || token.text == "__COUNTER__") {
    Token value = token;
    value.kind = TokenKind::number;
    value.text = files_.keep(std::to_string(token.text == "__LINE__" ? token.at.line : counter_++));
    result.push_back(value);
  } else {
    result = substitute(*macro, {}, token.at);
  }
  if (!result.empty()) {
    result.front().after_space = token.after_space;
    result.front().starts_line = token.starts_line;
  }
  count(result.size(), token.at);
  macro->disabled = true;
  contexts_.push_back({std::move(result), 0, macro});
  return true;
}

std::vector<std::vector<Token>> Preprocessor::arguments(const Macro& macro, const Token& name) {
  Token token;
  next(token);  // skips the '('
  std::vector<std::vector<Token>> values(1);
  std::size_t depth = 0, length = 0;
  for (;;) {
    next(token);
    if (token.kind == TokenKind::end)
      files_.fail(name.at, "the argument list of macro '" + std::string(name.text) + "' has no ')'");
    if (++length > kMaxProduced) files_.fail(name.at, "macro expansion is too large");
    if (token.is(punct("("))) ++depth;
    if (token.is(punct(")")) && depth-- == 0) break;
    const bool collects_rest = macro.variadic && values.size() == macro.parameters.size();
    if (depth == 0 && token.is(punct(",")) && !collects_rest)
      values.emplace_back();
    else
      values.back().push_back(token);
  }
  const std::size_t wanted = macro.parameters.size();
  if (wanted == 0 && values.size() == 1 && values[0].empty()) values.clear();
  if (macro.variadic && values.size() + 1 == wanted) values.emplace_back();
  if (values.size() != wanted)
    files_.fail(name.at, "macro '" + std::string(name.text) + "' takes " + std::to_string(wanted) +
                             " arguments but was given " + std::to_string(values.size()));
  return values;
}

std::vector<Token> Preprocessor::substitute(const Macro& macro, std::vector<std::vector<Token>> values,
                                            Location at) {
  std::vector<Token> result;
  std::vector<std::vector<Token>> expanded(values.size());
  std::vector<bool> is_expanded(values.size(), false);
  const auto parameter = [&](const Token& token) -> std::ptrdiff_t {
    if (token.kind != TokenKind::identifier) return -1;
    for (std::size_t i = 0; i < macro.parameters.size(); ++i)
      if (macro.parameters[i] == token.text) return static_cast<std::ptrdiff_t>(i);
    return -1;
  };
  const auto append = [&](const std::vector<Token>& tokens, const Token& in_place_of) {
    count(tokens.size(), at);
    for (std::size_t k = 0; k < tokens.size(); ++k) {
      result.push_back(tokens[k]);
      if (k == 0) result.back().after_space = in_place_of.after_space;
    }
  };
  bool empty_left = false;  // the left operand of the next ## was an empty argument
  for (std::size_t i = 0; i < macro.body.size(); ++i) {
    Token token = macro.body[i];
    token.at = at;  // messages show the line that uses the macro
    const std::ptrdiff_t index = parameter(token);
    const bool pastes_next = i + 1 < macro.body.size() && macro.body[i + 1].is(punct("##"));
    if (macro.function_like && token.is(punct("#")) && i + 1 < macro.body.size()) {
      const std::ptrdiff_t named = parameter(macro.body[i + 1]);
      result.push_back(stringise(values[static_cast<std::size_t>(named)], token));
      ++i;
      continue;
    }
    if (token.is(punct("##"))) {
      Token right = macro.body[++i];
      right.at = at;
      const std::ptrdiff_t named = parameter(right);
      std::vector<Token> operands = {right};
      if (named >= 0) operands = values[static_cast<std::size_t>(named)];
      const bool comma = !result.empty() && result.back().is(punct(",")) && macro.variadic && named >= 0 &&
                         static_cast<std::size_t>(named) + 1 == macro.parameters.size();
      if (comma) {  // ", ## __VA_ARGS__": without arguments the comma is removed
        if (operands.empty())
          result.pop_back();
        else
          append(operands, right);
      } else if (empty_left || result.empty()) {
        append(operands, right);
      } else if (!operands.empty()) {
        const Token pasted = paste(result.back(), operands.front());
        result.pop_back();
        result.push_back(pasted);
        operands.erase(operands.begin());
        append(operands, right);
      }
      empty_left = empty_left && operands.empty();
      continue;
    }
    empty_left = false;
    if (index < 0) {
      result.push_back(token);
      continue;
    }
    const auto n = static_cast<std::size_t>(index);
    if (pastes_next) {
      append(values[n], token);
      empty_left = values[n].empty();
    } else {
      if (!is_expanded[n]) {
        expanded[n] = expand_all(values[n]);
        is_expanded[n] = true;
      }
      append(expanded[n], token);
    }
  }
  return result;
}

Token Preprocessor::paste(const Token& a, const Token& b) {
  if (a.text.size() + b.text.size() > kMaxTokenText) files_.fail(a.at, "macro expansion is too large");
  const std::string text = std::string(a.text) + std::string(b.text);
  Lexer lexer(files_, files_.add(files_.name(a.at.file), text));
  Token pasted = lexer.next();
  if (lexer.next().kind != TokenKind::end)
    files_.fail(a.at, "pasting '" + std::string(a.text) + "' and '" + std::string(b.text) +
                          "' does not give a valid token");
  pasted.at = a.at;
  pasted.after_space = a.after_space;
  pasted.starts_line = false;
  count(text.size() / 16, a.at);
  return pasted;
}

Token Preprocessor::stringise(const std::vector<Token>& tokens, const Token& hash) {
  std::string text = "\"";
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (i > 0 && (tokens[i].after_space || tokens[i].starts_line)) text += ' ';
    const bool literal = tokens[i].kind == TokenKind::string || tokens[i].kind == TokenKind::character;
    for (const char c : tokens[i].text) {
      if (literal && (c == '"' || c == '\\')) text += '\\';
      text += c;
    }
    if (text.size() > kMaxTokenText) files_.fail(hash.at, "macro expansion is too large");
  }
  Token result = hash;
  result.kind = TokenKind::string;
  count(text.size() / 16, hash.at);
  result.text = files_.keep(text + "\"");
  return result;
}

std::vector<Token> Preprocessor::expanded_rest(std::size_t expected) {
  std::vector<Token> output;
  output.reserve(expected);
  for (;;) {
    Token& token = output.emplace_back();
    next(token);
    if (token.kind == TokenKind::end) return output;
    if (token.kind == TokenKind::identifier && !(in_condition_ && is_asked_about(output)) && expand(token))
      output.pop_back();
  }
}

// Expands a list of tokens on its own: an argument, or the line of an #if.
std::vector<Token> Preprocessor::expand_all(std::vector<Token> tokens) {
  const Location at = tokens.empty() ? Location{} : tokens.front().at;
  if (++nesting_ > kMaxNesting) files_.fail(at, "macros nested too deeply");
  std::vector<Context> saved;
  saved.swap(contexts_);
  const bool was_isolated = isolated_;
  isolated_ = true;
  const std::size_t expected = tokens.size() + 1;
  contexts_.push_back({std::move(tokens), 0, nullptr});
  std::vector<Token> output = expanded_rest(expected);
  output.pop_back();
  isolated_ = was_isolated;
  contexts_.swap(saved);
  --nesting_;
  return output;
}

}  // namespace quern::frontend
