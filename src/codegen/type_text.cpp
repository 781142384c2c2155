// SPDX-License-Identifier: MIT
// The spelling of element types in OpenCL C.
#include "codegen/type_text.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "base/arithmetic.hpp"
#include "base/dtype_kinds.hpp"
#include "frontend/frontend.hpp"
#include "frontend/preprocess/lexer.hpp"
#include "quern/error.hpp"
#include "quern/template.hpp"

namespace quern::codegen {
namespace {

std::string_view scalar_name(Scalar scalar) {
  switch (scalar) {
    case Scalar::boolean:
    case Scalar::uint8:
      return "uchar";
    case Scalar::int8:
      return "char";
    case Scalar::int16:
      return "short";
    case Scalar::uint16:
      return "ushort";
    case Scalar::int32:
      return "int";
    case Scalar::uint32:
      return "uint";
    case Scalar::int64:
      return "long";
    case Scalar::uint64:
      return "ulong";
    case Scalar::float16:
      return "half";
    case Scalar::float32:
      return "float";
    case Scalar::float64:
      return "double";
    case Scalar::complex64:
      return "float2";
    case Scalar::complex128:
      return "double2";
    case Scalar::bfloat16:
    case Scalar::structure:
    case Scalar::unknown:
      break;
  }
  return {};
}

bool is_packed(const StructLayout& layout);

}  // namespace

std::size_t c_alignment(const DType& dtype) {
  if (dtype.scalar != Scalar::structure) return std::max<std::size_t>(dtype.itemsize, 1);
  if (!dtype.layout || is_packed(*dtype.layout)) return 1;
  std::size_t result = 1;
  for (const StructField& field : dtype.layout->fields) result = std::max(result, c_alignment(field.dtype));
  return result;
}

namespace {

// Whether members lie at other offsets than C would give them.
bool is_packed(const StructLayout& layout) {
  std::size_t alignment = 1;
  for (const StructField& field : layout.fields) {
    alignment = std::max(alignment, c_alignment(field.dtype));
    if (field.offset % c_alignment(field.dtype) != 0) return true;
  }
  return layout.size % alignment != 0;
}

void define(const StructLayout& layout, const std::string& name, bool in_snippet, std::string& text) {
  std::vector<StructField> fields = layout.fields;
  std::stable_sort(fields.begin(), fields.end(),
                   [](const auto& a, const auto& b) { return a.offset < b.offset; });
  const bool packed = is_packed(layout);
  std::size_t alignment = 1;
  for (const StructField& field : fields) alignment = std::max(alignment, c_alignment(field.dtype));

  std::string members;
  std::size_t end = 0;
  int paddings = 0;
  const auto pad = [&](std::size_t to) {
    members += "  uchar padding" + std::to_string(paddings++) + "[" + std::to_string(to - end) + "];\n";
  };
  for (const StructField& field : fields) {
    if (field.offset < end)
      throw ArgumentError(
          ArgumentError::Kind::value,
          "struct " + name + ": " + field.name + " overlaps the member before it, which C cannot say");
    if (field.offset > (packed ? end : rounded_up(end, c_alignment(field.dtype)))) pad(field.offset);
    std::string type;
    if (field.dtype.scalar == Scalar::structure) {
      define(*field.dtype.layout, name + "_" + field.name, in_snippet, text);
      type = "struct " + name + "_" + field.name;
    } else {
      type = in_snippet ? snippet_type(field.dtype) : type_name(field.dtype);
    }
    members += "  " + type + " " + field.name;
    if (field.shape.empty() && field.count != 1) members += "[" + std::to_string(field.count) + "]";
    for (const std::size_t length : field.shape) members += "[" + std::to_string(length) + "]";
    members += ";\n";
    end = field.offset + field.dtype.itemsize * field.count;
  }
  if (layout.size > (packed ? end : rounded_up(end, alignment))) pad(layout.size);
  text += std::string("struct") + (packed ? " __attribute__((packed))" : "") + " " + name + " {\n" + members +
          "};\n";
}

}  // namespace

std::string type_name(const DType& dtype, std::string_view struct_name) {
  if (dtype.scalar == Scalar::structure) {
    const std::string name(struct_name.empty() ? std::string_view(dtype.layout->name) : struct_name);
    if (name.empty())
      throw ArgumentError(ArgumentError::Kind::value, "an unnamed structure has no name in C");
    return "struct " + name;
  }
  const std::string_view scalar = scalar_name(dtype.scalar);
  if (scalar.empty())
    throw ArgumentError(
        ArgumentError::Kind::type,
        "elements of type " + dtype.name() + " have no name in OpenCL C" +
            (dtype.scalar == Scalar::bfloat16
                 ? "; convert them with astype('float32'), or pass their bits: view('uint16') is ushort"
                 : ""));
  return std::string(scalar) +
         (dtype.lanes > 1 && !detail::is_complex(dtype) ? std::to_string(dtype.lanes) : "");
}

std::string snippet_type(const DType& dtype) {
  if (dtype.scalar == Scalar::complex64) return "complex64";
  if (dtype.scalar == Scalar::complex128) return "complex128";
  return type_name(dtype);
}

namespace {

bool names_complex_types(const std::string& text) {
  constexpr std::array<std::string_view, 4> kNames = {"complex64", "complex128", "cfloat_t", "cdouble_t"};
  const auto mentions = [&](std::string_view part) { return text.find(part) != text.npos; };
  if (!mentions("complex") && !mentions("cfloat_t") && !mentions("cdouble_t")) return false;
  frontend::Files files;
  frontend::Lexer lexer(files, files.add("generated", text));
  bool was_complex = false;  // the token before was `complex`, as in complex<float>
  for (frontend::Token token = lexer.next(); token.kind != frontend::TokenKind::end; token = lexer.next()) {
    if (was_complex && token.text == "<") return true;
    was_complex = token.is_name("complex");
    if (token.kind == frontend::TokenKind::identifier &&
        std::find(kNames.begin(), kNames.end(), token.text) != kNames.end())
      return true;
  }
  return false;
}

// Adds the names that `typedef` declares to `types`.
bool has_generic_forms(std::string_view text, std::vector<std::string>& types) {
  constexpr std::array<std::string_view, 6> kFunctions = {"abs", "conj", "real", "imag", "norm", "arg"};
  frontend::Files files;
  frontend::Lexer lexer(files, files.add("snippet", std::string(text)));
  bool defines_type = false;
  frontend::Token last;
  for (frontend::Token token = lexer.next(); token.kind != frontend::TokenKind::end; token = lexer.next()) {
    const bool after_name = last.kind == frontend::TokenKind::identifier;
    if (after_name && token.text == "(" &&
        (std::ranges::find(kFunctions, last.text) != kFunctions.end() ||
         std::ranges::find(types, last.text) != types.end()))
      return true;
    if (last.is_name("static_cast") && token.text == "<") return true;
    if (token.is_name("typedef")) defines_type = true;
    if (token.text == ";" && std::exchange(defines_type, false) && after_name) types.emplace_back(last.text);
    last = token;
  }
  return false;
}

std::string with_pragma(std::string text) {
  if (!frontend::has_complex(text)) (text += "\n") += std::string(frontend::kComplexPragma) + "\n";
  return text;  // appended after the text, so that no line moves
}

}  // namespace

std::string with_complex_types(std::string text, std::span<const std::string> options) {
  const bool asks = names_complex_types(text) || std::ranges::any_of(options, names_complex_types);
  return asks ? with_pragma(std::move(text)) : text;
}

std::string with_generic_forms(std::string preamble, std::initializer_list<std::string_view> snippets) {
  std::vector<std::string> types = {"bool", "char",  "uchar", "short", "ushort", "int",     "uint",
                                    "long", "ulong", "half",  "float", "double", "unsigned"};
  const auto uses = [&](std::string_view text) { return has_generic_forms(text, types); };
  return uses(preamble) || std::ranges::any_of(snippets, uses) ? with_pragma(std::move(preamble)) : preamble;
}

std::string limit_text(const DType& dtype, bool is_greatest) {
  switch (dtype.scalar) {
    case Scalar::boolean:
      return is_greatest ? "1" : "0";
    case Scalar::int8:
      return is_greatest ? "CHAR_MAX" : "CHAR_MIN";
    case Scalar::int16:
      return is_greatest ? "SHRT_MAX" : "SHRT_MIN";
    case Scalar::int32:
      return is_greatest ? "INT_MAX" : "INT_MIN";
    case Scalar::int64:
      return is_greatest ? "LONG_MAX" : "LONG_MIN";
    case Scalar::uint8:
      return is_greatest ? "UCHAR_MAX" : "0";
    case Scalar::uint16:
      return is_greatest ? "USHRT_MAX" : "0";
    case Scalar::uint32:
      return is_greatest ? "UINT_MAX" : "0";
    case Scalar::uint64:
      return is_greatest ? "ULONG_MAX" : "0";
    case Scalar::complex64:
    case Scalar::complex128:
      return "(" + type_name(dtype) + ")(" + (is_greatest ? "INFINITY, INFINITY)" : "-INFINITY, -INFINITY)");
    default:
      return is_greatest ? "INFINITY" : "-INFINITY";
  }
}

std::string struct_definition(const DType& dtype, std::string_view name, bool in_snippet) {
  if (dtype.scalar != Scalar::structure || dtype.layout == nullptr)
    throw ArgumentError(ArgumentError::Kind::type, "dtype " + dtype.name() + " is not structured");
  std::string text;
  define(*dtype.layout, std::string(name), in_snippet, text);
  return text;
}

std::string item_type(const DType& dtype, std::string& preamble) {
  if (dtype.scalar != Scalar::structure) return snippet_type(dtype);
  preamble = struct_definition(dtype, "item_t", true) + "typedef struct item_t item_t;\n" + preamble;
  return "item_t";
}

RawElementType raw_element_type(const DType& dtype, std::string_view name) {
  const std::size_t size = dtype.itemsize;
  if (size == 0)
    throw ArgumentError(ArgumentError::Kind::type, "elements of type " + dtype.name() + " have no size");
  if (dtype.scalar != Scalar::structure) {
    switch (size) {
      case 1:
        return {"uchar", {}};
      case 2:
        return {"ushort", {}};
      case 4:
        return {"uint", {}};
      case 8:
        return {"ulong", {}};
      case 16:
        return {"uint4", {}};
      case 32:
        return {"ulong4", {}};
      default:
        break;
    }
  }
  // The alignment of a structure is the greatest of its members, and its size is a multiple of that.
  const std::size_t alignment = std::min<std::size_t>(dtype.alignment(), 8);
  const std::size_t word = size % alignment == 0 ? alignment : 1;
  const char* const type = word == 8 ? "ulong" : word == 4 ? "uint" : word == 2 ? "ushort" : "uchar";
  return {std::string(name), std::string("typedef struct { ") + type + " words[" +
                                 std::to_string(size / word) + "]; } " + std::string(name) + ";\n"};
}

}  // namespace quern::codegen

namespace quern {

std::string c_type_name(const DType& dtype) {
  return codegen::type_name(dtype);
}

std::string struct_definition(const DType& dtype, std::string_view name) {
  return codegen::struct_definition(dtype, name);
}

}  // namespace quern
