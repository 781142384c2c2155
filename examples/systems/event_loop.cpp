// SPDX-License-Identifier: MIT
// An event loop that waits for devices as it waits for files: poll() on the descriptor of a completion port.
#include <poll.h>

#include <functional>
#include <iostream>
#include <quern/quern.hpp>
#include <vector>

namespace qn = quern;

int main() {
  qn::Queue queue{qn::default_device()};
  qn::Kernel twice =
      qn::Program{"kernel void twice(global float *a) { a[get_global_id(0)] *= 2; }"}.kernel("twice");
  qn::Array a = qn::asarray(queue, std::vector<float>{1, 2, 3, 4});

  qn::CompletionPort port;
  int launches = 0;
  bool polls = false;
  // Runs on this thread, in port.serve(), and launches the kernel again.
  std::function<void(const qn::Event&)> next = [&](const qn::Event&) {
    if (++launches < 10) polls = port.on_done(twice(queue, qn::range(a.size()), a), next);
  };
  polls = port.on_done(twice(queue, qn::range(a.size()), a), next);
  while (launches < 10) {
    std::vector<pollfd> watched = {{port.descriptor(), POLLIN, 0}};  // and sockets, and pipes
    poll(watched.data(), watched.size(), polls ? 0 : 1000);
    polls = port.serve();
  }
  std::cout << a.to_vector<float>(queue)[3] << '\n';
  return a.to_vector<float>(queue)[3] == 4096 ? 0 : 1;
}
