// SPDX-License-Identifier: MIT
// Properties of an OpenCL device, and errors of contexts.
#include <algorithm>

#include "backend/opencl/support.hpp"

namespace quern::backend::opencl_test {
namespace {

TEST_F(OpenCL, a_device_has_plausible_properties) {
  const DeviceProperties& p = setup()->device->properties();
  EXPECT_EQ(p.backend, "opencl");
  EXPECT_EQ(p.dialect, Dialect::opencl_c);
  EXPECT_FALSE(p.name.empty());
  EXPECT_FALSE(p.vendor.empty());
  EXPECT_FALSE(p.platform.empty());
  EXPECT_FALSE(p.driver_version.empty());
  EXPECT_FALSE(p.architecture.empty());
  EXPECT_TRUE(p.version.starts_with("OpenCL ")) << p.version;
  EXPECT_GE(p.compute_units, 1u);
  EXPECT_GE(p.sub_group_size, 1u);
  EXPECT_LE(p.sub_group_size, p.max_work_group_size);
  EXPECT_LE(p.max_allocation, p.global_memory);
  EXPECT_GE(p.max_allocation, p.global_memory / 4);
  EXPECT_GE(p.local_memory, 16u << 10);
  EXPECT_GE(p.max_work_item_sizes[0], 1u);
  EXPECT_GE(p.sub_buffer_alignment, 1u);
  EXPECT_LE(p.sub_buffer_alignment, 4096u) << "OpenCL gives it in bits";
  EXPECT_FALSE(p.shares_host_memory);
  EXPECT_FALSE(p.non_uniform_groups);
}

TEST_F(OpenCL, a_device_tells_everything_it_knows) {
  const Info info = setup()->device->info();
  EXPECT_GT(info.size(), 60u);
  const auto find = [&](const std::string& key) {
    const auto at =
        std::find_if(info.begin(), info.end(), [&](const auto& entry) { return entry.first == key; });
    return at == info.end() ? std::string("absent") : at->second;
  };
  EXPECT_EQ(find("CL_DEVICE_NAME"), setup()->device->properties().name);
  EXPECT_EQ(find("CL_PLATFORM_NAME"), setup()->device->properties().platform);
  EXPECT_EQ(find("CL_DEVICE_MAX_COMPUTE_UNITS"), std::to_string(setup()->device->properties().compute_units));
  EXPECT_EQ(find("CL_DEVICE_AVAILABLE"), "yes");
  EXPECT_NE(find("CL_DEVICE_SINGLE_FP_CONFIG").find("round to nearest"), std::string::npos);
}

TEST_F(OpenCL, discovery_says_what_it_found) {
  const auto& attempts = setup()->found.attempts;
  const auto mentions = [&](const std::string& text) {
    return std::any_of(attempts.begin(), attempts.end(), [&](const Attempt& attempt) {
      return attempt.ok && attempt.what.find(text) != std::string::npos;
    });
  };
  EXPECT_TRUE(mentions("libOpenCL"));
  EXPECT_TRUE(mentions("platform '" + setup()->device->properties().platform));
  EXPECT_TRUE(mentions("device '" + setup()->device->properties().name));
}

TEST_F(OpenCL, a_context_must_hold_the_device_that_makes_it) {
  EXPECT_THROW((void)setup()->device->make_context({}), ArgumentError);
}

TEST_F(OpenCL, a_device_that_is_not_in_the_context_is_an_argument_error) {
  EXPECT_THROW((void)context->make_queue(1, {}), ArgumentError);
  EXPECT_THROW((void)context->allocate(1, 16), ArgumentError);
  EXPECT_THROW((void)context->compile(1, {}), ArgumentError);
}

}  // namespace
}  // namespace quern::backend::opencl_test
