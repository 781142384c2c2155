// SPDX-License-Identifier: MIT
// The rows of work-group and sub-group functions and of Quern's intrinsics. lower/device_functions.hpp lowers
// them, because their form depends on more than types.
#include "frontend/builtins/builtins.hpp"

namespace quern::frontend {
namespace {

constexpr Builtin row(std::string_view name, std::uint8_t arity) {
  return {name, arity, Rule::group, "", ""};
}

constexpr Builtin kGroupRows[] = {
    row("get_local_linear_id", 0),
    row("get_global_linear_id", 0),

    row("async_work_group_copy", 4),
    row("async_work_group_strided_copy", 5),
    row("prefetch", 2),

    row("work_group_all", 1),
    row("work_group_any", 1),
    row("work_group_broadcast", 2),  // plus one id for each further dimension
    row("work_group_reduce_add", 1),
    row("work_group_reduce_min", 1),
    row("work_group_reduce_max", 1),
    row("work_group_scan_inclusive_add", 1),
    row("work_group_scan_inclusive_min", 1),
    row("work_group_scan_inclusive_max", 1),
    row("work_group_scan_exclusive_add", 1),
    row("work_group_scan_exclusive_min", 1),
    row("work_group_scan_exclusive_max", 1),

    row("get_sub_group_size", 0),
    row("get_max_sub_group_size", 0),
    row("get_num_sub_groups", 0),
    row("get_enqueued_num_sub_groups", 0),
    row("get_sub_group_id", 0),
    row("get_sub_group_local_id", 0),
    row("sub_group_barrier", 1),  // plus an optional scope
    row("sub_group_all", 1),
    row("sub_group_any", 1),
    row("sub_group_broadcast", 2),
    row("sub_group_reduce_add", 1),
    row("sub_group_reduce_min", 1),
    row("sub_group_reduce_max", 1),
    row("sub_group_scan_inclusive_add", 1),
    row("sub_group_scan_inclusive_min", 1),
    row("sub_group_scan_inclusive_max", 1),
    row("sub_group_scan_exclusive_add", 1),
    row("sub_group_scan_exclusive_min", 1),
    row("sub_group_scan_exclusive_max", 1),
    row("sub_group_shuffle", 2),
    row("sub_group_shuffle_xor", 2),
    row("sub_group_shuffle_up", 2),
    row("sub_group_shuffle_down", 2),
    row("sub_group_ballot", 1),

    row("quern_shuffle", 2),
    row("quern_shuffle_xor", 2),
    row("quern_shuffle_up", 2),
    row("quern_shuffle_down", 2),
    row("quern_ballot", 1),
    row("quern_match_any", 1),
    row("quern_load_acquire", 2),
    row("quern_store_release", 3),
    row("quern_load_streaming", 1),
    row("quern_store_streaming", 2),
    row("quern_philox_words", 3),  // only for the kernels of src/kernels; not on OpenCL devices
};

}  // namespace

const Builtin kExchangePut = row("exchange put", 1);
const Builtin kExchangeTake = row("exchange take", 0);

std::span<const Builtin> group_builtins() {
  return kGroupRows;
}

}  // namespace quern::frontend
