// SPDX-License-Identifier: MIT
// Finding and running the C compiler.
#include "backend/host/compiler.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <optional>
#include <sstream>

#include "backend/host/cpu.hpp"
#include "backend/host/elf_image.hpp"
#include "backend/host/kernel_flags.hpp"
#include "backend/host/temporary_folder.hpp"
#include "base/environment.hpp"
#include "base/file_descriptor.hpp"
#include "base/resources.hpp"
#include "base/shared_library.hpp"
#include "base/subprocess.hpp"
#include "base/text.hpp"
#include "quern/error.hpp"

namespace quern::backend::host {
namespace {

constexpr const char* kAdvice =
    "install a C compiler (Debian, Ubuntu: apt install gcc; Fedora, RHEL: dnf install gcc; Alpine: apk add "
    "gcc "
    "musl-dev; conda: conda install gcc) or name one in QUERN_CC";

// The options of every build.
const std::vector<std::string>& code_flags() {
  static const auto* const flags = [] {
    auto* const list = new std::vector<std::string>(kKernelFlags.begin(), kKernelFlags.end());
#if defined(__aarch64__)
    list->emplace_back("-mcpu=native");
#else
    list->emplace_back("-march=native");
#endif
    return list;
  }();
  return *flags;
}

const std::vector<std::string>& gcc_flags() {
  static const auto* const flags =
      new std::vector<std::string>(kGccKernelFlags.begin(), kGccKernelFlags.end());
  return *flags;
}

// Options of the link: no start files and no default libraries, which would take most of a small build's
// time.
const std::vector<std::string>& library_flags() {
  static const auto* const flags =
      new std::vector<std::string>{"-fPIC", "-shared", "-nostdlib", "-Wl,--build-id=none", "-pipe"};
  return *flags;
}

// addr2line of binutils 2.40 confuses the first two files of DWARF 5's list and names the wrong one.
std::vector<std::string> debug_flags() {
  return {"-gdwarf-4", "-O0", "-fno-omit-frame-pointer"};
}

bool is_clang(const std::string& path) {
  std::error_code ignored;
  const auto real = std::filesystem::canonical(path, ignored);
  return real.filename().string().find("clang") != std::string::npos;
}

// Libraries that the text names in its first line: /* quern-link: m mvec */. Only these two are known.
std::vector<std::string> link_flags(const std::string& text) {
  constexpr std::string_view kBegin = "/* quern-link:";
  std::vector<std::string> flags;
  if (!text.starts_with(kBegin)) return flags;
  const auto end = text.find("*/");
  const auto line_end = text.find('\n');
  if (end == std::string::npos || (line_end != std::string::npos && end > line_end)) return flags;
  std::istringstream words(text.substr(kBegin.size(), end - kBegin.size()));
  for (std::string name; words >> name;) {
#ifdef __GLIBC__
    // By their run-time names, which exist even if the C library's development files are missing.
    if (name == "m") flags.push_back("-l:libm.so.6");
    if (name == "mvec") flags.push_back("-l:libmvec.so.1");
#else
    if (name == "m") flags.push_back("-lm");
#endif
  }
  return flags;
}

class Build {
 public:
  Build(const Compiler& compiler, const CompileRequest& request) : compiler_(compiler), request_(request) {
    argv_ = {compiler.path};
    const auto add = [&](const std::vector<std::string>& flags) {
      argv_.insert(argv_.end(), flags.begin(), flags.end());
    };
    add(code_flags());
    if (!is_clang(compiler.path)) add(gcc_flags());
    if (request.debug) add(debug_flags());
    add(request.options);
    add(library_flags());
    if (request.lowered || request.options.empty())
      argv_.push_back("-w");  // users get the front end's warnings instead
  }

  std::vector<std::byte> run(std::string& log) {
    TemporaryFolder folder;
    const std::string output = folder.file("program.so");
    std::string input = request_.text;
    argv_.insert(argv_.end(), {"-o", output, "-x", "c"});
    std::optional<DebugFolder> sources;
    if (request_.debug) {
      // A debugger shows the source by its path, so the file stays as long as the process.
      sources.emplace();
      const std::string source = sources->path() + "/program.c";
      save(source, input);
      show_source(*sources);
      input.clear();
      argv_.push_back(source);
    } else {
      argv_.push_back("-");
    }
    argv_.insert(argv_.end(), {"-x", "none"});
    const auto libraries = link_flags(request_.text);
    argv_.insert(argv_.end(), libraries.begin(), libraries.end());
    if (!is_clang(compiler_.path)) argv_.push_back("-lgcc");  // helpers for operations without an instruction

    const auto limit =
        std::chrono::seconds(environment_integer("QUERN_COMPILE_TIMEOUT", 1, 1'000'000).value_or(60));
    // A killed compiler leaves temporary files, which are removed with the folder.
    const ProcessResult result = run_process(argv_, input, limit, {"TMPDIR=" + folder.scratch()});
    if (result.timed_out) {
      fail("the compiler was stopped after " + std::to_string(limit.count()) +
               " s without an answer (QUERN_COMPILE_TIMEOUT sets the limit)",
           result.output);
    }
    if (result.signal != 0) {
      fail("the compiler crashed: " + std::string(strsignal(result.signal)) + " (signal " +
               std::to_string(result.signal) + ")",
           result.output, result.signal == SIGKILL);  // as the system does when memory runs out
    }
    if (result.exit_code != 0) {
      fail("the compiler failed with exit code " + std::to_string(result.exit_code), result.output,
           is_lack_of_resources(result.output));
    }
    log = result.output;
    std::vector<std::byte> binary = read_back(output, result.output);
    if (sources) sources->keep_until_exit();
    return binary;
  }

