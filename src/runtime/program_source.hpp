// SPDX-License-Identifier: MIT
// The text and options of a program, with what the front end has made of them so far.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "frontend/translation.hpp"
#include "quern/program.hpp"
#include "runtime/build_options.hpp"

namespace quern::detail {

class ProgramSource {
 public:
  // Throws ArgumentError for an option that is malformed.
  ProgramSource(std::string text, ProgramOptions options);

  [[nodiscard]] const std::string& text() const noexcept { return text_; }
  [[nodiscard]] const ProgramOptions& options() const noexcept { return options_; }
  [[nodiscard]] const BuildOptions& parsed() const noexcept { return parsed_; }

  // The translation for a target, which all that is asked of the program there shares. It is kept until it is
  // released.
  std::shared_ptr<frontend::Translation> translation(frontend::Target target);
  // For a caller that knows of no device.
  std::shared_ptr<frontend::Translation> translation();
  // Frees the tokens and trees, which take far more memory than the text. A later use starts anew.
  void release_translations();

 private:
  std::string text_;
  ProgramOptions options_;
  BuildOptions parsed_;
  std::mutex mutex_;
  std::vector<std::shared_ptr<frontend::Translation>> translations_;
};

}  // namespace quern::detail
