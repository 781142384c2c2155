// SPDX-License-Identifier: MIT
// Declarations: specifiers, declarators, types and variables.
#include <algorithm>
#include <unordered_set>

#include "frontend/parse/parser.hpp"

namespace quern::frontend {
namespace {

constexpr std::size_t kBodyScopes = 3;  // program scope, the function's parameters, the function's body

bool any_of(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), text) != words.end();
}

// `global` and `__global` are the same keyword.
std::string_view bare(std::string_view word) {
  return word.starts_with("__") ? word.substr(2) : word;
}

Space* space_of(std::string_view word, Space& storage) {
  if (word == "global" || word == "__global")
    storage = Space::global;
  else if (word == "local" || word == "__local")
    storage = Space::local;
  else if (word == "constant" || word == "__constant")
    storage = Space::constant;
  else if (any_of(word, {"private", "__private", "generic", "__generic"}))
    storage = Space::unspecified;
  else
    return nullptr;
  return &storage;
}

bool is_typeof(std::string_view word) {
  return word == "__typeof__" || word == "__typeof";
}

bool is_opaque_name(std::string_view word) {
  return (word.starts_with("image") && word.ends_with("_t")) ||
         any_of(word,
                {"sampler_t", "event_t", "queue_t", "ndrange_t", "clk_event_t", "reserve_id_t", "pipe"});
}

using Words = std::unordered_set<std::string_view>;

bool is_qualifier(std::string_view word) {
  static const auto* words =
      new Words{"global",   "__global",  "local",      "__local",      "constant",    "__constant",
                "private",  "__private", "generic",    "__generic",    "const",       "volatile",
                "restrict", "__const",   "__restrict", "__restrict__", "__volatile__"};
  return words->contains(word);
}

bool is_storage_word(std::string_view word) {
  static const auto* words =
      new Words{"typedef",    "static",       "extern",     "inline",        "__inline",     "__inline__",
                "kernel",     "__kernel",     "register",   "__attribute__", "read_only",    "__read_only",
                "write_only", "__write_only", "read_write", "__read_write",  "__extension__"};
  return words->contains(word);
}

void apply_qualifier(std::string_view word, QualType& type) {
  word = bare(word);
  if (word == "const") type.is_const = true;
  if (word.starts_with("volatile")) type.is_volatile = true;
  if (word.starts_with("restrict")) type.is_restrict = true;
  Space space{};
  if (space_of(word, space)) type.space = space;
}

}  // namespace

bool Parser::starts_type(std::size_t ahead) {
  const Token& token = peek(ahead);
  if (token.kind != TokenKind::identifier) return false;
  if (const Symbol* symbol = find(token.text)) return symbol->kind == Symbol::Kind::type;
  return is_qualifier(token.text) || is_storage_word(token.text) || is_opaque_name(token.text) ||
         any_of(token.text, {"struct", "union", "enum", "unsigned", "signed", "__signed__"}) ||
         is_typeof(token.text) || program_.types.named(token.text);
}

void Parser::attributes(Specifiers& into) {
  while (accept_name("__attribute__")) {
    expect("(", "__attribute__");
    expect("(", "__attribute__(");
    while (!peek().is(punct(")"))) {
      const Token& name = expect_name("an attribute");
      const std::string_view word = name.text;
      if (accept("(")) {
        if (any_of(word, {"reqd_work_group_size", "__reqd_work_group_size__"})) {
          for (std::size_t d = 0; d < 3; ++d) {
            if (d > 0) expect(",", "a size");
            const std::int64_t size = constant_expression("a work-group size");
            if (size < 1) checker_.fail(name.at, "a work-group size must be positive");
            into.required_local[d] = static_cast<std::uint64_t>(size);
          }
          expect(")", "reqd_work_group_size");
        } else if (any_of(word, {"aligned", "__aligned__"})) {
          const std::int64_t alignment = constant_expression("an alignment");
          if (alignment < 1 || alignment > 4096 || (alignment & (alignment - 1)) != 0)
            checker_.fail(name.at, "an alignment must be a power of two up to 4096");
          into.alignment = static_cast<std::uint64_t>(alignment);
          expect(")", "aligned");
        } else if (word == "opencl_unroll_hint") {
          into.unroll = 0;
          if (!peek().is(punct(")")))
            into.unroll = static_cast<int>(std::clamp<std::int64_t>(constant_expression("a count"), 0, 1000));
          expect(")", "opencl_unroll_hint");
        } else {
          skip_balanced("(", ")");
        }
      } else if (any_of(word, {"packed", "__packed__"})) {
        into.packed = true;
      } else if (any_of(word, {"overloadable", "__overloadable__"})) {
        into.is_overloadable = true;
      } else if (any_of(word, {"aligned", "__aligned__"})) {
        into.alignment = 16;  // without a number: the largest alignment of any type, as in gcc and clang
      } else if (word == "opencl_unroll_hint") {
        into.unroll = 0;
      }
      if (!accept(",")) break;
    }
    expect(")", "an attribute");
    expect(")", "an attribute");
  }
}

