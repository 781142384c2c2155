// SPDX-License-Identifier: MIT
// The floor under the host device, from C++: launch and wait, a memory-bound stream against an OpenMP loop of
// the same run, copies, and a build. Prints the minimum and the median of each.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "backend/backend.hpp"
#include "backend/registry.hpp"

namespace {

using namespace quern::backend;

constexpr const char* kAbi = R"(
typedef struct quern_launch {
  unsigned long long global_size[3], local_size[3], global_offset[3], group_count[3];
  unsigned work_dim;
  const void *const *arguments;
} quern_launch;
)";

constexpr const char* kKernels = R"(
void quern_kernel_nothing(const quern_launch *launch, unsigned long long first, unsigned long long last) {}
void quern_kernel_lin_comb(const quern_launch *launch, unsigned long long first, unsigned long long last) {
  const float a = *(const float *)launch->arguments[0], b = *(const float *)launch->arguments[2];
  const float *x = *(const float *const *)launch->arguments[1], *y = *(const float *const *)launch->arguments[3];
  float *z = *(float *const *)launch->arguments[4];
  for (unsigned long long group = first; group < last; ++group) {
    const unsigned long long begin = group * launch->local_size[0];
    long n = (long)(launch->global_size[0] - begin);
    if (n > (long)launch->local_size[0]) n = (long)launch->local_size[0];
    #pragma GCC ivdep
    for (long i = 0; i < n; ++i) z[begin + i] = a * x[begin + i] + b * y[begin + i];
  }
}
)";

double seconds(const std::function<void()>& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

struct Series {
  std::vector<double> times;
  void add(double t) { times.push_back(t); }
  double minimum() const { return *std::min_element(times.begin(), times.end()); }
  double median() const {
    std::vector<double> sorted = times;
    std::nth_element(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2),
                     sorted.end());
    return sorted[sorted.size() / 2];
  }
};

void print(const char* what, const Series& series, double scale, const char* unit) {
  std::printf("%-52s min %9.3f  median %9.3f %s\n", what, series.minimum() * scale, series.median() * scale,
              unit);
}

LaunchShape range(std::size_t global, std::size_t local) {
  LaunchShape shape;
  shape.global[0] = global;
  shape.local[0] = local;
  return shape;
}

Argument argument(Memory& memory) {
  Argument a;
  a.kind = Argument::Kind::memory;
  a.memory = &memory;
  a.size = memory.size();
  return a;
}

Argument argument(const float& value) {
  Argument a;
  a.value = &value;
  a.size = sizeof value;
  return a;
}

void openmp_lin_comb(float a, const float* x, float b, const float* y, float* z, std::size_t n) {
#pragma omp parallel for simd
  for (std::size_t i = 0; i < n; ++i) z[i] = a * x[i] + b * y[i];
}

class Bench {
 public:
  Bench() : found_(discover_host()), context_(found_.devices.at(0)->make_context(found_.devices)) {
    module_ = compile(kKernels);
    queue_ = context_->make_queue(0, {});
  }

  void latencies() {
    auto nothing = module_->function("quern_kernel_nothing", nullptr);
    std::vector<std::unique_ptr<Memory>> buffers;
    std::vector<Argument> arguments;
    for (int i = 0; i < 3; ++i) {
      buffers.push_back(context_->allocate(0, 64));
      arguments.push_back(argument(*buffers.back()));
    }
    const unsigned cores = found_.devices[0]->properties().compute_units;
    for (const unsigned groups : {1U, cores}) {
      Series series;
      for (int i = 0; i < 300; ++i) {
        series.add(seconds([&] {
                     for (int k = 0; k < 100; ++k) {
                       queue_->launch(*nothing, range(groups * 64, 64), arguments);
                       queue_->record()->wait(Deadline::max());
                     }
                   }) /
                   100);
      }
      print(groups == 1 ? "empty launch and wait, one group" : "empty launch and wait, one group per core",
            series, 1e6, "us");
    }
    Series busy;  // behind a queue that is not idle: the way through the workers
    auto large = context_->allocate(0, std::size_t{1} << 20);
    const std::byte zero{0};
    for (int i = 0; i < 300; ++i) {
      queue_->fill(*large, 0, large->size(), std::span(&zero, 1));
      busy.add(seconds([&] {
        queue_->launch(*nothing, range(cores * 64, 64), arguments);
        queue_->record()->wait(Deadline::max());
      }));
    }
    print("the same behind a fill of 1 MiB (fill included)", busy, 1e6, "us");
  }

