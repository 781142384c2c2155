// SPDX-License-Identifier: MIT
// Finding the MPI library, and messages through it.
#include "distributed/mpi_transport.hpp"

#include <dlfcn.h>
#include <link.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "base/environment.hpp"
#include "base/interruption.hpp"
#include "base/local_ranks.hpp"
#include "base/processors.hpp"
#include "base/shared_library.hpp"
#include "base/warning.hpp"
#include "distributed/mpi_abi.hpp"
#include "quern/distributed/communicator.hpp"
#include "quern/distributed/mpi.hpp"
#include "quern/distributed_error.hpp"

namespace quern::distributed {
namespace {

constexpr int kThreadSerialized = 2;
constexpr int kLargestTag = 32767;                        // that every library allows
constexpr std::size_t kMostBytes = std::size_t{1} << 30;  // of one call, whose count is an int

// MPI is initialised for calls of one thread at a time.
std::mutex& mpi_mutex() {
  static auto* const mutex = new std::mutex();
  return *mutex;
}

template <class Abi>
class Library {
 public:
  using Handle = typename Abi::Handle;

  explicit Library(SharedLibrary loaded) : library_(std::move(loaded)) {
#define QUERN_LOAD(name) load(functions_.name, "MPI_" #name)
    QUERN_LOAD(Initialized);
    QUERN_LOAD(Finalized);
    QUERN_LOAD(Init_thread);
    QUERN_LOAD(Query_thread);
    QUERN_LOAD(Finalize);
    QUERN_LOAD(Abort);
    QUERN_LOAD(Comm_rank);
    QUERN_LOAD(Comm_size);
    QUERN_LOAD(Comm_idup);
    QUERN_LOAD(Comm_set_errhandler);
    QUERN_LOAD(Isend);
    QUERN_LOAD(Irecv);
    QUERN_LOAD(Test);
    QUERN_LOAD(Iprobe);
    QUERN_LOAD(Error_string);
    QUERN_LOAD(Get_library_version);
#undef QUERN_LOAD
    byte_ = Abi::byte(library_);
    world_ = Abi::world(library_);
  }

  [[nodiscard]] const MpiFunctions<Abi>& call() const noexcept {
    return functions_;
  }
  [[nodiscard]] Handle byte() const noexcept {
    return byte_;
  }
  [[nodiscard]] Handle world() const noexcept {
    return world_;
  }
  [[nodiscard]] const std::string& path() const noexcept {
    return library_.path();
  }

  void check(int status, const char* function) const {
    if (status == 0) return;
    std::array<char, 8192> text = {};
    int length = 0;
    functions_.Error_string(status, text.data(), &length);
    throw DistributedError(std::string(function) + " failed: " + text.data(), {});
  }

  // Initialises MPI, unless the program did. The one who initialises also finalises, at exit.
  void initialise() {
    int is_set = 0, level = 0;
    check(functions_.Finalized(&is_set), "MPI_Finalized");
    if (is_set != 0) throw DistributedError("MPI was finalised already: call init() before MPI_Finalize", {});
    check(functions_.Initialized(&is_set), "MPI_Initialized");
    if (is_set == 0) {
      check(functions_.Init_thread(nullptr, nullptr, kThreadSerialized, &level), "MPI_Init_thread");
      finalise_at_exit();
    } else {
      check(functions_.Query_thread(&level), "MPI_Query_thread");
    }
    if (level < kThreadSerialized)
      warn_once(
          "MPI was initialised for calls of one thread only: call Quern's distributed functions from that "
          "thread, or initialise MPI with MPI_THREAD_SERIALIZED");
  }

