// SPDX-License-Identifier: MIT
// Builds programs and remembers what was built.
#include "runtime/builder.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <deque>
#include <iterator>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

#include "base/bounded_text.hpp"
#include "base/c_string.hpp"
#include "base/digest.hpp"
#include "base/disk_store.hpp"
#include "base/environment.hpp"
#include "base/in_use.hpp"
#include "base/interruption.hpp"
#include "base/long_work.hpp"
#include "base/process.hpp"
#include "frontend/diagnostics.hpp"
#include "frontend/frontend.hpp"
#include "frontend/hints.hpp"
#include "frontend/preprocess/embedded_includes.hpp"
#include "quern/error.hpp"
#include "runtime/build_options.hpp"
#include "runtime/source_closure.hpp"

namespace quern::detail {
namespace {

std::atomic<std::uint64_t> compilations{0}, memory_hits{0}, disk_hits{0};

}  // namespace

frontend::Target target_of(Dialect dialect) {
  return dialect == Dialect::host_c     ? frontend::Target::host
         : dialect == Dialect::cuda_cpp ? frontend::Target::cuda
                                        : frontend::Target::opencl;
}

namespace {

// A source as OpenCL devices get it: a byte order mark would no longer stand at the beginning.
std::string opencl_text(const std::string& source) {
  std::string text = frontend::without_embedded_includes(source);
  if (text.starts_with("\xef\xbb\xbf")) text.erase(0, 3);
  return text;
}

// Everything there is to know about one build before it starts.
struct Job {
  const std::string& source;  // as the author wrote it
  const ProgramOptions& options;
  const BuildOptions& given;
  std::shared_ptr<frontend::Translation> translation;
  BuildOptions parsed;  // with what the device adds
  std::vector<std::string> flags;
  std::shared_ptr<ContextState> context;
  std::size_t device;
  Dialect dialect;
  LocalSize local;
  bool is_rewritten = false;  // for an OpenCL device, without complex numbers

