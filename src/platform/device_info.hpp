// SPDX-License-Identifier: MIT
// Answers of clGetDeviceInfo.
#pragma once

#include "platform/info.hpp"
#include "platform/objects.hpp"

namespace quern::platform {

void answer_device_query(const _cl_device_id& device, cl_device_info query, const Answer& answer);
[[nodiscard]] bool is_partitionable(const _cl_device_id& device) noexcept;
// CL_DEVICE_SVM_CAPABILITIES.
[[nodiscard]] cl_device_svm_capabilities svm_capabilities(const Device& device);
// The alignment of sub-buffers in bytes.
[[nodiscard]] std::size_t sub_buffer_alignment(const Device& device) noexcept;

}  // namespace quern::platform
