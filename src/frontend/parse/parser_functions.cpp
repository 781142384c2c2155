// SPDX-License-Identifier: MIT
// Function headers: parameters, earlier declarations, and the rules for parameters of kernels. Bodies are
// parsed later.
#include <algorithm>

#include "frontend/parse/parser.hpp"

namespace quern::frontend {

std::vector<Variable*> Parser::parameters(bool tolerant) {
  std::vector<Variable*> result;
  expect("(", "a function's name");
  if (peek().is_name("void") && peek(1).is(punct(")"))) take();
  while (!peek().is(punct(")"))) {
    const Specifiers specs = specifiers(tolerant);
    Declarator d = declarator(specs.type, false);
    if (d.type->kind == TypeKind::array) {
      QualType element = d.type->element;
      if (element.space == Space::unspecified) element.space = d.type.space;
      d.type = {program_.types.pointer(element)};
    }
    if (d.type->kind == TypeKind::void_) checker_.fail(d.name.at, "a parameter cannot have the type void");
    Variable* v = new_variable(d.name, d.type);
    v->is_parameter = true;
    result.push_back(v);
    if (result.size() > 1024) checker_.fail(d.name.at, "too many parameters");
    if (!accept(",")) break;
  }
  expect(")", "the parameters of a function");
  return result;
}

// Returns the function that a header declares: an earlier declaration, with equal parameters if the name is
// overloaded, or a new function.
Function* Parser::declared_function(const Declarator& header, const std::vector<Variable*>& params,
                                    bool is_overloadable) {
  const std::string name(header.name.text);
  const Symbol* known = find(header.name.text);
  if (known && known->kind != Symbol::Kind::function)
    checker_.fail(header.name.at, "'" + name + "' is declared twice");
  Function* last = nullptr;
  for (Function* f = known ? known->function : nullptr; f; f = f->next_overload) {
    const bool is_same = std::ranges::equal(f->parameters, params, [](const Variable* a, const Variable* b) {
      return a->type.type == b->type.type;
    });
    if (is_same && f->result.type == header.type.type) return f;
    is_overloadable |= f->is_overloadable;
    if (is_same || !is_overloadable)
      checker_.fail(header.name.at, "'" + name + "' is declared before with another type");
    last = f;
  }
  Function* function = &program_.function_store.emplace_back();
  function->name = header.name.text;
  if (last) {
    last->next_overload = function;
    function->overload = last->overload + 1;
    return function;
  }
  Symbol symbol;
  symbol.kind = Symbol::Kind::function;
  symbol.function = function;
  declare(header.name, symbol);
  return function;
}

void Parser::function(const Specifiers& specs, Declarator& header, bool tolerant) {
  Specifiers trailing;
  std::vector<Variable*> params = parameters(tolerant);
  attributes(trailing);
  const bool is_overloadable = specs.is_overloadable || trailing.is_overloadable;
  Function* function = declared_function(header, params, is_overloadable);
  function->is_overloadable |= is_overloadable;
  const bool defines = peek().is(punct("{"));
  if (defines && scopes_.size() == 1 && checker_.current())
    checker_.fail(peek().at, "a function cannot be defined inside another");
  if (specs.is_kernel && (function->overload > 0 || is_overloadable))
    checker_.fail(header.name.at, "kernel '" + std::string(header.name.text) + "' cannot be overloaded");
  if (defines && function->is_defined)
    checker_.fail(header.name.at, "function '" + std::string(header.name.text) + "' is defined twice");
  if (!function->is_defined) function->parameters = std::move(params);
  function->result = header.type;
  function->at = defines || !function->at.line ? header.name.at : function->at;
  function->is_kernel |= specs.is_kernel;
  for (const auto& sizes : {specs.required_local, trailing.required_local})
    if (sizes[0] > 0) function->required_local = sizes;
  if (!defines) {
    expect(";", "a function's parameters");
    return;
  }
  function->is_defined = true;
  take();
  function->body_begin = position_;
  skip_balanced("{", "}");
  program_.functions.push_back(function);
}

void Parser::check_kernel(const Function& function) {
  if (function.result->kind != TypeKind::void_)
    checker_.fail(function.at, "kernel '" + std::string(function.name) + "' must return void");
  for (const Variable* p : function.parameters) {
    const QualType& t = p->type;
    const std::string name = "parameter '" + std::string(p->name) + "'";
    if (t->kind == TypeKind::opaque) checker_.unsupported(p->at, "a parameter of type " + t->name);
    if (!t->is_pointer()) continue;
    if (t->element.space == Space::unspecified)
      checker_.fail(p->at, name + " of a kernel must point to global, constant or local memory");
    if (t->element->is_pointer())
      checker_.fail(p->at, name + " of a kernel cannot be a pointer to a pointer");
  }
}

}  // namespace quern::frontend