  // A communicator of our own, whose errors are returned. Those of the program keep their error handlers.
  // MPI_Comm_dup would wait for the other ranks without a limit.
  [[nodiscard]] Handle duplicate(Handle communicator) const {
    auto made = std::make_unique<Handle>();
    Handle request = {};
    int is_done = 0;
    {
      const std::lock_guard lock(mpi_mutex());
      check(functions_.Comm_idup(communicator, made.get(), &request), "MPI_Comm_idup");
    }
    const WaitLimits limits = WaitLimits::from_environment();
    const auto start = std::chrono::steady_clock::now();
    bool has_warned = false;
    try {
      for (unsigned round = 0;; ++round) {
        {
          const std::lock_guard lock(mpi_mutex());
          MpiStatus status;
          check(functions_.Test(&request, &is_done, &status), "MPI_Test");
        }
        if (is_done != 0) break;
        if (round < 1000) {
          std::this_thread::yield();
          continue;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        check_interruption();
        check_limits(limits, std::chrono::steady_clock::now() - start, has_warned);
      }
    } catch (...) {
      static_cast<void>(made.release());  // MPI may write to it later
      throw;
    }
    const std::lock_guard lock(mpi_mutex());
    check(functions_.Comm_set_errhandler(*made, Abi::errors_return(library_)), "MPI_Comm_set_errhandler");
    return *made;
  }

  [[nodiscard]] bool is_finalised() const noexcept {
    int is_set = 0;
    return functions_.Finalized(&is_set) != 0 || is_set != 0;
  }

  [[nodiscard]] std::string version() const {
    std::array<char, 8192> text = {};
    int length = 0;
    functions_.Get_library_version(text.data(), &length);
    std::string first(text.data());  // "Open MPI v4.1.4, package: ...", or lines of "MPICH Version:\t4.0.2"
    first.resize(std::min(first.size(), first.find_first_of(",\n")));
    std::replace(first.begin(), first.end(), '\t', ' ');
    return first;
  }

 private:
  static void check_limits(const WaitLimits& limits, std::chrono::steady_clock::duration waited,
                           bool& has_warned) {
    const auto text = [&] {
      const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(waited).count();
      return "init has waited for " + std::to_string(seconds) +
             " s for other ranks of the communicator: all of them must call init(), or create their first "
             "distributed array";
    };
    if (waited >= limits.fail) throw DistributedError(text() + " (QUERN_DIST_TIMEOUT sets the limit)", {});
    if (!has_warned && waited >= limits.warn) {
      has_warned = true;
      warn_once(text());
    }
  }
  template <class Function>
  void load(Function& function, const char* name) {
    void* symbol = library_.symbol(name);
    if (symbol == nullptr) {
      throw DistributedError(library_.path() + " has no function " + name + ", so it is not an MPI library",
                             {});
    }
    function = reinterpret_cast<Function>(symbol);
  }
  void finalise_at_exit() {
    static const Library* exiting;
    static pid_t process;
    exiting = this;
    process = ::getpid();
    std::atexit([] {  // not in a child that fork() has made
      if (process == ::getpid() && !exiting->is_finalised()) exiting->functions_.Finalize();
    });
  }

  SharedLibrary library_;
  MpiFunctions<Abi> functions_ = {};
  Handle byte_ = {}, world_ = {};
};

// A send or receive. Libraries end the program if a message is longer than the memory that it is received
// into, so the first piece of every message has its length and a limited number of its bytes. The others
// follow in pieces of at most kMostBytes, which the receiver posts once it knows that the length is right.
// They have a tag of their own, because first pieces of later messages may be awaited already.
template <class Abi>
class MpiTransfer : public Transfer {
 public:
  using Handle = typename Abi::Handle;
  static constexpr std::size_t kFirstBytes = 4096;
  struct Start {
    std::uint64_t length = 0;
    int tag = 0;  // of the other pieces
  };

  MpiTransfer(const Library<Abi>& library, Handle communicator, int peer, int tag)
      : library_(library), communicator_(communicator), peer_(peer), tag_(tag) {}

  // The caller holds the mutex, as in receive().
  void send(std::span<const std::byte> bytes) {
    const auto first = bytes.first(std::min(bytes.size(), kFirstBytes));
    Start start{bytes.size(), 0};
    if (first.size() < bytes.size()) start.tag = next_tag();
    first_.resize(sizeof start + first.size());
    std::memcpy(first_.data(), &start, sizeof start);
    if (!first.empty()) std::memcpy(first_.data() + sizeof start, first.data(), first.size());
    post_send(first_, tag_);
    for (std::size_t at = first.size(); at < bytes.size(); at += kMostBytes)
      post_send(bytes.subspan(at, std::min(kMostBytes, bytes.size() - at)), start.tag);
  }

  void receive(std::span<std::byte> memory) {
    memory_ = memory;
    is_receive_ = true;
    first_.resize(sizeof(Start) + kFirstBytes);
    post_receive(first_, tag_);
  }

  bool done() override {
    const std::lock_guard lock(mpi_mutex());
    while (next_ < requests_.size()) {
      int is_done = 0;
      MpiStatus status;
      library_.check(library_.call().Test(&requests_[next_], &is_done, &status), "MPI_Test");
      if (is_done == 0) return false;
      if (++next_ == 1 && is_receive_) take_first();
    }
    return true;
  }
  [[nodiscard]] std::size_t length() const noexcept override { return length_; }
  [[nodiscard]] bool may_be_destroyed() const noexcept override { return next_ == requests_.size(); }