  // What is built. Throws BuildError.
  [[nodiscard]] const std::string& text() const {
    return is_rewritten ? translation->without_complex() : source;
  }
  [[nodiscard]] const Device& handle() const { return context->devices()[device]; }
  [[nodiscard]] bool lowers() const {
    return options.language == Language::opencl_c && dialect != Dialect::opencl_c;
  }
  // What an OpenCL device's compiler reads before the source, whose first line stays line 1. OpenCL C lets
  // compilers contract; here every device rounds each operation unless the author asks for less.
  // `support` follows from the rest, so that keys need not hold it.
  [[nodiscard]] std::string text_prefix(const std::string& support = {}) const {
    if (options.language != Language::opencl_c || dialect != Dialect::opencl_c) return "";
    std::string text = frontend::opencl_prelude(this->text()) + support;
    if (!parsed.contracts()) text.insert(0, "#pragma OPENCL FP_CONTRACT OFF\n");
    if (text.empty()) return "";
    return text + "#line 1 " + c_string(options.name) + "\n";
  }
  // For errors: what the user gave to the front end, too.
  [[nodiscard]] std::string flag_text() const {
    std::string text;
    const auto add = [&](const std::string& flag) { text += (text.empty() ? "" : " ") + flag; };
    if (lowers() || is_rewritten)
      for (const auto& [name, value] : given.defines) add("-D" + name + "=" + value);
    if (lowers())
      for (const std::string& folder : given.include_paths) add("-I" + folder);
    for (const std::string& flag : flags) add(flag);
    return text;
  }
};

// Compilers can say more than anybody reads, or a terminal shows: a log keeps its beginning and its end.
constexpr std::size_t kLogEachSide = std::size_t{32} << 10, kMessageEachSide = std::size_t{8} << 10;

// A message with what the author likely meant.
std::string with_hint(const Job& job, std::string what) {
  if (job.options.language != Language::opencl_c) return what;
  const auto add = [&](const std::string& hint) {
    if (hint.empty()) return;
    if (!what.empty() && what.back() != '\n') what += '\n';
    what += "hint: " + hint;
  };
  // Generated kernels are OpenCL C on every device.
  const bool takes_cuda_c = job.dialect == Dialect::cuda_cpp && !job.options.copies_unaligned;
  add(frontend::hint_for(job.source, takes_cuda_c));
  add(unknown_option(job.parsed, job.dialect));
  return what;
}

// An error that names its place already, with the options and the device.
BuildError own_error(const Job& job, const BuildError& error) {
  return {with_hint(job, bounded(error.what(), kMessageEachSide)), error.diagnostics(),
          bounded(error.log(), kLogEachSide), job.flag_text(), job.handle().spec()};
}

Job make_job(ProgramSource& source, const std::shared_ptr<ContextState>& context, std::size_t device,
             const LocalSize& local) {
  const ProgramOptions& options = source.options();
  const Dialect dialect = context->devices()[device].properties().dialect;
  if (options.language == Language::cuda_c && dialect != Dialect::cuda_cpp) {
    throw BuildError("CUDA C runs on CUDA devices only, not on '" + context->devices()[device].spec() +
                     "'; write the kernel in OpenCL C to run it on every device");
  }
  if (!options.headers.empty() && (options.language == Language::cuda_c || dialect == Dialect::opencl_c)) {
    throw BuildError("include files in memory are for OpenCL C on the host and on CUDA, not for '" +
                     context->devices()[device].spec() + "': write them to a folder of include_paths");
  }
  auto translation =
      options.language == Language::cuda_c ? source.translation() : source.translation(target_of(dialect));
  Job job{source.text(),   options, source.parsed(), std::move(translation),
          source.parsed(), {},      context,         device,
          dialect,         local};
  const bool for_driver = options.language == Language::opencl_c && dialect == Dialect::opencl_c;
  job.is_rewritten = for_driver && frontend::has_complex(source.text());
  // The macros of a text that is rewritten are expanded in it already.
  if (job.is_rewritten) job.parsed.defines.clear();
  if (for_driver) {
    job.parsed.defines.emplace_back("QUERN", "1");
    job.parsed.defines.emplace_back("QUERN_OPENCL", "1");
    // What the front end defines for the other devices.
    const DeviceProperties& properties = job.handle().properties();
    const auto define = [&](const char* name, const char* value, bool has = true) {
      if (has) job.parsed.defines.emplace_back(name, value);
    };
    define("QUERN_SUB_GROUP_SIZE", "1");
    define("QUERN_HAS_FP64", "1", properties.has_fp64);
    define("QUERN_HAS_FP16", "1", properties.has_fp16);
    define("QUERN_HAS_INT64_ATOMICS", "1", properties.has_int64_atomics);
    define("QUERN_SCOPE_GROUP", "0");
    define("QUERN_SCOPE_DEVICE", "1");
    define("QUERN_SCOPE_SYSTEM", "2");
    constexpr const char* kRounds = "-cl-fp32-correctly-rounded-divide-sqrt";
    if (properties.rounds_divide_and_sqrt && !job.parsed.has(kRounds) && !job.parsed.is_relaxed())
      job.parsed.standard.emplace_back(kRounds);
  }
  // OpenCL's drivers have options of their own; other compilers have none that begin so.
  if (const std::string unknown = unknown_option(job.parsed, dialect);
      !unknown.empty() && options.language == Language::opencl_c && dialect != Dialect::opencl_c)
    throw ArgumentError(ArgumentError::Kind::value, unknown);
  job.flags = compiler_options(job.parsed, dialect, options.language);
  return job;
}

// Where our own front end preprocesses, its result says what will be built; elsewhere the text and all it
// includes.
std::optional<std::string> text_for_key(const Job& job) {
  if (job.lowers()) return job.translation->preprocessed();
  // Options that may name a file, whose content the key would not know.
  for (const std::string& option : job.parsed.other) {
    if (option.find("include") != std::string::npos || option.starts_with("-isystem") ||
        option.starts_with("@") || option.find("imacros") != std::string::npos ||
        option.find("options-file") != std::string::npos) {
      return std::nullopt;
    }
  }
  return source_closure(job.text(), job.parsed.include_paths);
}

std::optional<std::string> key_of(const Job& job) {
  const std::optional<std::string> text = text_for_key(job);
  if (!text) return std::nullopt;
  Digest digest;
  digest.add_field(QUERN_VERSION);
  digest.add_field(QUERN_FRONTEND_DIGEST);  // a change of the lowering must not be answered with old binaries
  digest.add_field(job.handle().backend());
  digest.add_field(job.context->native().compiler_identity(job.device));
  digest.add_field(job.options.language == Language::cuda_c ? "cuda" : "opencl");
  digest.add_field(job.options.name);
  digest.add_field(job.options.debug ? "debug" : "");
  for (const std::size_t size : job.local) digest.add_field(std::to_string(size));
  for (const std::string& flag : job.flags) digest.add_field(flag);
  for (const std::string& option : job.parsed.standard) digest.add_field(option);
  digest.add_field(job.text_prefix());
  digest.add_field("names");
  for (const std::string& name : job.options.name_expressions) digest.add_field(name);
  digest.add_field(*text);
  return digest.hex();
}

// The signatures of a text that is given to the device's compiler as it is. What our front end cannot read,
// the device may know.
void find_signatures(const Job& job, backend::Module& module, ProgramEntry& entry) {
  try {
    entry.signatures = job.translation->signatures();
  } catch (const BuildError&) {
    entry.signatures.clear();
  }
  if (job.options.language == Language::cuda_c) return;
  for (const std::string& symbol : module.function_names()) {
    const auto renamed =
        std::ranges::find(entry.lowered_names, symbol, &std::pair<std::string, std::string>::second);
    const std::string& name = renamed == entry.lowered_names.end() ? symbol : renamed->first;
    if (std::ranges::find(entry.signatures, name, &Signature::name) != entry.signatures.end()) continue;
    if (auto signature = module.signature_of(symbol)) {
      signature->name = name;
      entry.signatures.push_back(std::move(*signature));
    }
  }
}

// The error of a device's compiler, with the lines of the source that it names.
BuildError compiler_error(const Job& job, const BuildError& error) {
  if (error.log().empty()) return own_error(job, error);
  const BuildError shown =
      frontend::build_error(job.handle().spec() + " (" + job.handle().name() + ")", job.options.name,
                            job.source, bounded(error.log(), kLogEachSide), job.flag_text());
  std::string what = shown.what();
  // Where the log names no error, the compiler was stopped or crashed, or could not write its files.
  const auto is_error = [](const Diagnostic& d) { return d.severity == Diagnostic::Severity::error; };
  if (std::ranges::none_of(shown.diagnostics(), is_error)) {
    const std::string_view reason = error.what();
    what.insert(0, std::string(reason.substr(0, reason.find('\n'))) + "\n");
  }
  return {with_hint(job, bounded(what, kMessageEachSide)), shown.diagnostics(), shown.log(), shown.options(),
          shown.device()};
}

std::shared_ptr<BuiltProgram> compile(const Job& job) {
  backend::CompileRequest request;
  request.dialect = job.dialect;
  request.name = job.options.name;
  request.options = job.flags;
  request.name_expressions = job.options.name_expressions;
  request.debug = job.options.debug;
  if (request.debug) request.source = job.source;

  auto built = std::make_shared<BuiltProgram>();
  ProgramEntry& entry = built->entry;
  entry.backend = job.handle().backend();
  entry.lowered = request.lowered = job.lowers();
  try {
    if (entry.lowered) {
      const auto shared = job.translation->lower(target_of(job.dialect), job.local);
      const frontend::Lowered& lowered = *shared;
      request.text = lowered.text;
      entry.signatures = lowered.kernels;
      if (lowered.contracts) request.options.push_back(contraction_flag(job.dialect, *lowered.contracts));
      if (!lowered.warnings.empty() && job.parsed.has("-Werror")) {
        throw BuildError(frontend::format_diagnostics("warnings are errors", lowered.warnings,
                                                      job.options.name, job.source),
                         lowered.warnings, {});
      }
      if (!lowered.warnings.empty() && !job.parsed.has("-w")) {
        entry.log = frontend::format_diagnostics("", lowered.warnings, job.options.name, job.source);
      }
    } else {
      frontend::OpenclSupport support;
      if (job.dialect == Dialect::opencl_c) support = job.translation->opencl_support();
      entry.lowered_names = std::move(support.renamed);
      request.text = job.text_prefix(support.text);
      request.lines_before = static_cast<int>(std::count(request.text.begin(), request.text.end(), '\n'));
      request.text += opencl_text(job.text());
    }
  } catch (const BuildError& error) {
    throw own_error(job, error);
  }

  compilations.fetch_add(1, std::memory_order_relaxed);
  backend::Compiled compiled;
  const LongWork work("compiling " + request.name + " for '" + job.handle().spec() + "'");
  try {
    compiled = job.context->native().compile(job.device, request);
  } catch (const BuildError& error) {
    throw compiler_error(job, error);
  }
  entry.log += bounded(compiled.log, kLogEachSide);
  std::ranges::move(compiled.lowered_names, std::back_inserter(entry.lowered_names));
  entry.binary = std::move(compiled.binary);
  if (!compiled.module) compiled.module = job.context->native().load(job.device, entry.binary);
  if (!entry.lowered) find_signatures(job, *compiled.module, entry);
  built->module = std::make_shared<LoadedModule>(job.context, std::move(compiled.module));
  return built;
}

std::shared_ptr<BuiltProgram> load_from_disk(const Job& job, const std::string& key) {
  const auto bytes = DiskStore::standard().get(key);
  if (!bytes) return nullptr;
  auto entry = deserialize(*bytes);
  if (!entry || entry->backend != job.handle().backend()) return nullptr;
  try {
    auto module = job.context->native().load(job.device, entry->binary);
    disk_hits.fetch_add(1, std::memory_order_relaxed);
    return std::make_shared<BuiltProgram>(
        BuiltProgram{std::move(*entry), std::make_shared<LoadedModule>(job.context, std::move(module))});
  } catch (const Error&) {
    return nullptr;  // a driver that refuses its own binary: compile again
  }
}

// What was built in this process, by context, device and key. A slot's lock is held while it is built. Slots
// begin to be used under the lock of the map.
struct Slot : Usable {
  std::mutex mutex;
  std::weak_ptr<BuiltProgram> program;
};

InUse<Slot> slot_for(const Job& job, const std::string& key) {
  using Key = std::pair<std::pair<const ContextState*, std::size_t>, std::string>;
  static auto* const mutex = new std::mutex;
  static auto* const slots = new std::map<Key, std::shared_ptr<Slot>>;
  const std::lock_guard lock(*mutex);
  constexpr std::size_t kSweepAbove = 1024;
  if (slots->size() > kSweepAbove) {
    std::erase_if(
        *slots, [](const auto& item) { return !item.second->is_in_use() && item.second->program.expired(); });
  }
  auto& slot = (*slots)[{{job.context.get(), job.device}, key}];
  if (!slot) slot = std::make_shared<Slot>();
  return InUse(slot);
}

// Keeps the programs that were built last, so that a program object that comes and goes is not built each
// time. Only for contexts that live until the process ends, because a cache must not keep other contexts
// alive.
void keep_recent(const Job& job, std::shared_ptr<const BuiltProgram> program) {
  constexpr std::size_t kKept = 256;
  if (ContextState::of(job.handle()) != job.context) return;
  static auto* const mutex = new std::mutex;
  static auto* const recent = new std::deque<std::shared_ptr<const BuiltProgram>>;
  std::shared_ptr<const BuiltProgram> oldest;  // dropped after the lock
  const std::lock_guard lock(*mutex);
  recent->push_back(std::move(program));
  if (recent->size() <= kKept) return;
  oldest = std::move(recent->front());
  recent->pop_front();
}

// Has the program compiled once where several processes share a cache: one compiles, the others wait for as
// long as a compiler may take, and load what it stored. A process that has waited in vain, for one that was
// stopped, say, does not wait again.
std::shared_ptr<BuiltProgram> compile_once(const Job& job, const std::string& key) {
  static std::atomic<bool> waits{true};
  const std::chrono::seconds limit(environment_integer("QUERN_COMPILE_TIMEOUT", 1, 1'000'000).value_or(60));
  DiskStore& store = DiskStore::standard();
  const FileLock lock = store.lock(key, waits.load() ? limit : std::chrono::seconds(0));
  if (lock.state() == FileLock::State::busy) waits.store(false);
  if (auto program = load_from_disk(job, key)) return program;
  auto program = compile(job);
  if (!program->entry.binary.empty()) store.put(key, serialize(program->entry));
  return program;
}

}  // namespace

std::shared_ptr<const BuiltProgram> build_program(ProgramSource& source,
                                                  const std::shared_ptr<ContextState>& context,
                                                  std::size_t device, const LocalSize& local) {
  process::check_not_forked();
  const Job job = make_job(source, context, device, local);
  std::optional<std::string> key;
  try {
    key = key_of(job);
  } catch (const BuildError& error) {
    throw own_error(job, error);
  }
  if (!key) return compile(job);
  const auto slot = slot_for(job, *key);
  const auto lock = lock_interruptibly(slot->mutex);
  if (auto program = slot->program.lock()) {
    memory_hits.fetch_add(1, std::memory_order_relaxed);
    return program;
  }
  // What a debugger needs besides the binary, the cache does not keep.
  const bool stores = !job.options.debug;
  auto program = stores ? load_from_disk(job, *key) : nullptr;
  if (!program) program = stores ? compile_once(job, *key) : compile(job);
  slot->program = program;
  keep_recent(job, program);
  return program;
}

std::shared_ptr<const BuiltProgram> find_program(ProgramSource& source,
                                                 const std::shared_ptr<ContextState>& context,
                                                 std::size_t device, const LocalSize& local) {
  process::check_not_forked();
  if (source.options().debug) return nullptr;
  std::optional<Job> found;
  std::optional<std::string> key;
  try {
    found.emplace(make_job(source, context, device, local));
    key = key_of(*found);
  } catch (const BuildError&) {
  }
  if (!key) return nullptr;
  const Job& job = *found;
  const auto slot = slot_for(job, *key);
  const std::unique_lock lock(slot->mutex, std::try_to_lock);
  if (!lock) return nullptr;
  if (auto program = slot->program.lock()) {
    memory_hits.fetch_add(1, std::memory_order_relaxed);
    return program;
  }
  auto program = load_from_disk(job, *key);
  if (!program) return nullptr;
  slot->program = program;
  keep_recent(job, program);
  return program;
}

std::shared_ptr<const BuiltProgram> load_program(std::span<const std::byte> bytes,
                                                 const std::shared_ptr<ContextState>& context,
                                                 std::size_t device) {
  process::check_not_forked();
  auto entry = deserialize(bytes);
  const std::string& backend = context->devices()[device].backend();
  if (!entry) {
    throw ArgumentError(ArgumentError::Kind::value,
                        "these bytes are not a program that this version of Quern built");
  }
  if (entry->backend != backend) {
    throw ArgumentError(ArgumentError::Kind::value,
                        "the program was built for " + entry->backend + " and cannot run on " + backend);
  }
  auto module = context->native().load(device, entry->binary);
  return std::make_shared<BuiltProgram>(
      BuiltProgram{std::move(*entry), std::make_shared<LoadedModule>(context, std::move(module))});
}

bool can_fix_local(const ProgramSource& source, const Device& device) {
  return source.options().language == Language::opencl_c && device.properties().dialect == Dialect::host_c;
}

bool wants_fixed_local(ProgramSource& source, const std::shared_ptr<ContextState>& context,
                       std::size_t device, std::string_view kernel) {
  const Job job = make_job(source, context, device, {});
  try {
    const auto lowered = job.translation->lower(target_of(job.dialect));
    return std::ranges::any_of(lowered->kernels, [&](const Signature& signature) {
      return signature.name == kernel && signature.wants_fixed_local;
    });
  } catch (const BuildError&) {
    return false;
  }
}

bool check_declarations(ProgramSource& source, const std::shared_ptr<ContextState>& context,
                        std::size_t device) {
  const Dialect dialect = context->devices()[device].properties().dialect;
  // This device cannot build CUDA C; what it declares is what our front end finds.
  if (source.options().language == Language::cuda_c) return dialect != Dialect::cuda_cpp;
  const Job job = make_job(source, context, device, {});
  try {
    job.translation->check_declarations(target_of(dialect));
    return true;
  } catch (const BuildError& error) {
    if (!job.lowers()) return false;
    throw own_error(job, error);
  }
}

std::string compiler_input(ProgramSource& source, Dialect dialect) {
  if (source.options().language == Language::cuda_c) return source.text();
  const auto translation = source.translation(target_of(dialect));
  if (dialect != Dialect::opencl_c) return translation->lower(target_of(dialect))->text;
  const std::string& text =
      frontend::has_complex(source.text()) ? translation->without_complex() : source.text();
  return frontend::opencl_prelude(text) + translation->opencl_support().text + opencl_text(text);
}

BuildCounts build_counts() noexcept {
  return {compilations.load(), memory_hits.load(), disk_hits.load()};
}

}  // namespace quern::detail