Parser::Specifiers Parser::specifiers(bool tolerant) {
  Specifiers specs;
  const Location start = peek().at;
  QualType qualifiers;
  bool is_unsigned = false, is_signed = false;
  int longs = 0;
  const Type* base = nullptr;
  for (;;) {
    const Token& token = peek();
    if (token.kind != TokenKind::identifier) break;
    const std::string_view word = token.text;
    const bool has_type = base || is_unsigned || is_signed || longs > 0;
    if (word == "__attribute__") {
      attributes(specs);
      continue;
    }
    if (is_qualifier(word)) {
      apply_qualifier(word, qualifiers);
    } else if (is_storage_word(word)) {
      specs.is_kernel |= bare(word) == "kernel";
      specs.is_typedef |= word == "typedef";
      specs.is_static |= word == "static";
    } else if (word == "unsigned") {
      is_unsigned = true;
    } else if (word == "signed" || word == "__signed__") {
      is_signed = true;
    } else if (!base && (word == "struct" || word == "union")) {
      const QualType made = structure();
      base = made.type;
      continue;
    } else if (!base && word == "enum") {
      base = enumeration().type;
      continue;
    } else if (!has_type && is_typeof(word)) {
      base = type_of_expression().type;
      continue;
    } else if (word == "long" && (!base || base->kind == TypeKind::int_) && longs < 2) {
      ++longs;
    } else if (const Symbol* symbol = find(word)) {
      if (symbol->kind != Symbol::Kind::type || has_type) break;
      base = symbol->type.type;
      specs.type_alignment = symbol->alignment;
      qualifiers.is_const |= symbol->type.is_const;
      qualifiers.is_volatile |= symbol->type.is_volatile;
      if (qualifiers.space == Space::unspecified) qualifiers.space = symbol->type.space;
    } else if (const Type* named = program_.types.named(word)) {
      const bool combines =
          named->kind == TypeKind::int_ && (longs > 0 || (base && base->kind == TypeKind::short_));
      if (base && !combines && !(named->kind == TypeKind::short_ && base->kind == TypeKind::int_)) break;
      if (!base || named->kind == TypeKind::short_) base = named;
      if (named->is_complex()) program_.complex_names.emplace_back(position_, named);
    } else if (is_opaque_name(word) && !has_type) {
      base = program_.types.opaque(std::string(word));
      if (word == "pipe" && starts_type(1)) {  // a pipe of elements of that type
        if (!tolerant) checker_.unsupported(token.at, "a pipe");
        is_certain_ = false;
        take();
        enter(peek().at);
        specifiers(tolerant);
        leave();
        continue;
      }
    } else if (tolerant && !has_type && peek(1).kind != TokenKind::end && !peek(1).is(punct(",")) &&
               !peek(1).is(punct(")"))) {
      base = program_.types.opaque(std::string(word));
      is_certain_ = false;
    } else {
      break;
    }
    take();
  }
  Types& types = program_.types;
  if (longs > 0) base = types.long_;
  if (!base && (is_unsigned || is_signed)) base = types.int_;
  if (base && (is_unsigned || is_signed) && !base->is_integer())
    checker_.fail(start, "'" + name_of(base) + "' cannot be signed or unsigned");
  if (is_unsigned) base = types.unsigned_of(base);
  if (!base) {
    if (peek().kind == TokenKind::identifier)
      checker_.fail(peek().at, "unknown type name '" + std::string(peek().text) + "'");
    checker_.fail(specs.is_kernel ? peek().at : start, "expected a type");
  }
  specs.type = qualifiers;
  specs.type.type = base;
  return specs;
}

// Parses __typeof__(expression or type).
QualType Parser::type_of_expression() {
  const Token& word = take();
  expect("(", word.text);
  enter(word.at);
  const QualType type = starts_type() ? type_name() : expression()->type;
  leave();
  expect(")", word.text);
  return type;
}

