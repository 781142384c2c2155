// SPDX-License-Identifier: MIT
// Compiles an empty function, and records that it worked.
#include "backend/host/compiler_check.hpp"

#include <fcntl.h>

#include <atomic>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "backend/host/compiler.hpp"
#include "backend/host/program.hpp"
#include "backend/host/temporary_folder.hpp"
#include "base/digest.hpp"
#include "base/disk_store.hpp"
#include "base/file_descriptor.hpp"
#include "base/interruption.hpp"
#include "base/resources.hpp"
#include "base/subprocess.hpp"
#include "base/warning.hpp"
#include "quern/error.hpp"

namespace quern::backend::host {
namespace {

constexpr std::size_t kBytesNeeded = 256 << 10;  // bytes that a small program takes

enum class Knowledge { none, works, broken };
std::atomic<Knowledge> knowledge{Knowledge::none};

std::string record_name() {
  return Digest().add_field("a compiler that worked").add_field(compiler_identity()).hex();
}

// If there is no room for temporary files, a compiler that worked before fails.
bool can_write_temporary_files() {
  try {
    TemporaryFolder folder;
    const std::string path = folder.file("probe");
    const FileDescriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    const std::vector<std::byte> content(kBytesNeeded);
    return file.valid() && write_all(file.get(), content);
  } catch (const Error&) {
    return false;
  }
}

// The problem of the compiler; empty if there is none. Returns nothing if a resource ran out, so that the
// attempt is inconclusive.
std::optional<std::string> try_compiler() {
  CompileRequest request;
  request.dialect = Dialect::host_c;
  request.name = "a test of the compiler";
  request.text =
      "void quern_kernel_test(const void *launch, unsigned long long first, unsigned long long last) {"
      " *(int *)launch = 42; }\n";
  request.lowered = true;
  try {
    std::string log;
    const auto module = load_module(compile_to_library(request, log));
    const auto function = module->function("quern_kernel_test", nullptr);
    int answer = 0;
    static_cast<HostFunction&>(*function).entry()(reinterpret_cast<const quern_launch*>(&answer), 0, 1);
    return answer == 42 ? "" : "its compiled program does not work";
  } catch (const BuildOutOfResources&) {
    return std::nullopt;
  } catch (const OutOfResources&) {
    return std::nullopt;
  } catch (const Error& error) {
    return error.what();
  }
}

// One line of at most this length.
std::string summary(std::string text) {
  constexpr std::size_t kLongest = 400;
  for (char& c : text)
    if (c == '\n') c = ' ';
  return text.size() <= kLongest ? text : text.substr(0, kLongest) + "...";
}

void set_broken(const std::string& problem) {
  knowledge.store(Knowledge::broken, std::memory_order_release);
  static std::atomic<bool> told{false};
  if (has_ended_programs() || told.exchange(true)) return;
  warn_once("the C compiler does not work: " + summary(problem) +
            "; array operations use precompiled kernels instead; kernels that you write cannot be built "
            "(QUERN_CC names another compiler, TMPDIR another place for temporary files)");
}

// Held while the compiler is tested.
std::mutex& trying() {
  static auto* const mutex = new std::mutex;
  return *mutex;
}

// Also false if a resource ran out; that is not recorded, so the next caller tries again.
bool try_and_note() {
  const std::optional<std::string> problem = try_compiler();
  if (!problem) return false;
  if (!problem->empty()) {
    set_broken(*problem);
    return false;
  }
  trust_compiler();
  return true;
}

}  // namespace

bool compiler_works() {
  if (const Knowledge known = knowledge.load(std::memory_order_acquire); known != Knowledge::none)
    return known == Knowledge::works;
  const auto lock = lock_interruptibly(trying());
  if (const Knowledge known = knowledge.load(std::memory_order_acquire); known != Knowledge::none)
    return known == Knowledge::works;
  if (!find_compiler().found()) {
    knowledge.store(Knowledge::broken, std::memory_order_release);
    return false;
  }
  DiskStore& store = DiskStore::standard();
  const std::string record = record_name();
  if (store.get(record) && can_write_temporary_files()) {
    trust_compiler();
    return true;
  }
  if (!try_and_note()) return false;
  store.put(record, {});
  return true;
}

void recheck_compiler() {
  if (knowledge.load(std::memory_order_acquire) == Knowledge::broken || !find_compiler().found()) return;
  const auto lock = lock_interruptibly(trying());
  if (knowledge.load(std::memory_order_acquire) != Knowledge::broken) try_and_note();
}

void trust_compiler() {
  knowledge.store(Knowledge::works, std::memory_order_release);
}

}  // namespace quern::backend::host
