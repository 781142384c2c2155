// SPDX-License-Identifier: MIT
// CUDA launches, ordering, waiting, profiling, programs and errors.
#include <dlfcn.h>

#include <atomic>
#include <thread>

#include "backend/cuda/program.hpp"
#include "backend/cuda/test_device.hpp"
#include "backend/cuda/test_kernels.hpp"
#include "backend/time_recording.hpp"
#include "base/shared_library.hpp"
#include "quern/error.hpp"

namespace quern::backend::cuda {
namespace {

constexpr long long kLong = 100'000'000;  // cycles: some 50 ms on a GPU, 100 ms on the fake

class CudaKernels : public Cuda {
 protected:
  void SetUp() override {
    Cuda::SetUp();
    if (IsSkipped()) return;
    if constexpr (kFake) {
      constexpr std::string_view ptx = ".version 8.0\n.target sm_90\n";
      module = context->load(0, std::as_bytes(std::span(ptx.data(), ptx.size())));
    } else {
      static const auto* const binary = new std::vector<std::byte>(compile(*context).binary);
      module = context->load(0, *binary);
    }
  }

  static Compiled compile(Context& context) {
    CompileRequest request;
    request.dialect = Dialect::cuda_cpp;
    request.text = kKernels;
    request.name = "cuda_kernels.cu";
    request.name_expressions = {"times<float, 3>", "times<int, 5>"};
    std::string parameters, sum;
    for (int i = 0; i < 40; ++i) {
      const std::string name = "p" + std::to_string(i);
      parameters += (i == 0 ? "long long " : ",long long ") + name;
      sum += (i == 0 ? "" : "+") + name;
    }
    request.options = {"-DPARAMETERS=" + parameters, "-DSUM=" + sum};
    return context.compile(0, request);
  }

  static Signature mark_signature() {
    Signature out;
    out.name = "mark";
    out.parameters.resize(2);
    out.parameters[0].name = "out";
    out.parameters[0].dtype = dtype_of<std::int32_t>();
    out.parameters[0].is_pointer = true;
    out.parameters[0].space = AddressSpace::global;
    out.parameters[1].name = "value";
    out.parameters[1].dtype = dtype_of<std::int32_t>();
    return out;
  }

  std::unique_ptr<Function> mark() const {
    const Signature signature = mark_signature();
    return module->function("quern_kernel_mark", &signature);
  }
  std::unique_ptr<Function> kernel(const std::string& name) const { return module->function(name, nullptr); }

  static TimingPtr launch(Queue& q, const std::unique_ptr<Function>& function, const LaunchShape& sizes,
                          std::vector<Argument> arguments) {
    return q.launch(*function, sizes, arguments);
  }

