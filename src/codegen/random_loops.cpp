// SPDX-License-Identifier: MIT
// The list of precompiled kernels that draw random numbers.
#include "codegen/random_loops.hpp"

#include <optional>

#include "codegen/type_text.hpp"

namespace quern::codegen {
namespace {

// The numbers that a kernel of kRandomLoops fills memory with; nothing for one that samples.
std::optional<RandomForm> filled_by(std::string_view name, bool is_threefry) {
  using Kind = RandomForm::Kind;
  const std::size_t end = name.rfind('_');
  const std::string_view base = name.substr(0, end), type = name.substr(end + 1);
  RandomForm form;
  form.is_threefry = is_threefry;
  if (base == "integer") {
    form.kind = Kind::integer;
    form.is_wide = type == "wide";
    form.dtype = DType::parse(form.is_wide ? "uint64" : "uint" + std::string(type));
    return form;
  }
  form.dtype = DType::of(type == "float" ? Scalar::float32 : Scalar::float64);
  for (const Kind kind : {Kind::uniform, Kind::normal, Kind::lognormal, Kind::exponential}) {
    form.kind = kind;
    if (base == form.name()) return form;
  }
  return std::nullopt;
}

// Kernels that exist once for floats and once for doubles.
bool is_real(const std::string& kernel) {
  return kernel == "gamma" || kernel == "reals";
}

RandomLoop sampler(const std::string& kernel, bool is_float, bool is_threefry) {
  const std::string real = is_float ? "float" : "double", type = is_real(kernel) ? real : "ulong";
  RandomLoop loop{random_loop_name(kernel, is_float, is_threefry),
                  {"random", "random_samplers"},
                  "sample_" + kernel,
                  {{"T", type}, {"REAL", real}}};
  if (kernel == "reals" || kernel.starts_with("count")) {
    // All families in few kernels: see random_all.cl.
    loop.files.insert(loop.files.end(),
                      {"random_each", "random_families", "random_counts", "random_tiles", "random_all"});
    loop.defines.insert(loop.defines.end(),
                        {{"GAMMA", "1"}, {"COUNTS", "1"}, {"MOST", "9223372036854774784.0"}});
    loop.defines.emplace_back(kernel == "reals"    ? "REALS"
                              : kernel == "counts" ? "ITEMS"
                                                   : "COUNT_TILES",
                              "1");
  } else {
    if (is_in_tiles(kernel))
      loop.files.insert(loop.files.end(), {"random_tiles", "random_sample_tiles"});
    else
      loop.files.emplace_back("random_sample");
    loop.defines.emplace_back(is_real(kernel) ? "GAMMA" : "COUNTS", "1");
  }
  if (!is_float) loop.defines.emplace_back("IN_DOUBLE", "1");
  if (is_threefry) loop.defines.emplace_back("THREEFRY", "1");
  return loop;
}

}  // namespace

std::string random_loop_name(const RandomForm& form) {
  const char* const engine = form.is_threefry ? "_threefry" : "_philox";
  if (form.kind != RandomForm::Kind::integer)
    return std::string(form.name()) + "_" + type_name(form.dtype) + engine;
  return "integer_" + (form.is_wide ? "wide" : std::to_string(8 * form.dtype.itemsize)) + engine;
}

std::string random_loop_name(const std::string& kernel, bool is_float, bool is_threefry) {
  return kernel +
         (!is_real(kernel) ? ""
          : is_float       ? "_float"
                           : "_double") +
         (is_threefry ? "_threefry" : "_philox");
}

bool is_in_tiles(std::string_view kernel) {
  return kernel != "counts" && !kernel.ends_with("_small");
}

std::vector<RandomLoop> random_loops() {
  std::vector<RandomLoop> result;
  for (const std::string_view engine : kRandomEngines) {
    const bool is_threefry = engine == "threefry";
    for (const std::string_view name : kRandomLoops) {
      if (const auto form = filled_by(name, is_threefry)) {
        RandomLoop loop{random_loop_name(*form),
                        {"random", "random_values", "random_fill"},
                        "fill_tiles",
                        form->fill_defines()};
        loop.defines.emplace_back("TILES", "1");
        result.push_back(std::move(loop));
        continue;
      }
      std::string kernel(name);
      for (const std::string_view type : {"_float", "_double"})
        if (name.ends_with(type)) kernel.resize(name.size() - type.size());
      result.push_back(sampler(kernel, name.ends_with("_float"), is_threefry));
    }
  }
  return result;
}

}  // namespace quern::codegen