 private:
  // Tags of messages that are under way from this rank differ.
  static int next_tag() {
    static int last = 0;  // under the mutex
    last = (last + 1) % (kLargestTag - kLargestMessageTag);
    return kLargestMessageTag + 1 + last;
  }
  void take_first() {
    Start start;
    std::memcpy(&start, first_.data(), sizeof start);
    length_ = static_cast<std::size_t>(start.length);
    if (const std::size_t fits = std::min({length_, memory_.size(), kFirstBytes}); fits != 0)
      std::memcpy(memory_.data(), first_.data() + sizeof start, fits);
    if (length_ != memory_.size()) return;  // the ranks disagree, and the caller finds it
    for (std::size_t at = kFirstBytes; at < length_; at += kMostBytes)
      post_receive(memory_.subspan(at, std::min(kMostBytes, length_ - at)), start.tag);
  }
  void post_send(std::span<const std::byte> piece, int tag) {
    Handle request = {};
    library_.check(library_.call().Isend(piece.data(), static_cast<int>(piece.size()), library_.byte(), peer_,
                                         tag, communicator_, &request),
                   "MPI_Isend");
    requests_.push_back(request);
  }
  void post_receive(std::span<std::byte> piece, int tag) {
    Handle request = {};
    library_.check(library_.call().Irecv(piece.data(), static_cast<int>(piece.size()), library_.byte(), peer_,
                                         tag, communicator_, &request),
                   "MPI_Irecv");
    requests_.push_back(request);
  }

  const Library<Abi>& library_;
  Handle communicator_;
  int peer_, tag_;
  bool is_receive_ = false;
  std::span<std::byte> memory_;
  std::vector<std::byte> first_;
  std::vector<Handle> requests_;
  std::size_t next_ = 0, length_ = 0;
};

template <class Abi>
class MpiTransport : public Transport {
 public:
  using Handle = typename Abi::Handle;

  MpiTransport(const Library<Abi>& library, Handle communicator)
      : library_(library), communicator_(communicator) {
    library_.check(library_.call().Comm_rank(communicator_, &rank_), "MPI_Comm_rank");
    library_.check(library_.call().Comm_size(communicator_, &size_), "MPI_Comm_size");
    const LocalRanks ranks = local_ranks();
    const std::size_t processors = processors_of_launcher(ranks, allowed_processors().size());
    if (static_cast<std::size_t>(ranks.size) > processors) brief_wait_ = std::chrono::microseconds(100);
  }

  [[nodiscard]] int rank() const noexcept override { return rank_; }
  [[nodiscard]] int size() const noexcept override { return size_; }
  [[nodiscard]] std::string description() const override { return library_.version(); }

  std::unique_ptr<Transfer> send(std::span<const std::byte> bytes, int to, int tag) override {
    auto transfer = std::make_unique<MpiTransfer<Abi>>(library_, communicator_, to, tag);
    const std::lock_guard lock(mpi_mutex());
    try {
      transfer->send(bytes);
    } catch (...) {
      // MPI may still read the first piece.
      if (!transfer->may_be_destroyed()) static_cast<void>(transfer.release());
      throw;
    }
    return transfer;
  }
  std::unique_ptr<Transfer> receive(std::span<std::byte> bytes, int from, int tag) override {
    auto transfer = std::make_unique<MpiTransfer<Abi>>(library_, communicator_, from, tag);
    const std::lock_guard lock(mpi_mutex());
    transfer->receive(bytes);
    return transfer;
  }

  std::optional<Waiting> probe(int tag) override {
    const std::lock_guard lock(mpi_mutex());
    int is_there = 0;
    MpiStatus status;
    library_.check(library_.call().Iprobe(Abi::kAnySource, tag, communicator_, &is_there, &status),
                   "MPI_Iprobe");
    if (is_there == 0) return std::nullopt;
    return Waiting{status.template source<Abi>()};
  }

  void pause(std::chrono::microseconds longest) override {
    // MPI progresses only in its calls, so short pauses give the core to others and no more.
    if (longest < std::chrono::microseconds(50)) {
      std::this_thread::yield();
    } else {
      std::this_thread::sleep_for(std::chrono::microseconds(20));
    }
  }