  std::unique_ptr<Module> module;
};

TEST_F(Cuda, properties_describe_the_device) {
  const DeviceProperties& p = device->properties();
  EXPECT_EQ(p.backend, "cuda");
  EXPECT_EQ(p.dialect, Dialect::cuda_cpp);
  EXPECT_FALSE(p.name.empty());
  EXPECT_GE(p.compute_units, 1U);
  EXPECT_EQ(p.sub_group_size, 32U);
  EXPECT_EQ(p.max_work_group_size, 1024U);
  EXPECT_EQ(p.max_groups[0], 2147483647U);
  EXPECT_EQ(p.max_groups[1], 65535U);
  EXPECT_GT(p.global_memory, std::size_t{1} << 30);
  EXPECT_GE(p.local_memory, 49152U);
  EXPECT_TRUE(p.architecture.starts_with("sm_")) << p.architecture;
}

TEST_F(CudaKernels, lowered_kernels_run_every_work_item_once_and_none_beyond) {
  const auto function = mark();
  struct Case {
    std::vector<std::size_t> global, local, offset;
  };
  for (const Case& c : {Case{{1000}, {128}, {0}}, Case{{1}, {256}, {0}}, Case{{257}, {1}, {3}},
                        Case{{33, 17}, {8, 8}, {2, 5}}, Case{{9, 7, 5}, {4, 4, 2}, {1, 2, 3}}}) {
    std::array<std::size_t, 3> extent = {1, 1, 1}, offset = {0, 0, 0};
    for (std::size_t d = 0; d < c.global.size(); ++d) {
      offset[d] = c.offset[d];
      extent[d] = c.global[d] + c.offset[d];
    }
    std::vector<int> expected(extent[0] * extent[1] * extent[2] + 100, 1);
    const auto memory = upload(expected);
    for (std::size_t z = offset[2]; z < extent[2]; ++z)
      for (std::size_t y = offset[1]; y < extent[1]; ++y)
        for (std::size_t x = offset[0]; x < extent[0]; ++x)
          expected[(z * extent[1] + y) * extent[0] + x] += 41;
    const int value = 41;
    launch(*queue, function, shape(c.global, c.local, c.offset), {pass(memory), pass(value)});
    EXPECT_EQ(first_difference(download<int>(memory), expected), expected.size())
        << c.global.size() << " dimensions";
  }
}

TEST_F(CudaKernels, lowered_kernels_get_the_number_of_dimensions_of_the_launch) {
  Signature signature = mark_signature();
  signature.name = "dims";
  signature.parameters.pop_back();
  const auto function = module->function("quern_kernel_dims", &signature);
  const auto memory = upload(std::vector<int>{0});
  for (const std::size_t dims : {1, 2, 3}) {
    std::vector<std::size_t> global(dims, 1);
    launch(*queue, function, shape(global, global), {pass(memory)});
    EXPECT_EQ(download<int>(memory)[0], static_cast<int>(dims));
  }
}

TEST_F(CudaKernels, cuda_c_kernels_take_whole_blocks_and_pointer_offsets) {
  const auto function = kernel("add");
  std::vector<int> expected(1024, 5);
  const auto memory = upload(expected);
  const int value = 2;
  launch(*queue, function, shape({512}, {64}), {pass(memory, 256 * sizeof(int)), pass(value)});
  for (std::size_t i = 256; i < 768; ++i) expected[i] += 2;
  EXPECT_EQ(first_difference(download<int>(memory), expected), expected.size());
  EXPECT_THROW(launch(*queue, function, shape({500}, {64}), {pass(memory), pass(value)}), ArgumentError);
  EXPECT_THROW(launch(*queue, function, shape({512}, {64}, {1}), {pass(memory), pass(value)}), ArgumentError);
}

TEST_F(CudaKernels, arguments_that_do_not_fit_are_refused_before_the_launch) {
  const auto function = mark();
  const auto plain = kernel("add");
  const auto memory = upload(std::vector<int>(64, 0));
  const int value = 1;
  const double wide = 1;
  Argument local;
  local.kind = Argument::Kind::local;
  local.size = 64;
  const LaunchShape one = shape({1}, {1});
  EXPECT_THROW(launch(*queue, function, one, {pass(memory)}), ArgumentError);
  EXPECT_THROW(launch(*queue, function, one, {pass(memory), pass(value), pass(value)}), ArgumentError);
  EXPECT_THROW(launch(*queue, function, one, {pass(memory), pass(wide)}), ArgumentError);
  EXPECT_THROW(launch(*queue, function, one, {local, pass(value)}), ArgumentError);
  if (static_cast<CudaFunction&>(*plain).knows_parameters()) {
    EXPECT_THROW(launch(*queue, plain, one, {pass(memory)}), ArgumentError);
    EXPECT_THROW(launch(*queue, plain, one, {pass(memory), pass(wide)}), ArgumentError);
    EXPECT_THROW(launch(*queue, plain, one, {pass(value), pass(value)}), ArgumentError);
  }
  EXPECT_EQ(download<int>(memory), std::vector<int>(64, 0));
}

TEST_F(CudaKernels, sizes_over_the_limits_are_refused_with_the_limit) {
  const auto function = mark();
  const auto memory = upload(std::vector<int>(64, 0));
  const int value = 1;
  const auto message = [&](const LaunchShape& sizes) -> std::string {
    try {
      launch(*queue, function, sizes, {pass(memory), pass(value)});
    } catch (const ArgumentError& error) {
      return error.what();
    }
    return "it was launched";
  };
  EXPECT_NE(message(shape({2048}, {2048})).find("1024"), std::string::npos) << message(shape({2048}, {2048}));
  EXPECT_NE(message(shape({64, 64}, {64, 64})).find("4096 work-items"), std::string::npos);
  EXPECT_NE(message(shape({1, 65536}, {1, 1})).find("65535"), std::string::npos);
  EXPECT_NE(message(shape({std::size_t{1} << 40}, {1})).find("2147483647"), std::string::npos);
  EXPECT_NE(message(shape({1}, {0})).find("empty"), std::string::npos);
}

TEST_F(CudaKernels, a_queue_runs_its_work_in_order) {
  const auto function = kernel("append");
  const int count = 500;
  const auto log = upload(std::vector<int>(count + 1, 0));
  for (int i = 1; i <= count; ++i) launch(*queue, function, shape({1}, {1}), {pass(log), pass(i)});
  const auto got = download<int>(log);
  EXPECT_EQ(got[0], count);
  for (int i = 1; i <= count; ++i) ASSERT_EQ(got[static_cast<std::size_t>(i)], i);
}

TEST_F(CudaKernels, a_queue_waits_for_the_marker_of_another) {
  const auto spin = kernel("spin");
  const auto add = kernel("add");
  const auto other = context->make_queue(0, {});
  const auto memory = upload(std::vector<int>(1, 0));
  finish(*queue);
  const int written = 7, added = 10;
  launch(*queue, spin, shape({1}, {1}), {pass(memory), pass(kLong), pass(written)});
  const auto marker = queue->record();
  EXPECT_TRUE(other->wait(marker));
  launch(*other, add, shape({1}, {1}), {pass(memory), pass(added)});
  EXPECT_FALSE(marker->done()) << "the wait must not block the host";
  EXPECT_EQ(download<int>(*memory, *other)[0], 17);
  EXPECT_TRUE(marker->done());
  EXPECT_EQ(marker->error(), nullptr);
  EXPECT_TRUE(other->wait(marker));  // long done
}

TEST_F(Cuda, a_marker_of_another_backend_is_left_to_the_caller) {
  class Foreign final : public Marker {
   public:
    bool done() override { return false; }
    bool wait(Deadline) override { return false; }
    void notify(std::shared_ptr<Signal>) override {}
  };
  EXPECT_FALSE(queue->wait(std::make_shared<Foreign>()));
}

TEST_F(CudaKernels, a_wait_ends_at_its_deadline_or_when_the_work_is_done) {
  const auto spin = kernel("spin");
  const auto memory = upload(std::vector<int>(1, 0));
  finish(*queue);
  const int value = 1;
  launch(*queue, spin, shape({1}, {1}), {pass(memory), pass(kLong), pass(value)});
  const auto marker = queue->record();
  EXPECT_FALSE(queue->idle());
  EXPECT_FALSE(marker->wait(Clock::now()));
  EXPECT_FALSE(marker->wait(Clock::now() + std::chrono::milliseconds(2)));
  EXPECT_FALSE(marker->done());
  EXPECT_TRUE(marker->wait(Deadline::max()));
  EXPECT_TRUE(marker->done());
  EXPECT_TRUE(queue->idle());
}

TEST_F(CudaKernels, a_pinned_write_behind_a_kernel_does_not_wait_for_it) {
  const auto spin = kernel("spin");
  const std::size_t count = 1 << 20;
  const auto pinned = context->allocate_pinned(count * sizeof(int));
  const std::vector<int> expected(count, 3);
  std::memcpy(pinned->data(), expected.data(), pinned->size());
  const auto memory = context->allocate(0, pinned->size());
  const int value = 1;
  launch(*queue, spin, shape({1}, {1}), {pass(memory), pass(kLong), pass(value)});
  queue->write(*memory, 0, pinned->data(), pinned->size());
  EXPECT_FALSE(queue->record()->done());
  EXPECT_EQ(first_difference(download<int>(memory), expected), count);
}

TEST_F(CudaKernels, eight_threads_launch_one_function) {
  const auto function = mark();
  std::vector<std::thread> threads;
  std::atomic<int> good{0};
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      const auto own = context->make_queue(0, {});
      const auto memory = context->allocate(0, 1000 * sizeof(int));
      const int zero = 0;
      own->fill(*memory, 0, memory->size(), std::as_bytes(std::span(&zero, 1)));
      for (int i = 0; i < 100; ++i) launch(*own, function, shape({1000}, {128}), {pass(memory), pass(t)});
      good += download<int>(*memory, *own) == std::vector<int>(1000, 100 * t) ? 1 : 0;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(good, 8);
}

TEST_F(CudaKernels, markers_can_be_recorded_while_another_thread_enqueues) {
  const auto function = kernel("empty");
  std::atomic<bool> stop{false};
  std::thread recorder([&] {
    while (!stop) {
      EXPECT_TRUE(queue->record()->wait(Deadline::max()));
      (void)queue->idle();
    }
  });
  for (int i = 0; i < 2000; ++i) launch(*queue, function, shape({1}, {1}), {});
  stop = true;
  recorder.join();
  finish(*queue);
  EXPECT_TRUE(queue->idle());
}

TEST_F(CudaKernels, more_parameters_than_usual_are_passed) {
  const auto function = kernel("sum40");
  const auto memory = upload(std::vector<long long>(1, 0));
  std::vector<long long> values(40);
  std::vector<Argument> arguments = {pass(memory)};
  long long expected = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<long long>(i * i);
    expected += values[i];
    arguments.push_back(pass(values[i]));
  }
  queue->launch(*function, shape({1}, {1}), arguments);
  EXPECT_EQ(download<long long>(memory)[0], expected);
}

TEST_F(CudaKernels, profile_times_are_ordered_and_comparable_between_queues) {
  const auto spin = kernel("spin");
  const auto first = context->make_queue(0, {.profiling = true});
  const auto second = context->make_queue(0, {.profiling = true});
  Argument null;
  null.kind = Argument::Kind::null_pointer;
  const int value = 0;
  const long long cycles = kLong / 20;
  const auto now = [] {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now().time_since_epoch()).count();
  };
  const std::int64_t before = now();
  const TimingPtr a = launch(*first, spin, shape({1}, {1}), {null, pass(cycles), pass(value)});
  ASSERT_TRUE(second->wait(first->record()));
  const TimingPtr b = launch(*second, spin, shape({1}, {1}), {null, pass(cycles), pass(value)});
  ASSERT_NE(a, nullptr);
  ASSERT_NE(b, nullptr);
  finish(*first);
  finish(*second);
  const std::int64_t after = now();
  const Times ta = a->times(), tb = b->times();
  const std::int64_t slack = 1'000'000'000;  // the times of another clock would be off by far more
  for (const Times& t : {ta, tb}) {
    EXPECT_LE(t.queued, t.submitted);
    EXPECT_LE(t.submitted, t.started);
    EXPECT_GT(t.ended, t.started);
    EXPECT_GE(t.queued, before - slack);
    EXPECT_LE(t.ended, after + slack);
  }
  EXPECT_GT(tb.ended, ta.started) << "the second waited for the first";
  EXPECT_EQ(launch(*queue, spin, shape({1}, {1}), {null, pass(cycles), pass(value)}), nullptr);
}

