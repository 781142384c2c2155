// SPDX-License-Identifier: MIT
// Members of structures, components of vectors and elements of arrays.
#include <algorithm>

#include "frontend/check/checker.hpp"

namespace quern::frontend {

Expr* Checker::member(Expr* object, const Token& name, bool arrow) {
  if (arrow) object = unary(punct("*"), object, object->at);
  if (object->type->is_vector()) return swizzle(object, name);
  if (object->type->is_complex()) return complex_member(object, name);
  if (object->type->kind != TypeKind::structure)
    fail(name.at, quoted(object->type) + " has no member '" + std::string(name.text) +
                      "', because it is not a structure");
  const Record* record = object->type->record;
  if (!record->is_complete) fail(name.at, quoted(object->type) + " is declared but not defined");
  const Field* field = record->find_outer(name.text);
  if (!field) fail(name.at, quoted(object->type.type) + " has no member '" + std::string(name.text) + "'");
  QualType type = field->type;
  type.is_const |= object->type.is_const;
  if (!type->is_pointer() || type.space == Space::unspecified) type.space = object->type.space;
  Expr* e = make(ExprKind::member, name.at, type);
  e->operands[0] = object;
  e->field = field;
  e->is_lvalue = object->is_lvalue;
  return field->name.empty() ? member(e, name, false) : e;
}

Expr* Checker::swizzle(Expr* vector, const Token& name) {
  const auto count = static_cast<std::size_t>(vector->type->count);
  const std::size_t slots = count == 3 ? 4 : count;
  const std::string_view text = name.text;
  std::vector<std::uint8_t> lanes;
  const auto add = [&](std::size_t lane) { lanes.push_back(static_cast<std::uint8_t>(lane)); };
  if (text == "lo" || text == "hi") {
    for (std::size_t i = 0; i < slots / 2; ++i) add(text == "lo" ? i : i + slots / 2);
  } else if (text == "even" || text == "odd") {
    for (std::size_t i = text == "even" ? 0 : 1; i < slots; i += 2) add(i);
  } else if ((text[0] == 's' || text[0] == 'S') && text.size() > 1) {
    for (const char c : text.substr(1)) {
      const std::size_t lane = std::string_view("0123456789abcdef").find(c);
      const std::size_t upper = std::string_view("0123456789ABCDEF").find(c);
      add(std::min({lane, upper, std::size_t{99}}));
    }
  } else {
    // OpenCL C 3 also has .rgba, and clang accepts it in every version.
    const bool is_colour = std::string_view("rgba").find(text[0]) != std::string_view::npos;
    const std::string_view letters = is_colour ? "rgba" : "xyzw";
    for (const char c : text) add(std::min(letters.find(c), std::size_t{99}));
  }
  const bool length_fits = lanes.size() <= 4 || lanes.size() == 8 || lanes.size() == 16;
  const bool padded = text == "hi" || text == "odd";  // a vector of three has an undefined fourth lane
  for (const std::uint8_t lane : lanes)
    if (lane >= count && !(padded && lane < slots))
      fail(name.at, quoted(vector->type.type) + " has no component '." + std::string(text) + "'");
  if (!length_fits || lanes.empty())
    fail(name.at, "'." + std::string(text) + "' must select 1, 2, 3, 4, 8 or 16 components");
  const Type* element = vector->type->element.type;
  QualType type = vector->type;
  type.type = lanes.size() == 1 ? element : types().vector(element, static_cast<unsigned>(lanes.size()));
  Expr* e = make(ExprKind::swizzle, name.at, type);
  e->operands[0] = vector;
  e->is_lvalue = vector->is_lvalue;
  const bool within = std::ranges::all_of(lanes, [&](std::uint8_t lane) { return lane < count; });
  if (vector->kind == ExprKind::swizzle && within) {  // v.hi.x is v.z
    e->operands[0] = vector->operands[0];
    for (std::uint8_t& lane : lanes) lane = vector->lanes[lane];
  } else if (vector->kind == ExprKind::swizzle) {
    e->is_lvalue = false;  // v.xyz.hi has a component that is not in v.xyz
  }
  for (std::size_t i = 0; i < lanes.size() && e->is_lvalue; ++i)
    if (std::find(lanes.begin(), lanes.begin() + static_cast<std::ptrdiff_t>(i), lanes[i]) !=
        lanes.begin() + static_cast<std::ptrdiff_t>(i))
      e->is_lvalue = false;  // a repeated component cannot be assigned
  e->lanes = std::move(lanes);
  return e;
}

// v[i] is a component with a computed number. Clang accepts it, although OpenCL C 1.2 has only v.s0.
Expr* Checker::component(Expr* vector, Expr* position, Location at) {
  if (!position->type->is_integer())
    fail(position->at, "an index must be an integer, not " + quoted(position->type));
  const Type* type = vector->type.type;
  if (const auto number = constant_value(position)) {
    if (*number < 0 || static_cast<std::uint64_t>(*number) >= type->count)
      fail(position->at, "a " + quoted(type) + " has no component " + std::to_string(*number));
    Token name;
    name.at = at;
    name.text =
        std::string_view("s0s1s2s3s4s5s6s7s8s9sasbscsdsesf").substr(2 * static_cast<std::size_t>(*number), 2);
    return swizzle(vector, name);
  }
  if (!vector->is_lvalue || vector->kind == ExprKind::swizzle) vector = object_of(vector);
  QualType element = vector->type;
  element.type = type->element.type;
  Expr* first = convert_node(unary(punct("&"), vector, at), types().pointer(element));
  return index(first, position, at);
}

Expr* Checker::index(Expr* base, Expr* position, Location at) {
  if (base->type->is_integer()) std::swap(base, position);
  if (base->type->is_vector()) return component(base, value(position), at);
  const bool is_array = base->type->kind == TypeKind::array;
  if (!is_array && !base->type->is_pointer()) fail(at, quoted(base->type) + " cannot be indexed");
  position = value(position);
  if (!position->type->is_integer())
    fail(position->at, "an index must be an integer, not " + quoted(position->type));
  QualType element = base->type->element;
  if (is_array) {
    element.is_const |= base->type.is_const;
    if (element.space == Space::unspecified) element.space = base->type.space;
  } else {
    base = value(base);
  }
  if (element->kind == TypeKind::void_ || size_of(element.type) == 0)
    fail(at, "elements of type " + quoted(element) + " cannot be indexed");
  Expr* e = make(ExprKind::index, at, element);
  e->operands = {base, position, nullptr};
  e->is_lvalue = true;
  return e;
}

Expr* Checker::vector_literal(const Type* type, std::vector<Expr*> parts, Location at) {
  if (parts.size() == 1) return cast(parts[0], {type}, at);
  Expr* e = make(ExprKind::vector_literal, at, {type});
  std::uint64_t lanes = 0;
  for (Expr* part : parts) {
    part = value(part);
    if (!part->type->scalar()->is_scalar())
      fail(part->at, quoted(part->type) + " cannot be part of a vector");
    if (part->type->is_vector()) {
      lanes += part->type->count;
      if (part->type->element.type != type->element.type)
        fail(part->at, quoted(part->type) + " cannot be part of a '" + name_of(type) + "'");
    } else {
      ++lanes;
      part = convert(part, type->element.type, "a component");
    }
    e->arguments.push_back(part);
  }
  if (lanes != type->count)
    fail(at, "a '" + name_of(type) + "' needs " + std::to_string(type->count) + " components but has " +
                 std::to_string(lanes));
  return e;
}

}  // namespace quern::frontend
