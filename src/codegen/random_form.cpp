// SPDX-License-Identifier: MIT
// Conversion of words to random numbers, and the function that computes one in an expression.
#include "codegen/random_form.hpp"

#include "codegen/type_text.hpp"

namespace quern::codegen {
namespace {

bool is_normal(RandomForm::Kind kind) {
  return kind == RandomForm::Kind::normal || kind == RandomForm::Kind::lognormal;
}

}  // namespace

unsigned RandomForm::words() const {
  if (kind == Kind::integer) return is_wide ? 2 : 1;
  const unsigned of_one = dtype.itemsize == 8 ? 2 : 1;
  return is_normal(kind) ? 2 * of_one : of_one;
}

unsigned RandomForm::unit() const {
  return is_normal(kind) ? 2 : 1;
}

DType RandomForm::parameter() const {
  if (kind != Kind::integer) return dtype;
  return DType::of(is_wide ? Scalar::uint64 : Scalar::uint32);
}

DType RandomForm::offset() const {
  if (kind != Kind::integer) return dtype;
  return DType::of(dtype.itemsize == 8 ? Scalar::uint64 : Scalar::uint32);
}

std::string RandomForm::value_function() const {
  return std::string("quern_") + name() + "_" + type_name(parameter());
}

std::vector<std::pair<std::string, std::string>> RandomForm::fill_defines() const {
  const std::string type = type_name(dtype), of_block = std::to_string(block_elements());
  std::vector<std::pair<std::string, std::string>> defines = {{"T", type},
                                                              {"T2", type + "2"},
                                                              {"T_VECTOR", type + of_block},
                                                              {"BLOCK_ELEMENTS", of_block},
                                                              {"P", type_name(parameter())},
                                                              {"C", type_name(offset())},
                                                              {"WORDS", std::to_string(words())},
                                                              {"UNIT", std::to_string(unit())}};
  if (is_threefry) defines.emplace_back("THREEFRY", "1");
  if (kind == Kind::integer) {
    defines.emplace_back("INTEGER", "1");
  } else {
    defines.emplace_back("VALUE", value_function());
  }
  return defines;
}

std::vector<DType> RandomForm::arguments() const {
  const DType wide = DType::of(Scalar::uint64);
  return {wide, DType::of(Scalar::uint32), wide, wide, parameter(), parameter(), offset()};
}

std::string RandomForm::function_name() const {
  return std::string("quern_random_") + name() + "_" + dtype.name() + (is_wide ? "_wide" : "") +
         (is_threefry ? "_threefry" : "") + (starts_block ? "_whole" : "");
}

std::string RandomForm::definition() const {
  const std::string elements = std::to_string(block_elements()), type = type_name(dtype);
  std::string text = "inline " + type + " " + function_name() +
                     "(long i, ulong start, uint stream, ulong lower, ulong upper, " +
                     type_name(parameter()) + " a, " + type_name(parameter()) + " b, " + type_name(offset()) +
                     " c) {\n";
  // Neighbours that are computed together share a block if the compiler can see that it is the same.
  text += starts_block ? "const ulong block = start + (ulong)i / " + elements +
                             ";\nconst uint lane = (uint)i % " + elements + ";\n"
                       : "const ulong block = (start + (ulong)i) / " + elements +
                             ";\nconst uint lane = (uint)(start + (ulong)i) % " + elements + ";\n";
  text += "const uint4 key = (uint4)((uint)lower, (uint)(lower >> 32), (uint)upper, (uint)(upper >> 32));\n";
  const std::string threefry = is_threefry ? "true" : "false";
  text += "const uint4 words = quern_block((uint4)((uint)block, (uint)(block >> 32), stream, 0), key, " +
          threefry + ");\n";
  const std::string pair =
      is_normal(kind) ? "lane < 2" : "lane == 0";  // whether a unit of two words is the first of its block
  const std::string unit =
      words() == 1   ? "lane < 2 ? lane == 0 ? words.x : words.y : lane == 2 ? words.z : words.w"
      : words() == 2 ? "(uint2)(" + pair + " ? words.x : words.z, " + pair + " ? words.y : words.w)"
                     : "words";
  text += "const uint" + (words() == 1 ? "" : std::to_string(words())) + " unit = " + unit + ";\n";
  if (kind == Kind::integer) {
    const std::string wide = type_name(parameter());
    text += "const " + wide + " number = quern_refuses_" + wide + "(unit, a, b) ? quern_other_" + wide +
            "(block * 4 + lane * " + std::to_string(words()) + ", stream, key, " + threefry +
            ", a, b) : " + value_function() + "(unit, a);\nreturn (" + type + ")((" + type_name(offset()) +
            ")number + c);\n}\n";
  } else if (is_normal(kind)) {
    text += "const " + type + "2 pair = " + value_function() +
            "(unit, a, b);\nreturn lane % 2 == 0 ? pair.x : pair.y;\n}\n";
  } else {
    text += "return " + value_function() + "(unit, a, b);\n}\n";
  }
  return text;
}

std::uint64_t RandomForm::code() const {
  return static_cast<std::uint64_t>(kind) << 16 | static_cast<std::uint64_t>(dtype.scalar) << 8 |
         (is_threefry ? 4U : 0U) | (is_wide ? 2U : 0U) | (starts_block ? 1U : 0U);
}

const char* RandomForm::name() const {
  constexpr const char* kNames[] = {"uniform", "normal", "lognormal", "exponential", "integer"};
  return kNames[static_cast<std::size_t>(kind)];
}

}  // namespace quern::codegen