TEST_F(Cuda, a_queue_has_times_while_times_are_recorded) {
  const auto memory = context->allocate(0, 1 << 20);
  const std::byte one{1};
  const auto fill = [&] { return queue->fill(*memory, 0, memory->size(), std::span(&one, 1)); };
  EXPECT_EQ(fill(), nullptr);
  time_recording = true;
  const TimingPtr first = fill(), second = fill();
  time_recording = false;
  EXPECT_EQ(fill(), nullptr);
  finish(*queue);
  ASSERT_NE(first, nullptr);
  ASSERT_NE(second, nullptr);
  EXPECT_LE(first->times().started, first->times().ended);
  EXPECT_LE(first->times().started, second->times().ended);
}

TEST_F(Cuda, every_operation_of_a_profiling_queue_has_times) {
  const auto profiled = context->make_queue(0, {.profiling = true});
  const auto memory = context->allocate(0, 9 << 20);
  std::vector<unsigned char> host(memory->size(), 1);
  const std::byte one{1};
  std::vector<TimingPtr> timings;
  timings.push_back(profiled->write(*memory, 0, host.data(), host.size()));
  timings.push_back(profiled->fill(*memory, 0, memory->size(), std::span(&one, 1)));
  timings.push_back(profiled->copy(*memory, 0, *memory, 4 << 20, 4 << 20));
  timings.push_back(
      profiled->copy_rect({memory.get(), nullptr, 0, 100, 0}, {nullptr, host.data(), 0, 50, 0}, {50, 10, 1}));
  timings.push_back(profiled->read(*memory, 0, host.data(), host.size()));
  finish(*profiled);
  std::int64_t last = 0;
  for (const TimingPtr& timing : timings) {
    ASSERT_NE(timing, nullptr);
    const Times t = timing->times();
    EXPECT_LE(t.started, t.ended);
    EXPECT_GE(t.started, last) << "in the order of the queue";
    last = t.ended - 1000;
  }
}

