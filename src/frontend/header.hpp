// SPDX-License-Identifier: MIT
// Text that stands before declarations which come later, such as the preamble of a generated kernel. It is
// preprocessed once, whatever is read after it.
#pragma once

#include <string>
#include <vector>

#include "frontend/frontend.hpp"
#include "frontend/preprocess/preprocessor.hpp"

namespace quern::frontend {

// For one thread at a time.
class Header {
 public:
  // Throws BuildError for errors of the preprocessor.
  explicit Header(Source source);
  Header(const Header&) = delete;
  Header& operator=(const Header&) = delete;

  [[nodiscard]] const Source& source() const noexcept { return source_; }
  [[nodiscard]] const Macros& macros() const noexcept { return macros_; }
  // Returns the kernels that the header and the `text` after it declare. The text has no directives, uses the
  // macros and types of the header, and may name complex64 and complex128. Messages call it `file`.
  std::vector<Signature> signatures_with(const std::string& file, const std::string& text);

 private:
  Source source_;
  Files files_;
  Preprocessor preprocessor_;
  std::vector<Token> tokens_;  // without the token at the end
  Macros macros_;
};

}  // namespace quern::frontend