QualType Parser::array_suffix(QualType element) {
  std::vector<std::pair<std::uint64_t, Location>> sizes;
  while (peek().is(punct("["))) {
    enter(peek().at);
    const Token& open = take();
    while (is_qualifier(peek().text) || peek().is_name("static")) take();
    std::uint64_t count = 0;
    if (!peek().is(punct("]"))) {
      const std::int64_t value = constant_expression("the size of an array");
      if (value < 1) checker_.fail(open.at, "the size of an array must be positive");
      count = static_cast<std::uint64_t>(value);
    } else if (!sizes.empty()) {
      checker_.fail(open.at, "only the first size of an array may be omitted");
    }
    expect("]", "the size of an array");
    sizes.emplace_back(count, open.at);
  }
  depth_ -= static_cast<int>(sizes.size());
  for (auto size = sizes.rbegin(); size != sizes.rend(); ++size) {
    const std::uint64_t bytes = size_of(element.type);
    if (bytes == 0)
      checker_.fail(size->second, "an array cannot have elements of type '" + name_of(element) + "'");
    if (size->first > kMaxBytes / bytes) checker_.fail(size->second, "the array is too large");
    if (element->depth > kMaxTypeDepth) checker_.fail(size->second, "the type is nested too deeply");
    QualType array{program_.types.array(element, size->first)};
    array.is_const = element.is_const;
    array.space = element.space;
    element = array;
  }
  return element;
}

Parser::Declarator Parser::declarator(QualType base, bool needs_name, Specifiers* attributes_into) {
  enter(peek().at);
  while (accept("*")) {
    if (base->depth > kMaxTypeDepth) checker_.fail(peek().at, "the type is nested too deeply");
    QualType pointer{program_.types.pointer(base)};
    while (peek().kind == TokenKind::identifier && is_qualifier(peek().text))
      apply_qualifier(take().text, pointer);
    base = pointer;
  }
  Specifiers unused;
  Specifiers& honoured = attributes_into ? *attributes_into : unused;
  attributes(honoured);
  Declarator result;
  if (peek().is(punct("(")) && peek(1).is(punct("^"))) checker_.unsupported(peek().at, "a block");
  const bool names_inside = peek(1).kind == TokenKind::identifier && !starts_type(1);
  if (peek().is(punct("(")) && (peek(1).is(punct("*")) || peek(1).is(punct("(")) || names_inside)) {
    // A declarator in parentheses, as in float (*p)[4]: what follows the parentheses applies first.
    const Token& open = take();
    const std::size_t inside = position_;
    skip_balanced("(", ")");
    if (peek().is(punct("("))) checker_.unsupported(open.at, "a pointer to a function");
    const QualType outer = array_suffix(base);
    const std::size_t after = position_;
    position_ = inside;
    result = declarator(outer, needs_name, attributes_into);
    expect(")", "a declarator");
    position_ = after;
    leave();
    return result;
  }
  result.name.at = peek().at;
  if (peek().kind == TokenKind::identifier && !is_storage_word(peek().text)) result.name = take();
  if (needs_name && result.name.text.empty()) expect_name("a name");
  attributes(honoured);
  result.is_function = peek().is(punct("(")) && !result.name.text.empty();
  result.type = result.is_function ? base : array_suffix(base);
  attributes(honoured);
  leave();
  return result;
}

QualType Parser::type_name() {
  const Specifiers specs = specifiers();
  const Declarator d = declarator(specs.type, false);
  if (!d.name.text.empty())
    checker_.fail(d.name.at, "unexpected '" + std::string(d.name.text) + "' after a type");
  return d.type;
}

Variable* Parser::new_variable(const Token& name, QualType type) {
  Variable& v = program_.variables.emplace_back();
  v.name = name.text;
  v.type = type;
  v.at = name.at;
  return &v;
}

// Returns the alignment that __attribute__((aligned(n))) of the declaration or of its typedef requires. It
// does not apply to the target of a pointer.
std::uint64_t Parser::least_alignment(const Specifiers& specs, const Specifiers& own, const QualType& type) {
  const Type* declared = type.type;
  while (declared != specs.type.type && declared->kind == TypeKind::array) declared = declared->element.type;
  return std::max({specs.alignment, own.alignment,
                   declared == specs.type.type ? specs.type_alignment : std::uint64_t{1}});
}

void Parser::type_definition(const Specifiers& specs, const Declarator& d, const Specifiers& own,
                             bool tolerant) {
  Symbol symbol;
  symbol.kind = Symbol::Kind::type;
  symbol.type = d.type;
  symbol.alignment = least_alignment(specs, own, d.type);
  // A lower alignment is not supported, because accesses through pointers would have to know it.
  if (symbol.alignment > 1 && symbol.alignment < alignment_of(d.type.type)) {
    if (!tolerant) checker_.unsupported(d.name.at, "a typedef with an alignment below that of its type");
    is_certain_ = false;
  }
  if (d.type.type == specs.type.type && d.type->kind == TypeKind::structure) {
    auto* record = const_cast<Record*>(d.type->record);
    if (record->name.empty() && record->alias.empty()) record->alias = d.name.text;
  }
  declare(d.name, symbol);
}