TEST_F(CudaKernels, functions_are_listed_and_a_missing_one_is_named) {
  const auto names = module->function_names();
  if (!names.empty()) {
    EXPECT_NE(std::find(names.begin(), names.end(), "add"), names.end());
  }
  try {
    kernel("no_such_kernel");
    FAIL() << "it was found";
  } catch (const ArgumentError& error) {
    EXPECT_NE(std::string(error.what()).find("no_such_kernel"), std::string::npos) << error.what();
  }
  EXPECT_EQ(module->global("no_such_variable"), nullptr);
}

// The driver may wait for running work when it loads a function at its first launch.
TEST_F(CudaKernels, functions_are_loaded_when_a_program_is_built_and_when_they_are_looked_up) {
  if constexpr (!kFake) GTEST_SKIP() << "the driver does not tell when it loads a function";
  void* const driver = dlopen(std::string(kDriver).c_str(), RTLD_NOW | RTLD_NOLOAD);
  ASSERT_NE(driver, nullptr);
  const auto& loads = *static_cast<std::atomic<int>*>(dlsym(driver, "fake_function_loads"));
  const int before = loads;
  module->load_functions();
  EXPECT_EQ(loads - before, static_cast<int>(module->function_names().size()));
  const int built = loads;
  (void)module->function(module->function_names().front(), nullptr);
  EXPECT_EQ(loads, built + 1);
  dlclose(driver);
}

