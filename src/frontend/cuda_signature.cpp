// SPDX-License-Identifier: MIT
// Signatures of CUDA C kernels. This is not a C++ parser: it searches for __global__ functions and reads the
// types of their parameters. A type that it does not understand is Scalar::unknown, and the runtime passes
// such an argument unchecked.
#include <unordered_map>

#include "frontend/signature.hpp"
#include "frontend/types.hpp"

namespace quern::frontend {
namespace {

constexpr std::size_t kMaxTypedefs = 100'000;

class Reader {
 public:
  explicit Reader(std::vector<Token> tokens) : tokens_(std::move(tokens)) {
    std::erase_if(tokens_, [](const Token& token) { return token.kind == TokenKind::pragma; });
  }

  std::vector<Signature> run() {
    while (!done()) {
      if (is("template"))
        skip_template();
      else if (is("typedef"))
        read_typedef();
      else if (is("using"))
        read_using();
      else if (is("struct") && tokens_[position_ + 1].kind == TokenKind::identifier &&
               opens(position_ + 2, "{"))
        read_structure();
      else if (is("__global__"))
        read_kernel();
      else
        ++position_;
    }
    return std::move(kernels_);
  }

 private:
  struct Value {
    const Type* type = nullptr;  // null if not understood
    bool is_const = false;
    std::string spelled;
  };

  [[nodiscard]] bool done() const { return position_ + 1 >= tokens_.size(); }
  [[nodiscard]] const Token& here() const { return tokens_[position_]; }
  [[nodiscard]] bool is(std::string_view name) const { return here().is_name(name); }
  [[nodiscard]] bool opens(std::size_t at, std::string_view p) const {
    return at < tokens_.size() && tokens_[at].is(punct(p));
  }

  void skip_balanced(std::uint32_t open, std::uint32_t close) {
    for (int level = 0; !done(); ++position_) {
      if (here().is(open)) ++level;
      if (here().is(close) && --level <= 0) {
        ++position_;
        return;
      }
    }
  }

  // Skips template <...> and the declaration that follows, up to its ';' or the end of its body.
  void skip_template() {
    ++position_;
    int angle = 0;
    for (; !done(); ++position_) {
      if (here().is(punct("<"))) ++angle;
      if (here().is(punct(">"))) --angle;
      if (here().is(punct(">>"))) angle -= 2;
      if (angle <= 0 && (here().is(punct(">")) || here().is(punct(">>")))) break;
      if (here().is(punct("{")) || here().is(punct(";"))) break;
    }
    for (; !done(); ++position_) {
      if (here().is(punct(";"))) break;
      if (here().is(punct("{"))) {
        skip_balanced(punct("{"), punct("}"));
        return;
      }
    }
  }

  const Type* word_type(std::string_view word) {
    if (const auto found = typedefs_.find(word); found != typedefs_.end()) return found->second;
    static const auto* kFixed = new std::unordered_map<std::string_view, std::string_view>{
        {"int8_t", "char"},     {"uint8_t", "uchar"},  {"int16_t", "short"},
        {"uint16_t", "ushort"}, {"int32_t", "int"},    {"uint32_t", "uint"},
        {"int64_t", "long"},    {"uint64_t", "ulong"}, {"__half", "half"}};
    if (const auto fixed = kFixed->find(word); fixed != kFixed->end()) word = fixed->second;
    for (const std::string_view name : {"longlong", "ulonglong"})  // CUDA's vectors of long long
      if (word.starts_with(name))
        return types_.named(std::string(name == "longlong" ? "long" : "ulong") +
                            std::string(word.substr(name.size())));
    if (word.ends_with('1') && word.size() > 1) word.remove_suffix(1);  // float1
    if (word == "bool" || word == "half") return types_.named(word);
    const Type* type = types_.named(word);
    return type && type->kind != TypeKind::void_ ? type : word == "void" ? types_.void_ : nullptr;
  }

  // Reads specifiers and stars up to a name, ',' or ')'.
  Value read_type() {
    Value value;
    bool is_unsigned = false, is_signed = false, failed = false;
    int longs = 0;
    const Type* base = nullptr;
    for (; !done() && here().kind == TokenKind::identifier; ++position_) {
      const std::string_view word = here().text;
      if (word == "const")
        value.is_const = true;
      else if (word == "volatile" || word == "struct" || word == "typename" || word == "__grid_constant__" ||
               word == "enum")
        continue;
      else if (word == "unsigned")
        is_unsigned = true;
      else if (word == "signed")
        is_signed = true;
      else if (word == "long")
        ++longs;
      else if (word == "int" && (base || longs > 0 || is_unsigned || is_signed))
        continue;
      else if (!base && !failed && longs == 0 && !is_unsigned && !is_signed) {
        base = word_type(word);
        failed = base == nullptr;
        value.spelled = word;
        if (opens(position_ + 1, "<") || opens(position_ + 1, "::")) failed = true;
        if (failed) base = nullptr;
      } else if (!base && (word == "char" || word == "short"))
        base = word_type(word);
      else
        break;
    }
    if (longs > 0 && base != types_.double_) base = types_.long_;
    if (!base && !failed && (is_unsigned || is_signed)) base = types_.int_;
    if (base && is_unsigned) base = types_.unsigned_of(base);
    value.type = base;
    if (base) value.spelled = name_of(base);
    return value;
  }

  void read_typedef() {
    ++position_;
    if (is("struct") && (opens(position_ + 1, "{") || opens(position_ + 2, "{"))) {
      const Type* type = read_structure();
      if (here().kind == TokenKind::identifier) define(here().text, type);
      return;
    }
    const Value value = read_type();
    if (value.type && here().kind == TokenKind::identifier && opens(position_ + 1, ";"))
      define(here().text, value.type);
  }

