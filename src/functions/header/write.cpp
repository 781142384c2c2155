// SPDX-License-Identifier: MIT
// Writes the header of the functions of each element, one for each row of the table of operations.
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>

#include "codegen/ops.hpp"

namespace {

void write(std::ostream& out, const quern::codegen::Op& op, const std::string& name) {
  std::string parameters, operands;
  for (int k = 0; k < op.arity; ++k) {
    const std::string one = op.arity == 1 ? "x" : "x" + std::to_string(k + 1);
    parameters += "const Operand& " + one + ", ";
    operands += (k == 0 ? "" : ", ") + one;
  }
  out << "// " << op.summary << "\n"
      << "inline Array " << name << "(" << parameters << "const ElementwiseOptions& options = {}) {\n"
      << "  return elementwise(\"" << op.name << "\", {" << operands << "}, options);\n}\n";
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 2) {
    std::cerr << "usage: quern_write_functions HEADER\n";
    return EXIT_FAILURE;
  }
  std::ofstream out(arguments[1]);
  out << "// SPDX-License-Identifier: MIT\n"
         "// Functions of each element. Written by the build from src/codegen/ops.cpp: change that.\n"
         "#pragma once\n\n#include \"quern/api.hpp\"\n#include "
         "\"quern/functions/elementwise.hpp\"\n\nnamespace QUERN_API quern {\n\n";
  for (const quern::codegen::Op& op : quern::codegen::ops()) {
    if (op.summary.empty()) continue;
    write(out, op, std::string(op.name));
    std::istringstream aliases{std::string(op.aliases)};
    for (std::string name; aliases >> name;) write(out, op, name);
  }
  out << "\n}  // namespace quern\n";
  out.close();
  return out ? EXIT_SUCCESS : EXIT_FAILURE;
}