TEST_F(CudaKernels, function_attributes_and_occupancy_are_known) {
  const auto function = kernel("add");
  EXPECT_EQ(function->attributes().max_work_group_size, 1024U);
  EXPECT_EQ(function->attributes().preferred_multiple, 32U);
  EXPECT_GT(function->attributes().registers, 0U);
  const auto groups = function->groups_per_compute_unit(256, 0);
  ASSERT_TRUE(groups.has_value());
  EXPECT_GE(*groups, 1U);
  EXPECT_EQ(function->groups_per_compute_unit(4096, 0), 0U);
}

TEST_F(CudaKernels, a_signature_that_is_not_the_kernels_is_an_error) {
  if (!static_cast<CudaFunction&>(*kernel("add")).knows_parameters())
    GTEST_SKIP() << "needs a driver of CUDA 12.4";
  Signature other = mark_signature();
  other.parameters[1].dtype = dtype_of<double>();
  EXPECT_THROW(module->function("quern_kernel_mark", &other), Error);
  other.parameters.pop_back();
  EXPECT_THROW(module->function("quern_kernel_mark", &other), Error);
}

TEST_F(CudaKernels, the_callers_current_context_is_kept) {
  auto& state = *std::static_pointer_cast<CudaDevice>(device)->state();
  const Driver& api = state.api;
  ContextHandle foreign = nullptr;
  Result (*destroy)(ContextHandle) = nullptr;
  if constexpr (kFake) {
    ASSERT_EQ(api.cuDevicePrimaryCtxRetain(&foreign, 7), Result::success);
    ASSERT_EQ(api.cuCtxPushCurrent(foreign), Result::success);
  } else {
    const SharedLibrary library(std::vector<std::string>{api.path});
    const auto create = reinterpret_cast<Result (*)(ContextHandle*, unsigned, DeviceHandle)>(
        library.symbol("cuCtxCreate_v2"));
    destroy = reinterpret_cast<Result (*)(ContextHandle)>(library.symbol("cuCtxDestroy_v2"));
    ASSERT_NE(create, nullptr);
    ASSERT_EQ(create(&foreign, 0, state.device), Result::success);  // and makes it current
  }
  const auto still_foreign = [&] {
    ContextHandle current = nullptr;
    api.cuCtxGetCurrent(&current);
    return current == foreign;
  };
  ASSERT_TRUE(still_foreign());
  {
    const auto own = context->make_queue(0, {.profiling = true});
    EXPECT_TRUE(still_foreign()) << "make_queue";
    const auto function = mark();
    EXPECT_TRUE(still_foreign()) << "function";
    const auto memory = context->allocate(0, 1 << 20);
    EXPECT_TRUE(still_foreign()) << "allocate";
    const int value = 4, zero = 0;
    own->fill(*memory, 0, memory->size(), std::as_bytes(std::span(&zero, 1)));
    EXPECT_TRUE(still_foreign()) << "fill";
    const TimingPtr timing = launch(*own, function, shape({100}, {32}), {pass(memory), pass(value)});
    EXPECT_TRUE(still_foreign()) << "launch";
    EXPECT_EQ(download<int>(*memory, *own)[99], 4);
    EXPECT_TRUE(still_foreign()) << "read, record and wait";
    timing->times();
    EXPECT_TRUE(still_foreign()) << "times";
    EXPECT_THROW(kernel("no_such_kernel"), ArgumentError);
    EXPECT_TRUE(still_foreign()) << "an error";
    (void)context->memory_info(0);
    EXPECT_TRUE(still_foreign()) << "memory_info";
  }
  EXPECT_TRUE(still_foreign()) << "destructors";
  ContextHandle popped = nullptr;
  api.cuCtxPopCurrent(&popped);
  EXPECT_EQ(popped, foreign);
  if (destroy != nullptr) {
    EXPECT_EQ(destroy(foreign), Result::success);
  }
  ContextHandle current = foreign;
  api.cuCtxGetCurrent(&current);
  EXPECT_EQ(current, nullptr) << "a thread without a context is left without one";
}

