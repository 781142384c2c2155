// SPDX-License-Identifier: MIT
// Makes the memory on one rank; the others open it through that process.
#include "distributed/shared_memory.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <string>

#include "base/file_descriptor.hpp"
#include "base/system_memory.hpp"
#include "distributed/collectives.hpp"
#include "quern/distributed_error.hpp"

namespace quern::distributed {
namespace {

// What rank 0 tells the others.
struct Offer {
  std::int64_t process = 0;
  std::int32_t descriptor = -1;
  std::int32_t error = 0;  // errno, if it could not make the memory
};

template <class T>
std::span<const std::byte> bytes_of(const T& value) {
  return std::as_bytes(std::span(&value, 1));
}

std::string size_text(std::size_t nbytes) {
  return std::to_string(nbytes) + " bytes";
}

}  // namespace

SharedMemory::SharedMemory(CommunicatorState& communicator, const Call& call,
                           std::span<const std::size_t> lengths) {
  if (!communicator.is_one_node())
    throw DistributedError(call.text() + ": one-sided memory needs all ranks on one node", {});
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  offsets_.push_back(0);
  for (const std::size_t length : lengths) {
    const std::size_t pages = length / page + (length % page != 0 ? 1 : 0);
    offsets_.push_back(offsets_.back() + std::max<std::size_t>(pages, 1) * page);
  }
  const std::size_t total = offsets_.back();

  Offer offer;
  const FileDescriptor made(communicator.rank() == 0 ? ::memfd_create("quern-ranks", MFD_CLOEXEC) : -1);
  if (communicator.rank() == 0) {
    offer.process = ::getpid();
    offer.descriptor = made.get();
    // Otherwise the kernel would grant more pages than there are, and kill processes later.
    const std::size_t available = system_memory().available;
    if (available != 0 && total > available) {
      offer.error = ENOMEM;
    } else if (!made.valid() || ::ftruncate(made.get(), static_cast<off_t>(total)) != 0) {
      offer.error = errno;
    }
  }
  Bytes told(bytes_of(offer).begin(), bytes_of(offer).end());
  broadcast(communicator, call, told, 0);
  std::memcpy(&offer, told.data(), sizeof offer);
  if (offer.error != 0)
    throw DistributedError(call.text() + ": rank 0 cannot make shared memory of " + size_text(total) + ": " +
                               std::strerror(offer.error),
                           {0});

  // Each rank takes the pages of its own part, so that they are near its processor.
  std::int32_t error = 0;
  const std::string path =
      "/proc/" + std::to_string(offer.process) + "/fd/" + std::to_string(offer.descriptor);
  const FileDescriptor opened(::open(path.c_str(), O_RDWR | O_CLOEXEC));
  const auto own = static_cast<std::size_t>(communicator.rank());
  if (!opened.valid()) {
    error = errno;
  } else {
    error = ::posix_fallocate(opened.get(), static_cast<off_t>(offsets_[own]),
                              static_cast<off_t>(offsets_[own + 1] - offsets_[own]));
  }
  void* mapped = MAP_FAILED;
  if (error == 0) {
    mapped = ::mmap(nullptr, total, PROT_READ | PROT_WRITE, MAP_SHARED, opened.get(), 0);
    if (mapped == MAP_FAILED) error = errno;
  }
  if (mapped != MAP_FAILED) memory_ = static_cast<std::byte*>(mapped);
  try {
    // After this, rank 0 may close its descriptor.
    const Bytes errors = all_gather(communicator, call, bytes_of(error));
    for (int rank = 0; rank < communicator.size(); ++rank) {
      std::memcpy(&error, errors.data() + static_cast<std::size_t>(rank) * sizeof error, sizeof error);
      if (error == 0) continue;
      const auto at = static_cast<std::size_t>(rank);
      throw DistributedError(call.text() + ": rank " + std::to_string(rank) + " cannot map its " +
                                 size_text(offsets_[at + 1] - offsets_[at]) +
                                 " of shared memory: " + std::strerror(error),
                             {rank});
    }
  } catch (...) {
    if (memory_ != nullptr) ::munmap(memory_, total);
    throw;
  }
}

SharedMemory::~SharedMemory() {
  if (memory_ != nullptr) ::munmap(memory_, offsets_.back());
}

}  // namespace quern::distributed
