// SPDX-License-Identifier: MIT
// Structures, unions and enumerations.
#include <algorithm>

#include "frontend/parse/parser.hpp"

namespace quern::frontend {
namespace {

// Returns the words and numbers in the parentheses of #pragma pack(...).
std::vector<std::string> pack_arguments(std::string_view text) {
  std::vector<std::string> words(1);
  for (const char c : text.substr(0, text.find(')'))) {
    if (c == ',')
      words.emplace_back();
    else if (c != ' ' && c != '\t' && c != '(')
      words.back() += c;
  }
  return words;
}

}  // namespace

// Reads pack(n), pack(), pack(push), pack(push, n) and pack(pop) as gcc and clang do.
void Parser::read_packing() {
  std::vector<std::uint64_t> stack;
  std::uint64_t current = 0;
  std::size_t index = 0;  // position of the next token after the pragmas are removed
  for (const Token& token : tokens_) {
    if (token.kind != TokenKind::pragma || means_unrolling(token)) {
      ++index;
      continue;
    }
    if (!token.text.starts_with("pack")) continue;
    for (const std::string& word : pack_arguments(token.text.substr(4))) {
      if (word == "push") {
        stack.push_back(current);
      } else if (word == "pop") {
        if (stack.empty()) checker_.fail(token.at, "#pragma pack(pop) without a push");
        current = stack.back();
        stack.pop_back();
      } else if (word.empty()) {
        current = 0;
      } else if (word == "1" || word == "2" || word == "4" || word == "8" || word == "16") {
        current = std::stoul(word);
      } else {
        checker_.fail(token.at, "#pragma pack expects push, pop or an alignment of 1, 2, 4, 8 or 16");
      }
    }
    packing_.emplace_back(index, current);
  }
}

// Returns the limit that #pragma pack sets for members at the current token; 0 if there is none.
std::uint64_t Parser::packing() const {
  std::uint64_t result = 0;
  for (const auto& [from, most] : packing_)
    if (from <= position_) result = most;
  return result;
}

QualType Parser::structure() {
  enter(peek().at);
  const bool is_union = take().text == "union";
  Specifiers extra;
  attributes(extra);
  Token name;
  if (peek().kind == TokenKind::identifier) name = take();
  attributes(extra);
  const bool is_named = !name.text.empty(), defines = peek().is(punct("{"));
  if (!is_named && !defines) checker_.fail(peek().at, "expected a name or '{' after 'struct'");
  const QualType* known = is_named ? find_tag(name.text) : nullptr;
  // A structure of an enclosing scope.
  const bool hides = known && defines && known->type->record->is_complete;
  QualType result;
  if (known && !(hides && !scopes_.back().tags.contains(name.text))) {
    result = *known;
    if (result->kind != TypeKind::structure || result->record->is_union != is_union)
      checker_.fail(name.at, "'" + std::string(name.text) + "' was declared as another kind of type");
  } else {
    Record* record = program_.types.make_record();
    record->name = name.text;
    record->is_union = is_union;
    record->at = peek().at;
    result.type = program_.types.record_type(record);
    if (is_named) scopes_.back().tags[name.text] = result;
  }
  if (defines) {
    if (result->record->is_complete) checker_.fail(name.at, "'" + name_of(result) + "' is defined twice");
    structure_body(const_cast<Record&>(*result->record), extra);
  }
  leave();
  return result;
}

void Parser::structure_body(Record& record, Specifiers& extra) {
  take();
  record.most_alignment = packing();
  structure_fields(record);
  attributes(extra);
  record.packed |= extra.packed;
  record.least_alignment = extra.alignment;
  Types::lay_out(record);
}

// Parses _Static_assert(condition, "message");
bool Parser::static_assertion() {
  if (!peek().is_name("_Static_assert") || find(peek().text)) return false;
  const Token& word = take();
  expect("(", "_Static_assert");
  const bool holds = constant_expression("a condition") != 0;
  std::string message;
  if (accept(",")) message = ": " + std::string(string_literal()->text);
  if (!holds) checker_.fail(word.at, "static assertion failed" + message);
  expect(")", "_Static_assert");
  expect(";", "_Static_assert");
  return true;
}

void Parser::structure_fields(Record& record) {
  while (!accept("}")) {
    if (static_assertion()) continue;
    if (peek().kind == TokenKind::end) checker_.fail(record.at, "this '{' has no '}'");
    const Specifiers specs = specifiers();
    if (peek().is(punct(";"))) {
      unnamed_member(record, specs);
      continue;
    }
    do {
      Specifiers own;
      own.packed = specs.packed;
      const bool unnamed_bits = peek().is(punct(":"));
      Declarator d;
      d.type = specs.type;
      d.name.at = peek().at;
      if (!unnamed_bits) d = declarator(specs.type, true, &own);
      if (accept(":")) {
        own.alignment = least_alignment(specs, own, d.type);
        bit_field(record, d, own);
        continue;
      }
      if (record.find_outer(d.name.text))
        checker_.fail(d.name.at, "member '" + std::string(d.name.text) + "' is declared twice");
      if (size_of(d.type.type) == 0)
        checker_.fail(d.name.at, "member '" + std::string(d.name.text) + "' has the incomplete type '" +
                                     name_of(d.type) + "'");
      if (size_of(d.type.type) > kMaxBytes)
        checker_.fail(d.name.at, "member '" + std::string(d.name.text) + "' is too large");
      // Nested structures count, because functions that walk a type recurse into them.
      record.depth =
          std::max(record.depth, 1 + (d.type->kind == TypeKind::structure ? d.type->record->depth : 0));
      if (record.depth > kMaxTypeDepth) checker_.fail(d.name.at, "the type is nested too deeply");
      attributes(own);
      Field field{std::string(d.name.text), d.type, d.name.at};
      field.least_alignment = least_alignment(specs, own, d.type);
      field.packed = own.packed;
      record.fields.push_back(std::move(field));
    } while (accept(","));
    expect(";", "a member");
  }
}

// Adds a structure or union without a name, whose members belong to the enclosing one.
void Parser::unnamed_member(Record& record, const Specifiers& specs) {
  const Token& end = take();
  const Type* type = specs.type.type;
  if (type->kind != TypeKind::structure || !type->record->name.empty()) return;  // it only declares a tag
  record.depth = std::max(record.depth, 1 + type->record->depth);
  if (record.depth > kMaxTypeDepth) checker_.fail(end.at, "the type is nested too deeply");
  for (const Field& inner : type->record->fields)
    if (record.find_outer(inner.name))
      checker_.fail(inner.at, "member '" + inner.name + "' is declared twice");
  Field field{{}, specs.type, end.at};
  field.least_alignment = specs.alignment;
  record.fields.push_back(std::move(field));
}

void Parser::bit_field(Record& record, const Declarator& d, Specifiers& own) {
  const std::string name(d.name.text);
  if (!d.type->is_integer()) checker_.fail(d.name.at, "a bit-field must be an integer");
  if (record.find_outer(name)) checker_.fail(d.name.at, "member '" + name + "' is declared twice");
  const std::int64_t bits = constant_expression("the width of a bit-field");
  const auto most = static_cast<std::int64_t>(d.type->kind == TypeKind::bool_ ? 1 : 8 * size_of(d.type.type));
  if (bits < (name.empty() ? 0 : 1) || bits > most)
    checker_.fail(d.name.at,
                  "a bit-field of '" + name_of(d.type) + "' cannot have " + std::to_string(bits) + " bits");
  attributes(own);
  Field field{name, d.type, d.name.at};
  field.bits = static_cast<int>(bits);
  field.least_alignment = own.alignment;
  field.packed = own.packed;
  record.depth = std::max(record.depth, 1);
  record.fields.push_back(std::move(field));
}

QualType Parser::enumeration() {
  const Token& word = take();
  Token name;
  Specifiers ignored;
  attributes(ignored);
  if (peek().kind == TokenKind::identifier) name = take();
  Types& types = program_.types;
  const Type* const uint = types.unsigned_of(types.int_);
  QualType type{uint};
  if (accept("{")) {
    std::uint64_t next = 0, greatest = 0;
    bool is_negative = false, any_negative = false, needs_long = false;
    std::vector<Token> beyond_int;
    while (!accept("}")) {
      const Token& constant = expect_name("the name of an enumerator");
      if (accept("=")) {
        const Location at = peek().at;
        const Expr* e = checker_.value(conditional());
        const auto value = constant_value(e);
        if (!value) checker_.fail(at, "an enumerator must be a constant integer");
        next = static_cast<std::uint64_t>(*value);
        is_negative = *value < 0 && e->type->is_signed();
      }
      Symbol symbol;
      symbol.kind = Symbol::Kind::enumerator;
      symbol.value = static_cast<std::int64_t>(next);
      // The standard requires int. All compilers also accept enumerators of 64 bits, such as hash constants.
      const bool is_int = is_negative ? symbol.value >= INT32_MIN : next <= INT32_MAX;
      symbol.type.type = is_int                               ? types.int_
                         : !is_negative && next <= UINT32_MAX ? uint
                         : is_negative                        ? types.long_
                                                              : types.ulong;
      if (!is_int) beyond_int.push_back(constant);
      any_negative |= is_negative;
      needs_long |= is_negative && !is_int;
      if (!is_negative) greatest = std::max(greatest, next);
      ++next;
      is_negative &= next != 0;
      declare(constant, symbol);
      if (!accept(",") && !peek().is(punct("}")))
        checker_.fail(peek().at, "expected ',' or '}' after an enumerator");
    }
    // As in clang, the type of the enumeration is the first of these that holds all enumerators. Enumerators
    // that do not fit int have that type.
    if (any_negative)
      type = {needs_long || greatest > INT32_MAX ? types.long_ : types.int_};
    else
      type = {greatest > UINT32_MAX ? types.ulong : uint};
    for (const Token& constant : beyond_int) find(constant.text)->type = type;
    if (!name.text.empty()) scopes_.back().enumerations[name.text] = type;
  } else if (name.text.empty()) {
    checker_.fail(word.at, "expected a name or '{' after 'enum'");
  } else {
    for (const Scope& scope : scopes_) {
      if (const auto found = scope.enumerations.find(name.text); found != scope.enumerations.end())
        type = found->second;
    }
  }
  return type;
}

}  // namespace quern::frontend