TEST_F(CudaKernels, the_compilers_identity_names_architecture_and_driver) {
  const std::string identity = context->compiler_identity(0);
  EXPECT_NE(identity.find(device->properties().architecture), std::string::npos) << identity;
  EXPECT_NE(identity.find("driver"), std::string::npos) << identity;
  EXPECT_EQ(identity, context->compiler_identity(0));
}

TEST_F(Cuda, damaged_binaries_are_errors) {
  constexpr std::string_view text = "not a binary";
  EXPECT_THROW(context->load(0, std::as_bytes(std::span(text.data(), text.size()))), Error);
  EXPECT_THROW(context->load(0, {}), Error);
}

TEST_F(Cuda, other_languages_are_refused) {
  CompileRequest request;
  request.dialect = Dialect::opencl_c;
  request.text = "kernel void k() {}";
  EXPECT_THROW(context->compile(0, request), ArgumentError);
}

TEST_F(CudaKernels, module_globals_and_constants_are_memory) {
  if (kFake) GTEST_SKIP() << "needs a GPU";
  const auto table = module->global("table");
  const auto counter = module->global("counter");
  ASSERT_NE(table, nullptr);
  ASSERT_NE(counter, nullptr);
  EXPECT_EQ(table->size(), 16U);
  const std::vector<float> values = {1, 2, 3, 4};
  queue->write(*table, 0, values.data(), 16);
  const auto out = context->allocate(0, 16);
  launch(*queue, kernel("use_globals"), shape({1}, {1}), {pass(out)});
  EXPECT_EQ(download<float>(out), (std::vector<float>{3, 6, 9, 12}));
  EXPECT_EQ(download<int>(counter)[0], 11);
}