  void read_using() {
    ++position_;
    if (here().kind != TokenKind::identifier || !opens(position_ + 1, "=")) return;
    const std::string_view name = here().text;
    position_ += 2;
    const Value value = read_type();
    if (value.type && here().is(punct(";"))) define(name, value.type);
  }

  void define(std::string_view name, const Type* type) {
    if (type && typedefs_.size() < kMaxTypedefs) typedefs_[name] = type;
  }

  // Reads struct name { members };. Returns null if it does not understand a member.
  const Type* read_structure() {
    ++position_;
    std::string_view name;
    if (here().kind == TokenKind::identifier) name = tokens_[position_++].text;
    const std::size_t open = position_++;
    Record* record = types_.make_record();
    record->name = name;
    bool understood = true;
    while (understood && !done() && !here().is(punct("}"))) {
      const Value value = read_type();
      for (;;) {
        const bool pointer = here().is(punct("*"));
        while (here().is(punct("*"))) ++position_;
        if ((!value.type && !pointer) || here().kind != TokenKind::identifier) understood = false;
        if (!understood) break;
        QualType type{pointer ? types_.pointer({value.type ? value.type : types_.void_}) : value.type};
        const std::string member(tokens_[position_++].text);
        while (opens(position_, "[") && understood) {
          ++position_;
          const std::string digits(here().text);
          understood = here().kind == TokenKind::number && opens(position_ + 1, "]") && digits.size() < 9 &&
                       digits.find_first_not_of("0123456789") == digits.npos && digits != "0";
          if (understood) type = {types_.array(type, std::stoull(digits))};
          position_ += 2;
        }
        // CUDA lays out vectors of three, and vectors above 16 bytes, differently from OpenCL.
        const Type* element = type.type;
        while (element->kind == TypeKind::array) element = element->element.type;
        if (element->is_vector() && (element->count == 3 || size_of(element) > 16)) understood = false;
        if (!understood || size_of(type.type) == 0) {
          understood = false;
          break;
        }
        record->fields.push_back({member, type, here().at, 0});
        if (!here().is(punct(","))) break;
        ++position_;
      }
      if (!here().is(punct(";"))) understood = false;
      ++position_;
    }
    position_ = open;
    skip_balanced(punct("{"), punct("}"));
    if (!understood || record->fields.empty()) return nullptr;
    Types::lay_out(*record);
    const Type* type = types_.record_type(record);
    if (!name.empty()) define(name, type);
    return type;
  }

  void read_kernel() {
    ++position_;
    Token name;
    while (!done() && !here().is(punct(";")) && !here().is(punct("{"))) {
      if (here().is_name("__launch_bounds__") || here().is_name("__attribute__")) {
        ++position_;
        skip_balanced(punct("("), punct(")"));
        continue;
      }
      if (here().is(punct("("))) break;
      if (here().kind == TokenKind::identifier) name = here();
      ++position_;
    }
    if (!here().is(punct("(")) || name.text.empty()) return;
    ++position_;
    Signature signature;
    signature.name = name.text;
    if (is("void") && opens(position_ + 1, ")")) ++position_;
    while (!done() && !here().is(punct(")"))) {
      const std::size_t start = position_;
      signature.parameters.push_back(read_parameter());
      if (here().is(punct(","))) ++position_;
      if (position_ == start) ++position_;
    }
    for (const Signature& known : kernels_)
      if (known.name == signature.name) return;  // a declaration before the definition
    kernels_.push_back(std::move(signature));
  }

  Parameter read_parameter() {
    Parameter p;
    const std::size_t start = position_;
    Value value = read_type();
    int stars = 0;
    for (int level = 0; !done(); ++position_) {  // skips to the end of the parameter
      const Token& token = here();
      if (level == 0 && (token.is(punct(",")) || token.is(punct(")")))) break;
      if (token.is(punct("(")) || token.is(punct("["))) ++level;
      if (token.is(punct("<"))) ++level;
      if (token.is(punct(")")) || token.is(punct("]")) || token.is(punct(">"))) --level;
      if (token.is(punct("[")) && level == 1) ++stars;
      if (token.is(punct("*"))) ++stars;
      if (token.is_name("const") && stars == 0) value.is_const = true;
      if (token.kind == TokenKind::identifier && !token.is_name("const") && !token.is_name("__restrict__") &&
          !token.is_name("__restrict") && !token.is_name("volatile") && level == 0)
        p.name = token.text;
    }
    p.is_pointer = stars > 0;
    if (p.is_pointer) p.space = AddressSpace::global;
    p.is_const = p.is_pointer && value.is_const;
    if (value.type && stars <= 1) p.dtype = dtype_of(value.type);
    if (p.dtype.lanes == 3) p.dtype.itemsize = 3 * DType::of(p.dtype.scalar).itemsize;  // without padding
    if (stars > 1) p.dtype = DType{Scalar::unknown, 1, 8, nullptr};
    p.type_name =
        (p.is_const ? "const " : "") + value.spelled + std::string(static_cast<std::size_t>(stars), '*');
    if (value.spelled.empty() && start < tokens_.size()) p.type_name = tokens_[start].text;
    return p;
  }

  std::vector<Token> tokens_;
  std::size_t position_ = 0;
  Types types_;
  std::unordered_map<std::string_view, const Type*> typedefs_;
  std::vector<Signature> kernels_;
};

}  // namespace

std::vector<Signature> cuda_signatures_of(std::vector<Token> tokens) {
  // Copies of the end token keep every look-ahead inside the vector.
  for (int i = 0; i < 4; ++i) tokens.push_back(tokens.back());
  return Reader(std::move(tokens)).run();
}

}  // namespace quern::frontend
