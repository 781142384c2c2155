// SPDX-License-Identifier: MIT
// clCompileProgram and clLinkProgram.
#include <algorithm>
#include <string>
#include <vector>

#include "platform/program.hpp"
#include "platform/program_options.hpp"
#include "platform/tables.hpp"
#include "quern/error.hpp"

namespace quern::platform {
namespace {

using Notify = void(CL_CALLBACK*)(cl_program, void*);

// Throws the BuildError of a unit. The front end asks for the functions that a text calls after it has found
// nothing else wrong: then another unit may define them.
void check(const Unit& unit, const Device& device) {
  constexpr std::string_view kMissing = "' is declared but not defined";
  try {
    static_cast<void>(Program(unit.text, unit.options).lowered_source(device));
  } catch (const BuildError& error) {
    const auto is_missing = [&](const Diagnostic& each) {
      return each.severity == Diagnostic::Severity::warning ||
             (each.text.starts_with("function '") && each.text.ends_with(kMissing));
    };
    if (error.diagnostics().empty() || !std::ranges::all_of(error.diagnostics(), is_missing)) throw;
  }
}

cl_int CL_API_CALL compile(cl_program program, cl_uint count, const cl_device_id* devices,
                           const char* options, cl_uint header_count, const cl_program* headers,
                           const char** header_names, Notify notify, void* data) {
  return guarded([&] {
    _cl_program& self = checked(program, CL_INVALID_PROGRAM);
    require(notify != nullptr || data == nullptr, CL_INVALID_VALUE);
    require((header_count == 0) == (headers == nullptr) && (header_count == 0) == (header_names == nullptr),
            CL_INVALID_VALUE);
    const std::vector<std::size_t> chosen = devices_of(self, count, devices);
    require(self.has_source && self.kernels.load() == 0, CL_INVALID_OPERATION);
    const std::string text = options != nullptr ? options : "";
    Unit unit{self.source, parse_build_options(text, CL_INVALID_COMPILER_OPTIONS)};
    for (cl_uint k = 0; k < header_count; ++k) {
      const _cl_program& header = checked(headers[k], CL_INVALID_PROGRAM);
      require(header.has_source && header_names[k] != nullptr, CL_INVALID_PROGRAM);
      unit.options.headers.emplace_back(header_names[k], header.source);
    }
    bool is_compiled = true;
    for (const std::size_t k : chosen) {
      is_compiled &= run_build(self, k, text, [&] {
        // The front end finds the errors. Code is made when the program is linked.
        check(unit, self.devices[k]->device);
        Build made;
        made.type = CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT;
        made.units = {unit};
        return made;
      });
    }
    if (notify != nullptr) notify(program, data);
    require(is_compiled, CL_COMPILE_PROGRAM_FAILURE);
  });
}

cl_program CL_API_CALL link_program(cl_context context, cl_uint count, const cl_device_id* devices,
                                    const char* options, cl_uint input_count, const cl_program* inputs,
                                    Notify notify, void* data, cl_int* code) {
  cl_int status = CL_SUCCESS;
  bool is_linked = true;
  const cl_program linked = guarded(&status, [&] {
    _cl_context& owner = checked(context, CL_INVALID_CONTEXT);
    require(input_count != 0 && inputs != nullptr && (count == 0) == (devices == nullptr), CL_INVALID_VALUE);
    require(notify != nullptr || data == nullptr, CL_INVALID_VALUE);
    const std::string text = options != nullptr ? options : "";
    const LinkOptions parsed = parse_link_options(text);
    std::vector<Ref<_cl_device_id>> targets;
    for (cl_uint k = 0; k < count; ++k) {
      require(is_valid(devices[k]) && owner.has(devices[k]), CL_INVALID_DEVICE);
      targets.emplace_back(devices[k]);
    }
    if (count == 0) targets = owner.devices;
    for (cl_uint k = 0; k < input_count; ++k)
      require(checked(inputs[k], CL_INVALID_PROGRAM).context.get() == &owner, CL_INVALID_PROGRAM);

    // Dropped again if no device can be linked for.
    const cl_program program = make_handle<_cl_program>(&owner);
    program->devices = targets;
    program->builds.resize(targets.size());
    try {
      for (std::size_t t = 0; t < targets.size(); ++t) {
        std::vector<Unit> units;
        for (cl_uint k = 0; k < input_count; ++k) {
          _cl_program& input = *inputs[k];
          const std::lock_guard lock(input.mutex);
          const std::vector<Unit>& own = input.builds[input.index_of(targets[t].get())].units;
          require(!own.empty(), CL_INVALID_OPERATION);  // not compiled for this device
          units.insert(units.end(), own.begin(), own.end());
        }
        is_linked &= run_build(*program, t, text, [&] {
          if (!parsed.creates_library) {
            Build made = make_executable(*program, t, link(units));
            made.has_uniform_groups =
                std::ranges::all_of(units, [](const Unit& unit) { return has_uniform_groups(unit.options); });
            return made;
          }
          Build made;
          made.type = CL_PROGRAM_BINARY_TYPE_LIBRARY;
          made.units = units;
          return made;
        });
      }
    } catch (...) {
      static_cast<void>(release_handle(program, CL_INVALID_PROGRAM));
      throw;
    }
    if (notify != nullptr) notify(program, data);
    return program;
  });
  // A program that does not link is returned, too: it has the log.
  if (code != nullptr) *code = status == CL_SUCCESS && !is_linked ? CL_LINK_PROGRAM_FAILURE : status;
  return linked;
}

}  // namespace

void add_linking(cl_icd_dispatch& table) noexcept {
  table.clCompileProgram = compile;
  table.clLinkProgram = link_program;
}

}  // namespace quern::platform