  void streams(std::size_t n, int rounds, int repeat) {
    auto lin_comb = module_->function("quern_kernel_lin_comb", nullptr);
    auto x = context_->allocate(0, n * 4), y = context_->allocate(0, n * 4), z = context_->allocate(0, n * 4);
    auto* px = static_cast<float*>(x->host_pointer());
    auto* py = static_cast<float*>(y->host_pointer());
    auto* pz = static_cast<float*>(z->host_pointer());
#pragma omp parallel for
    for (std::size_t i = 0; i < n; ++i) px[i] = static_cast<float>(i), py[i] = 1, pz[i] = 0;
    const float a = 5, b = 6;
    const std::vector<Argument> arguments = {argument(a), argument(*x), argument(b), argument(*y),
                                             argument(*z)};
    Series ours, theirs;
    const auto measure = [&](Series& series, const std::function<void()>& work) {
      // The other side's threads may still be spinning for more work: let them go to sleep, and wake our own.
      std::this_thread::sleep_for(std::chrono::milliseconds(25));
      work();
      series.add(seconds([&] {
                   for (int k = 0; k < repeat; ++k) work();
                 }) /
                 repeat);
    };
    for (int i = 0; i < rounds; ++i) {
      measure(theirs, [&] { openmp_lin_comb(a, px, b, py, pz, n); });
      measure(ours, [&] {
        queue_->launch(*lin_comb, range(n, 1024), arguments);
        queue_->record()->wait(Deadline::max());
      });
    }
    const std::string size = std::to_string(n);
    print(("lin_comb " + size + ", OpenMP loop").c_str(), theirs, 1e3, "ms");
    print(("lin_comb " + size + ", host queue").c_str(), ours, 1e3, "ms");
    std::printf("%-52s %.3f of the minima, %.3f of the medians\n", "  OpenMP time / ours",
                theirs.minimum() / ours.minimum(), theirs.median() / ours.median());
  }

  void copies() {
    const std::size_t n = std::size_t{256} << 20;
    auto from = context_->allocate(0, n), to = context_->allocate(0, n);
    std::memset(from->host_pointer(), 1, n);
    std::memset(to->host_pointer(), 1, n);
    Series ours, theirs;
    for (int i = 0; i < 15; ++i) {
      theirs.add(seconds([&] { std::memcpy(to->host_pointer(), from->host_pointer(), n); }));
      ours.add(seconds([&] {
        queue_->copy(*from, 0, *to, 0, n);
        queue_->record()->wait(Deadline::max());
      }));
    }
    print("copy of 256 MiB, memcpy", theirs, 1e3, "ms");
    print("copy of 256 MiB, host queue", ours, 1e3, "ms");
  }

  void builds() {
    Series build, load;
    auto memory = context_->allocate(0, 64);
    std::vector<std::byte> binary;
    for (int i = 0; i < 20; ++i) {
      build.add(seconds([&] {
        auto module = compile(kKernels);
        run_once(*module);
      }));
    }
    CompileRequest request;
    request.dialect = Dialect::host_c;
    request.text = std::string(kAbi) + kKernels;
    binary = context_->compile(0, request).binary;
    for (int i = 0; i < 50; ++i) {
      load.add(seconds([&] {
        auto module = context_->load(0, binary);
        run_once(*module);
      }));
    }
    print("build of a small program, to the first run's end", build, 1e3, "ms");
    print("load of its binary, to the first run's end", load, 1e3, "ms");
  }

 private:
  std::unique_ptr<Module> compile(const char* text) {
    CompileRequest request;
    request.dialect = Dialect::host_c;
    request.text = std::string(kAbi) + text;
    return std::move(context_->compile(0, request).module);
  }

  void run_once(Module& module) {
    auto function = module.function("quern_kernel_nothing", nullptr);
    queue_->launch(*function, range(1, 1), {});
    queue_->record()->wait(Deadline::max());
  }

  Discovery found_;
  std::shared_ptr<Context> context_;
  std::unique_ptr<Module> module_;
  std::unique_ptr<Queue> queue_;
};

}  // namespace

int main() {
  Bench bench;
  bench.latencies();
  bench.streams(std::size_t{1} << 24, 40, 1);
  bench.streams(std::size_t{1} << 20, 20, 60);
  bench.streams(std::size_t{1} << 15, 100, 50);
  bench.copies();
  bench.builds();
  return 0;
}
