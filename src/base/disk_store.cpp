// SPDX-License-Identifier: MIT
// Entries are files <name>.quern, each with a header, a checksum and the payload;
// <name>.<process>.<count>.tmp while they are written. `locks` is an empty file; an entry's lock is the byte
// of it at the offset that its name begins with.
#include "base/disk_store.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <compare>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <random>
#include <string_view>
#include <system_error>
#include <tuple>
#include <utility>

#include "base/digest.hpp"
#include "base/environment.hpp"
#include "base/file_descriptor.hpp"
#include "base/private_folder.hpp"
#include "base/warning.hpp"

namespace quern {
namespace {

constexpr std::string_view kEntrySuffix = ".quern", kTemporarySuffix = ".tmp";
constexpr const char* kLocks = "locks";
constexpr std::uint64_t kDefaultLimit = std::uint64_t{1} << 30;
constexpr std::size_t kLongestName = 128;
constexpr std::int64_t kStaleSeconds = 3600;

// The file format. A file of another byte order or layout has another magic number or checksum and counts as
// a miss.
struct Header {
  char magic[8];
  std::uint64_t payload_size;
  Digest::Value checksum;
};
static_assert(sizeof(Header) == 48);
constexpr char kMagic[8] = {'q', 'u', 'e', 'r', 'n', '\0', '\0', '1'};

Digest::Value checksum(const std::string& name, std::span<const std::byte> payload) {
  return Digest().add_field(name).add(payload).value();
}

bool is_hex(std::string_view name) {
  return !name.empty() && name.size() <= kLongestName &&
         name.find_first_not_of("0123456789abcdefABCDEF") == std::string_view::npos;
}

bool is_entry(std::string_view file) {
  return file.ends_with(kEntrySuffix) && is_hex(file.substr(0, file.size() - kEntrySuffix.size()));
}

bool is_temporary(std::string_view file) {
  return file.ends_with(kTemporarySuffix) && is_hex(file.substr(0, file.find('.')));
}

struct Timestamp {
  std::int64_t seconds = 0, nanoseconds = 0;
  auto operator<=>(const Timestamp&) const = default;
};

struct File {
  std::string name;
  std::uint64_t size = 0;
  Timestamp used;
};

struct Listing {
  std::vector<File> entries, temporaries;
};

Listing list(int folder) {
  Listing result;
  FileDescriptor again(
      ::openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));  // the stream owns it from here
  if (!again.valid()) return result;
  const std::unique_ptr<DIR, int (*)(DIR*)> stream(::fdopendir(again.get()), ::closedir);
  if (!stream) return result;
  (void)again.release();
  while (const dirent* item = ::readdir(stream.get())) {
    const std::string_view name = item->d_name;
    const bool entry = is_entry(name);
    if (!entry && !is_temporary(name)) continue;
    struct stat status = {};
    if (::fstatat(folder, item->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0) continue;
    if (S_ISDIR(status.st_mode)) continue;
    (entry ? result.entries : result.temporaries)
        .push_back({std::string(name),
                    static_cast<std::uint64_t>(status.st_size),
                    {status.st_mtim.tv_sec, status.st_mtim.tv_nsec}});
  }
  return result;
}

bool remove_file(int folder, const std::string& name) {
  return ::unlinkat(folder, name.c_str(), 0) == 0;
}

// A killed writer leaves its file behind; a file that is still being written is never this old.
void remove_stale(int folder, const std::vector<File>& temporaries) {
  const std::int64_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  for (const File& file : temporaries) {
    if (std::abs(now - file.used.seconds) > kStaleSeconds) remove_file(folder, file.name);
  }
}

// A new file for one writer; it is removed unless it was renamed.
class TemporaryFile {
 public:
  TemporaryFile(int folder, const std::string& name) : folder_(folder) {
    static std::atomic<unsigned> count{0};
    // Another process, in another container or before us, may have had our process number: then the name is
    // taken.
    for (int attempt = 0; attempt < 100 && !fd_.valid(); ++attempt) {
      name_ = name + "." + std::to_string(::getpid()) + "." + std::to_string(count++) +
              std::string(kTemporarySuffix);
      fd_.reset(::openat(folder_, name_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
      if (!fd_.valid() && errno != EEXIST && errno != EINTR) return;
    }
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() {
    if (!fd_.valid() || renamed_) return;
    const int error = errno;
    ::unlinkat(folder_, name_.c_str(), 0);
    errno = error;
  }

  [[nodiscard]] bool write(std::span<const std::byte> bytes) {
    return fd_.valid() && write_all(fd_.get(), bytes);
  }

  [[nodiscard]] bool sync() { return fd_.valid() && ::fsync(fd_.get()) == 0; }

  // A file that was not synced and that a power cut leaves half written fails its checksum.
  [[nodiscard]] bool rename_to(const std::string& name) {
    renamed_ = ::renameat(folder_, name_.c_str(), folder_, name.c_str()) == 0;
    return renamed_;
  }

 private:
  int folder_;
  FileDescriptor fd_;
  std::string name_;
  bool renamed_ = false;
};

enum class Outcome { right, absent, bad };

Outcome read_entry(int fd, const std::string& name, std::vector<std::byte>& payload) {
  struct stat status = {};
  if (::fstat(fd, &status) != 0) return Outcome::absent;
  const auto size = static_cast<std::uint64_t>(status.st_size);
  if (!S_ISREG(status.st_mode) || status.st_uid != ::geteuid() || size < sizeof(Header)) return Outcome::bad;
  Header header = {};
  if (!read_at(fd, 0, std::as_writable_bytes(std::span(&header, 1)))) return Outcome::absent;
  if (std::memcmp(header.magic, kMagic, sizeof(kMagic)) != 0 ||
      header.payload_size != size - sizeof(Header)) {
    return Outcome::bad;
  }
  payload.resize(header.payload_size);
  if (!read_at(fd, sizeof(Header), payload)) return Outcome::absent;
  return checksum(name, payload) == header.checksum ? Outcome::right : Outcome::bad;
}

std::string home_folder() {
  if (const auto home = environment("HOME"); home && !home->empty()) return *home;
  std::vector<char> text(16 << 10);
  passwd entry = {};
  passwd* found = nullptr;
  if (::getpwuid_r(::geteuid(), &entry, text.data(), text.size(), &found) != 0 || found == nullptr) return {};
  return entry.pw_dir != nullptr ? entry.pw_dir : "";
}

std::string standard_folder() {
  if (auto folder = environment("QUERN_CACHE_DIR")) return *folder;
  // The XDG specification says to ignore relative paths.
  if (const auto cache = environment("XDG_CACHE_HOME"); cache && cache->starts_with('/'))
    return *cache + "/quern";
  const std::string home = home_folder();
  return home.empty() ? "" : home + "/.cache/quern";
}

// Absolute, because the process may change its folder; without trailing slashes, which would follow a
// symlink.
std::string normalised(const std::string& folder) {
  if (folder.empty()) return {};
  std::error_code error;
  std::string path = std::filesystem::absolute(folder, error).string();
  if (error) path = folder;
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  return path;
}

// Bytes written between two scans of the folder, and bytes that a scan leaves: together below the limit.
std::uint64_t bytes_between_prunes(std::uint64_t limit) {
  return limit / 16 + 1;
}
std::uint64_t bytes_after_prune(std::uint64_t limit) {
  return limit - limit / 8;
}

}  // namespace

DiskStore::DiskStore(const std::string& folder, std::uint64_t limit_bytes)
    : folder_(normalised(folder)), limit_(limit_bytes) {
  if (folder_.empty()) {
    problem_ = "the disk cache is turned off";
    return;
  }
  if (const PrivateFolder opened = open_private_folder(folder_); !opened.fd.valid()) {
    warn(opened.problem);
    problem_ = "the cache folder " + folder_ + " " + opened.problem;
    return;
  }
  // Scanning the folder takes a while, so it is done once for every so many bytes written. A random start
  // within that interval lets many short processes share the work, without a counter on disk.
  const auto seed = static_cast<std::uint64_t>(std::chrono::system_clock::now().time_since_epoch().count()) ^
                    static_cast<std::uint64_t>(::getpid()) << 32;
  written_since_prune_ = std::mt19937_64(seed)() % bytes_between_prunes(limit_);
}

DiskStore& DiskStore::standard() {
  static auto* store =
      new DiskStore(standard_folder(), environment_bytes("QUERN_CACHE_SIZE").value_or(kDefaultLimit));
  return *store;
}

std::optional<std::vector<std::byte>> DiskStore::get(const std::string& name) {
  if (!is_hex(name)) return std::nullopt;
  const FileDescriptor folder = open();
  if (!folder.valid()) return std::nullopt;
  const std::string file_name = name + std::string(kEntrySuffix);
  const FileDescriptor file(
      ::openat(folder.get(), file_name.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!file.valid()) return std::nullopt;
  std::vector<std::byte> payload;
  switch (read_entry(file.get(), name, payload)) {
    case Outcome::right:
      ::futimens(file.get(), nullptr);  // time of use; may fail on a read-only disk, where it does not matter
      return payload;
    case Outcome::bad:
      remove_file(folder.get(), file_name);
      return std::nullopt;
    case Outcome::absent:
      return std::nullopt;
  }
  return std::nullopt;
}

bool DiskStore::put(const std::string& name, std::span<const std::byte> payload, Durability durability) {
  const std::uint64_t size = sizeof(Header) + payload.size();
  if (!is_hex(name) || size > bytes_after_prune(limit_)) return false;
  const FileDescriptor folder = open();
  if (!folder.valid()) return false;
  Header header = {};
  std::memcpy(header.magic, kMagic, sizeof(kMagic));
  header.payload_size = payload.size();
  header.checksum = checksum(name, payload);
  {
    TemporaryFile file(folder.get(), name);
    const bool is_synced = durability == Durability::synced;
    if (!file.write(std::as_bytes(std::span(&header, 1))) || !file.write(payload) ||
        (is_synced && !file.sync()) || !file.rename_to(name + std::string(kEntrySuffix))) {
      warn("cannot be written: " + std::system_category().message(errno));
      stores_.store(false, std::memory_order_relaxed);
      return false;
    }
    if (is_synced) ::fsync(folder.get());  // the new name; some file systems cannot, and need not
  }
  stores_.store(true, std::memory_order_relaxed);
  keep_within_limit(size);
  return true;
}

std::vector<std::string> DiskStore::names() const {
  std::vector<std::string> result;
  const FileDescriptor folder = open();
  if (!folder.valid()) return result;
  for (const File& file : list(folder.get()).entries)
    result.push_back(file.name.substr(0, file.name.size() - kEntrySuffix.size()));
  std::sort(result.begin(), result.end());
  return result;
}

bool DiskStore::remove(const std::string& name) {
  const FileDescriptor folder = open();
  return is_hex(name) && folder.valid() && remove_file(folder.get(), name + std::string(kEntrySuffix));
}

FileLock DiskStore::lock(const std::string& name, std::chrono::milliseconds limit) {
  // If entries cannot be stored, other processes cannot find them, and waiting would only serialise the
  // builds.
  if (!is_hex(name) || !stores_.load(std::memory_order_relaxed)) return {};
  const FileDescriptor folder = open();
  if (!folder.valid()) return {};
  FileDescriptor file(::openat(folder.get(), kLocks,
                               O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0600));
  const std::uint64_t place = std::strtoull(name.substr(0, 16).c_str(), nullptr, 16);
  return {std::move(file), place, limit};
}

void DiskStore::keep_within_limit(std::uint64_t written) {
  if (written_since_prune_.fetch_add(written) + written < bytes_between_prunes(limit_)) return;
  written_since_prune_ = 0;
  prune(bytes_after_prune(limit_));
}

// Opened each time, so that a removed folder is created again and a replaced one is checked again.
FileDescriptor DiskStore::open() const {
  if (!usable()) return {};
  PrivateFolder folder = open_private_folder(folder_);
  if (!folder.fd.valid()) warn(folder.problem);
  return std::move(folder.fd);
}

void DiskStore::warn(const std::string& what) const {
  warn_once("the cache folder " + folder_ + " " + what + "; compiled programs are not cached on disk");
}

DiskStore::Usage DiskStore::usage() const {
  Usage usage{.limit = limit_};
  const FileDescriptor folder = open();
  if (!folder.valid()) return usage;
  for (const File& file : list(folder.get()).entries) {
    ++usage.entries;
    usage.bytes += file.size;
  }
  return usage;
}

std::size_t DiskStore::clear() {
  const FileDescriptor folder = open();
  if (!folder.valid()) return 0;
  const Listing listing = list(folder.get());
  remove_stale(folder.get(), listing.temporaries);
  std::size_t removed = 0;
  for (const File& file : listing.entries) removed += remove_file(folder.get(), file.name) ? 1 : 0;
  return removed;
}

std::size_t DiskStore::prune(std::uint64_t to_bytes) {
  const FileDescriptor folder = open();
  if (!folder.valid()) return 0;
  Listing listing = list(folder.get());
  remove_stale(folder.get(), listing.temporaries);
  std::uint64_t total = 0;
  for (const File& file : listing.entries) total += file.size;
  std::sort(listing.entries.begin(), listing.entries.end(),
            [](const File& a, const File& b) { return std::tie(a.used, a.name) < std::tie(b.used, b.name); });
  std::size_t removed = 0;
  for (const File& file : listing.entries) {
    if (total <= to_bytes) break;
    removed += remove_file(folder.get(), file.name) ? 1 : 0;
    total -= file.size;
  }
  return removed;
}

}  // namespace quern
