// SPDX-License-Identifier: MIT
// Sub-devices: a division that fails releases what the driver made.
#include "backend/parts.hpp"

#include <set>

#include "backend/opencl/api.hpp"
#include "backend/opencl/support.hpp"

namespace quern::backend::opencl_test {
namespace {

using opencl::Api;

// The sub-devices that were made and not released.
std::set<cl_device_id> live;
std::size_t made = 0;
cl_device_id silent = nullptr;  // does not answer queries
decltype(Api::CreateSubDevices) create = nullptr;
decltype(Api::ReleaseDevice) release = nullptr;
decltype(Api::GetDeviceInfo) info = nullptr;

cl_int CL_API_CALL counted_create(cl_device_id whole, const cl_device_partition_property* how, cl_uint n,
                                  cl_device_id* parts, cl_uint* count) {
  const cl_int status = create(whole, how, n, parts, count);
  if (status != CL_SUCCESS || parts == nullptr) return status;
  live.insert(parts, parts + n);
  made += n;
  silent = parts[1];
  return status;
}

cl_int CL_API_CALL counted_release(cl_device_id part) {
  live.erase(part);
  return release(part);
}

cl_int CL_API_CALL silent_info(cl_device_id device, cl_device_info query, std::size_t n, void* value,
                               std::size_t* needed) {
  return device == silent ? CL_INVALID_DEVICE : info(device, query, n, value, needed);
}

class OpenCLParts : public OpenCL {
 protected:
  void SetUp() override {
    OpenCL::SetUp();
    if (IsSkipped()) return;
    if (setup()->device->properties().compute_units < 2) GTEST_SKIP() << "one compute unit has no parts";
    create = std::exchange(functions().CreateSubDevices, counted_create);
    release = std::exchange(functions().ReleaseDevice, counted_release);
    info = std::exchange(functions().GetDeviceInfo, silent_info);
  }
  void TearDown() override {
    if (create == nullptr) return;
    functions().CreateSubDevices = create;
    functions().ReleaseDevice = release;
    functions().GetDeviceInfo = info;
  }
  static Api& functions() { return const_cast<Api&>(opencl::api()); }
};

TEST_F(OpenCLParts, a_part_that_does_not_answer_releases_all_parts) {
  const std::shared_ptr<Device>& device = setup()->device;
  auto& divided = dynamic_cast<DividedDevice&>(*device);
  try {
    (void)divided.split(device, Equally{2});
    FAIL() << "no error";
  } catch (const ArgumentError& error) {
    GTEST_SKIP() << error.what();
  } catch (const Error&) {
    EXPECT_GE(made, 2U);
    EXPECT_TRUE(live.empty()) << live.size() << " of " << made;
  }
}

}  // namespace
}  // namespace quern::backend::opencl_test