TEST_F(CudaKernels, template_instances_are_found_by_their_lowered_names) {
  if (kFake) GTEST_SKIP() << "needs a GPU";
  const Compiled compiled = compile(*context);
  ASSERT_EQ(compiled.lowered_names.size(), 2U);
  const auto loaded = context->load(0, compiled.binary);
  const auto times3 = loaded->function(compiled.lowered_names[0].second, nullptr);
  const auto times5 = loaded->function(compiled.lowered_names[1].second, nullptr);
  const auto floats = upload(std::vector<float>(4, 2.F));
  const auto ints = upload(std::vector<int>(4, 2));
  launch(*queue, times3, shape({4}, {4}), {pass(floats)});
  launch(*queue, times5, shape({4}, {4}), {pass(ints)});
  EXPECT_EQ(download<float>(floats), std::vector<float>(4, 6.F));
  EXPECT_EQ(download<int>(ints), std::vector<int>(4, 10));
}

TEST_F(CudaKernels, dynamic_local_memory_beyond_48_kib_is_allowed_on_request) {
  if (kFake) GTEST_SKIP() << "needs a GPU";
  const auto function = kernel("reverse");
  for (const std::size_t kib : {std::size_t{16}, std::size_t{64}, std::size_t{90}, std::size_t{60}}) {
    if (kib << 10 > device->properties().local_memory) continue;
    const int count = static_cast<int>(kib * 256);
    std::vector<int> values(static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i) values[static_cast<std::size_t>(i)] = i;
    const auto memory = upload(values);
    LaunchShape sizes = shape({256}, {256});
    sizes.dynamic_local = kib << 10;
    launch(*queue, function, sizes, {pass(memory), pass(count)});
    EXPECT_EQ(download<int>(memory), std::vector<int>(values.rbegin(), values.rend())) << kib << " KiB";
  }
  LaunchShape sizes = shape({32}, {32});
  sizes.dynamic_local = std::size_t{10} << 20;
  const int count = 1;
  const auto memory = upload(std::vector<int>(1));
  EXPECT_THROW(launch(*queue, function, sizes, {pass(memory), pass(count)}), ArgumentError);
}

TEST_F(CudaKernels, programs_and_queues_come_and_go) {
  for (int i = 0; i < 200; ++i) {
    constexpr std::string_view ptx =
        ".version 7.0\n.target sm_75\n.address_size 64\n.visible .entry empty() { ret; }\n";
    const auto loaded = context->load(0, std::as_bytes(std::span(ptx.data(), ptx.size())));
    const auto function = loaded->function("empty", nullptr);
    const auto own = context->make_queue(0, {});
    launch(*own, function, shape({1}, {1}), {});
    finish(*own);
    if (i == 20 && kFake) break;  // its streams are threads
  }
}

using CudaDeathTest = CudaKernels;

TEST_F(CudaDeathTest, an_illegal_address_is_a_lost_device_that_names_the_last_launches) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto fail = [&] {
    Argument null;
    null.kind = Argument::Kind::null_pointer;
    int code = 2;
    try {
      launch(*queue, kernel("fault"), shape({1}, {1}), {null});
      const auto marker = queue->record();
      marker->wait(Deadline::max());
      if (marker->error()) std::rethrow_exception(marker->error());
      queue->record()->wait(Deadline::max());
      context->allocate(0, 1024);
    } catch (const DeviceLost& error) {
      std::fprintf(stderr, "DeviceLost: %s\n", error.what());
      code = 0;
    } catch (const std::exception& error) {
      std::fprintf(stderr, "another error: %s\n", error.what());
    }
    std::_Exit(code);
  };
  EXPECT_EXIT(fail(), testing::ExitedWithCode(0), "DeviceLost: .*CUDA_ERROR_ILLEGAL_ADDRESS.*'fault'");
}

}  // namespace
}  // namespace quern::backend::cuda
