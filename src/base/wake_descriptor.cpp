// SPDX-License-Identifier: MIT
// An eventfd on Linux, a pipe elsewhere.
#include "base/wake_descriptor.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <string>

#ifdef __linux__
#include <sys/eventfd.h>
#endif

#include "quern/error.hpp"

namespace quern {

WakeDescriptor::WakeDescriptor() {
#ifdef __linux__
  reader_ = FileDescriptor(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC));
  if (!reader_.valid()) throw Error(std::string("eventfd failed: ") + std::strerror(errno));
#else
  int ends[2];
  if (pipe(ends) != 0) throw Error(std::string("pipe failed: ") + std::strerror(errno));
  reader_ = FileDescriptor(ends[0]);
  writer_ = FileDescriptor(ends[1]);
  for (const int end : ends) {
    fcntl(end, F_SETFL, O_NONBLOCK);
    fcntl(end, F_SETFD, FD_CLOEXEC);
  }
#endif
}

void WakeDescriptor::wake() noexcept {
  const int saved = errno;
  const std::uint64_t one = 1;
  const int to = writer_.valid() ? writer_.get() : reader_.get();
  while (write(to, &one, sizeof one) < 0 && errno == EINTR) {
  }
  errno = saved;
}

void WakeDescriptor::clear() noexcept {
  const int saved = errno;
  std::uint64_t counts[64];
  ssize_t got = 0;
  do {
    got = read(reader_.get(), counts, sizeof counts);
  } while ((got < 0 && errno == EINTR) || got == sizeof counts);
  errno = saved;
}

}  // namespace quern