 private:
  [[noreturn]] void fail(const std::string& why, const std::string& log, bool ran_out = false) const {
    std::string what = request_.name + ": " + why + "\ncompiler: " + compiler_.path;
    if (const std::string_view text = trimmed(log); !text.empty()) what.append("\n").append(text);
    if (ran_out) throw BuildOutOfResources(what, {}, log, joined(argv_), "host");
    throw BuildError(what, {}, log, joined(argv_), "host");
  }

  // A source that is not a file is written to one, with a name that a debugger finds.
  void show_source(const DebugFolder& folder) {
    std::error_code ignored;
    if (request_.source.empty() || std::filesystem::exists(request_.name, ignored)) return;
    const std::string name = std::filesystem::path(request_.name).filename().string();
    if (name.empty() || name.find('\n') != std::string::npos) return;
    for (const char* taken : {"program.c", ".", ".."})
      if (name == taken) return;
    save(folder.path() + "/" + name, request_.source);
    argv_.push_back("-fdebug-prefix-map=" + std::filesystem::current_path(ignored).string() + "=" +
                    folder.path());
  }

  void save(const std::string& path, const std::string& text) const {
    const FileDescriptor file(open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    if (!file.valid() || !write_all(file.get(), std::as_bytes(std::span(text)))) {
      throw_system_error("cannot write " + path, errno);
    }
  }

  std::vector<std::byte> read_back(const std::string& path, const std::string& log) const {
    errno = 0;
    const auto text = read_file(path, std::size_t{1} << 30);
    if (!text && is_lack_of_resources(errno)) throw_system_error("cannot read " + path, errno);
    if (!text) fail("the compiler reported success but left no program in " + path, log);
    const auto bytes = std::as_bytes(std::span(*text));
    try {
      read_elf_image(bytes);  // a full disk may have left half a file
    } catch (const Error& error) {
      fail(std::string("the compiler reported success, but ") + error.what(), log);
    }
    return {bytes.begin(), bytes.end()};
  }

  const Compiler& compiler_;
  const CompileRequest& request_;
  std::vector<std::string> argv_;
};

}  // namespace

Compiler find_compiler() {
  Compiler compiler;
  const auto attempt = [&](const std::string& what, const std::string& name) {
    compiler.tried.push_back(what);
    compiler.path = find_executable(name);
    return compiler.found();
  };
  if (const auto name = environment("QUERN_CC"); name && !name->empty()) {
    if (!attempt("QUERN_CC=" + *name, *name)) {
      compiler.problem = "QUERN_CC names '" + *name + "', which is not an executable program";
    }
    return compiler;
  }
  if (const auto name = environment("CC"); name && !name->empty() && attempt("CC=" + *name, *name))
    return compiler;
  for (const char* name : {"cc", "gcc", "clang"}) {
    if (attempt(name, name)) return compiler;
  }
  compiler.problem = "no C compiler was found (tried " + joined(compiler.tried) + "): " + kAdvice;
  return compiler;
}

std::string compiler_identity() {
  const Compiler compiler = find_compiler();
  return "host C 2\n" + (compiler.found() ? file_identity(compiler.path) : "none") + "\n" +
         joined(code_flags()) + " " + joined(gcc_flags()) + " " + joined(library_flags()) + "\n" +
         cpu().architecture();
}

std::vector<std::byte> compile_to_library(const CompileRequest& request, std::string& log) {
  check_options(request.options);
  const Compiler compiler = find_compiler();
  if (!compiler.found()) throw BuildError(request.name + ": " + compiler.problem, {}, {}, {}, "host");
  try {
    return Build(compiler, request).run(log);
  } catch (const BuildError&) {
    throw;
  } catch (const OutOfResources& error) {
    throw BuildOutOfResources(request.name + ": " + error.what(), {}, {}, {}, "host");
  } catch (const Error& error) {  // it cannot be started, or there is no temporary folder
    throw BuildError(request.name + ": " + error.what(), {}, {}, {}, "host");
  }
}

}  // namespace quern::backend::host