  [[nodiscard]] std::chrono::microseconds brief_wait() const noexcept override { return brief_wait_; }

  [[nodiscard]] bool is_open() const noexcept override { return !library_.is_finalised(); }

  [[noreturn]] void abort(int exit_status) override {
    library_.call().Abort(library_.world(), exit_status);
    std::abort();  // MPI_Abort does not return
  }

 private:
  const Library<Abi>& library_;
  Handle communicator_;
  int rank_ = 0, size_ = 1;
  std::chrono::microseconds brief_wait_ =
      std::chrono::milliseconds(5);  // the others have processors of their own
};

// The MPI library that the process has loaded, for example through mpi4py.
std::string loaded_library() {
  std::string found;
  const auto look = [](dl_phdr_info* info, std::size_t, void* result) {
    const std::string path = info->dlpi_name != nullptr ? info->dlpi_name : "";
    const std::string name = path.substr(path.rfind('/') + 1);
    if (name.rfind("libmpi.so", 0) != 0 && name.rfind("libmpich.so", 0) != 0) return 0;
    *static_cast<std::string*>(result) = path;
    return 1;
  };
  ::dl_iterate_phdr(look, &found);
  return found;
}

template <class Abi>
std::unique_ptr<Transport> transport_of(SharedLibrary loaded, std::uintptr_t communicator) {
  // Never destroyed: MPI stays until the process ends.
  static const auto* const library = [&] {
    auto* made = new Library<Abi>(std::move(loaded));
    made->initialise();
    return made;
  }();
  typename Abi::Handle of = library->world();
  if (communicator != 0) std::memcpy(&of, reinterpret_cast<const void*>(communicator), sizeof of);
  auto transport = std::make_unique<MpiTransport<Abi>>(*library, library->duplicate(of));
  const Launcher launcher = find_launcher();
  if (communicator == 0 && transport->size() == 1 && launcher.size > 1) {
    throw DistributedError(
        "the launcher (" + launcher.name + ") has started " + std::to_string(launcher.size) + " ranks, but " +
            library->path() + " (" + library->version() +
            ") sees one: the launcher belongs to another MPI; use its own mpiexec, or name "
            "the right library in QUERN_MPI_LIBRARY",
        {});
  }
  return transport;
}

}  // namespace

std::vector<std::string> mpi_library_names(const std::string& launcher) {
  if (const auto named = environment("QUERN_MPI_LIBRARY"); named && !named->empty()) return {*named};
  if (const std::string loaded = loaded_library(); !loaded.empty()) return {loaded};
  const std::vector<std::string> open_mpi = {"libmpi.so.40", "libmpi.so.20"};
  std::vector<std::string> names = {"libmpich.so.12", "libmpi.so.12"};
  if (launcher == "Open MPI") return open_mpi;
  names.insert(names.end(), open_mpi.begin(), open_mpi.end());
  return names;
}

Launcher find_launcher() {
  const auto number = [](const char* name) {
    const auto text = environment(name);
    return text ? std::atoi(text->c_str()) : 0;
  };
  if (const int size = number("OMPI_COMM_WORLD_SIZE"); size > 0) return {size, "Open MPI"};
  if (const int size = number("PMI_SIZE"); size > 0) return {size, "MPICH"};
  if (environment("PMIX_RANK")) return {1, "PMIx"};
  return {};
}

std::unique_ptr<Transport> make_mpi_transport(std::uintptr_t communicator) {
  const std::vector<std::string> names = mpi_library_names(find_launcher().name);
  SharedLibrary library(names);
  if (!library.loaded()) {
    std::string text = "no MPI library was found:";
    for (const auto& attempt : library.attempts()) text += "\n  " + attempt.name + ": " + attempt.error;
    throw DistributedError(text + "\ninstall Open MPI or MPICH, or name the library in QUERN_MPI_LIBRARY",
                           {});
  }
  // Plug-ins of Open MPI expect its symbols in the global scope.
  ::dlopen(library.path().c_str(), RTLD_NOW | RTLD_GLOBAL | RTLD_NOLOAD);
  if (library.symbol("ompi_mpi_comm_world") != nullptr) {
    return transport_of<OpenMpiAbi>(std::move(library), communicator);
  }
  return transport_of<MpichAbi>(std::move(library), communicator);
}

std::unique_ptr<Transport> make_default_transport() {
  if (find_launcher().size == 0 && loaded_library().empty()) return make_self_transport();
  return make_mpi_transport();
}

}  // namespace quern::distributed