void Parser::top_level(bool tolerant) {
  if (accept(";") || static_assertion()) return;
  if (peek().kind == TokenKind::pragma) {
    take();
    return;
  }
  const Specifiers specs = specifiers(tolerant);
  if (accept(";")) return;  // only declares a structure or enumeration
  for (;;) {
    Specifiers own;
    Declarator d = declarator(specs.type, true, &own);
    if (d.is_function && !specs.is_typedef) {
      function(specs, d, tolerant);
      return;
    }
    if (specs.is_typedef) {
      if (d.is_function) checker_.unsupported(d.name.at, "the type of a function");
      type_definition(specs, d, own, tolerant);
    } else {
      program_scope_variable(specs, d, own);
    }
    if (!accept(",")) break;
  }
  expect(";", "a declaration");
}

// Throws for samplers, pipes and device-side queues. Events are supported.
void Parser::refuse_opaque(const QualType& type, Location at) {
  if (type->kind == TypeKind::opaque && type->name != "event_t")
    checker_.unsupported(at, "a variable of type " + type->name);
}

void Parser::program_scope_variable(const Specifiers& specs, Declarator& header, Specifiers& own) {
  // The address space of the object itself: `constant char *p` is a pointer in the address space of its own
  // qualifiers.
  const Space space = header.type.space;
  const bool is_constant = space == Space::constant || header.type.is_const ||
                           (header.type->kind == TypeKind::array && header.type->element.is_const);
  const Location at = header.name.at;
  refuse_opaque(header.type, at);
  if (space == Space::local) checker_.fail(at, "a variable of program scope cannot be local");
  Variable* v = new_variable(header.name, header.type);
  v->is_program_scope = true;
  v->type.is_const |= is_constant;
  v->type.space = is_constant && space != Space::global ? Space::constant : Space::global;
  attributes(own);
  v->least_alignment = least_alignment(specs, own, v->type);
  if (accept("=")) v->initial = initialiser(v->type, at);
  note_value(*v);
  if (!v->initial && space == Space::constant)
    checker_.fail(at, "'" + std::string(v->name) + "' in constant memory must be initialised");
  if (size_of(v->type.type) == 0)
    checker_.fail(at, "'" + std::string(v->name) + "' has the incomplete type '" + name_of(v->type) + "'");
  Symbol symbol;
  symbol.variable = v;
  declare(header.name, symbol);
  program_.constants.push_back(v);
}

void Parser::local_variables(const Specifiers& specs, Stmt& into) {
  if (accept(";")) return;
  for (;;) {
    Specifiers own;
    Declarator d = declarator(specs.type, true, &own);
    const Location at = d.name.at;
    if (d.is_function && !specs.is_typedef) {  // a prototype, which belongs to program scope
      std::vector<Scope> inner(std::make_move_iterator(scopes_.begin() + 1),
                               std::make_move_iterator(scopes_.end()));
      scopes_.resize(1);
      function(specs, d, false);
      std::move(inner.begin(), inner.end(), std::back_inserter(scopes_));
      return;
    }
    Symbol symbol;
    if (specs.is_typedef) {
      type_definition(specs, d, own, false);
    } else {
      refuse_opaque(d.type, at);
      // The address space of the object itself: `global float *rows[2]` is an array of private pointers.
      const Space space = d.type.space;
      const bool is_local = space == Space::local;
      if (is_local && (!checker_.current()->is_kernel || scopes_.size() != kBodyScopes))
        checker_.fail(at,
                      "a variable in local memory must be declared in a kernel, outside its inner blocks");
      if (space == Space::global && !specs.is_static)
        checker_.fail(at, "a variable inside a function cannot be global unless it is static");
      Variable* v = new_variable(d.name, d.type);
      v->is_static = space == Space::constant || specs.is_static;
      // As in OpenCL 2, all work-items share a static variable that is not const.
      if (specs.is_static && space == Space::unspecified)
        v->type.space = d.type.is_const ? Space::constant : Space::global;
      attributes(own);
      v->least_alignment = least_alignment(specs, own, v->type);
      symbol.variable = v;
      if (d.type->kind != TypeKind::array || d.type->count > 0) declare(d.name, symbol);
      if (is_local && peek().is(punct("=")))
        checker_.fail(peek().at, "a variable in local memory cannot be initialised");
      if (accept("=")) v->initial = initialiser(v->type, at);
      note_value(*v);
      if (!v->initial && space == Space::constant)
        checker_.fail(at, "'" + std::string(v->name) + "' in constant memory must be initialised");
      if (d.type->kind == TypeKind::array && d.type->count == 0) declare(d.name, symbol);
      if (size_of(v->type.type) == 0)
        checker_.fail(at,
                      "'" + std::string(v->name) + "' has the incomplete type '" + name_of(v->type) + "'");
      if (v->is_static)
        program_.constants.push_back(v);
      else
        into.variables.push_back(v);
      if (is_local)
        checker_.current()->local_variables.push_back(v);
      else if (!v->is_static)
        checker_.current()->locals.push_back(v);
    }
    if (!accept(",")) break;
  }
  expect(";", "a declaration");
}

}  // namespace quern::frontend
