// SPDX-License-Identifier: MIT
// Finds built-in functions by name, and has the rows of those that belong to no larger family.
#include "frontend/builtins/builtins.hpp"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "base/text.hpp"

namespace quern::frontend {
namespace {

using enum Rule;

constexpr Builtin kOthers[] = {
    // Work-items
    {"get_work_dim", 0, work_dim, "", ""},
    {"get_global_size", 1, work_item, "", ""},
    {"get_global_id", 1, work_item, "", ""},
    {"get_global_offset", 1, work_item, "", ""},
    {"get_local_size", 1, work_item, "", ""},
    {"get_enqueued_local_size", 1, work_item, "", ""},
    {"get_local_id", 1, work_item, "", ""},
    {"get_num_groups", 1, work_item, "", ""},
    {"get_group_id", 1, work_item, "", ""},

    // Memory
    {"vload2", 2, vload, "", ""},
    {"vload3", 2, vload, "", ""},
    {"vload4", 2, vload, "", ""},
    {"vload8", 2, vload, "", ""},
    {"vload16", 2, vload, "", ""},
    {"vstore2", 3, vstore, "", ""},
    {"vstore3", 3, vstore, "", ""},
    {"vstore4", 3, vstore, "", ""},
    {"vstore8", 3, vstore, "", ""},
    {"vstore16", 3, vstore, "", ""},
    {"vload_half", 2, vload_half, "", ""},
    {"vstore_half", 3, vstore_half, "", ""},
    {"mem_fence", 1, fence, "__atomic_thread_fence(__ATOMIC_SEQ_CST)", "__threadfence()"},
    {"read_mem_fence", 1, fence, "__atomic_thread_fence(__ATOMIC_ACQUIRE)", "__threadfence()"},
    {"write_mem_fence", 1, fence, "__atomic_thread_fence(__ATOMIC_RELEASE)", "__threadfence()"},
    {"atomic_work_item_fence", 3, fence, "__atomic_thread_fence(__ATOMIC_SEQ_CST)", "__threadfence()"},
    {"printf", 1, print, "__builtin_printf", "printf"},

    {"barrier", 1, barrier, "", "__syncthreads()"},
    {"work_group_barrier", 1, barrier, "", "__syncthreads()"},
    {"wait_group_events", 2, barrier, "", "__syncthreads()"},
};

// Functions of images, pipes and device-side queues, which some OpenCL devices have.
constexpr std::string_view kUnsupported[] = {
    "read_imagef",
    "read_imagei",
    "read_imageui",
    "read_imageh",
    "write_imagef",
    "write_imagei",
    "write_imageui",
    "write_imageh",
    "get_image_width",
    "get_image_height",
    "get_image_depth",
    "get_image_dim",
    "get_image_array_size",
    "get_image_channel_data_type",
    "get_image_channel_order",
    "read_pipe",
    "write_pipe",
    "reserve_read_pipe",
    "reserve_write_pipe",
    "commit_read_pipe",
    "commit_write_pipe",
    "is_valid_reserve_id",
    "get_pipe_num_packets",
    "get_pipe_max_packets",
    "enqueue_kernel",
    "enqueue_marker",
    "get_default_queue",
    "ndrange_1D",
    "ndrange_2D",
    "ndrange_3D",
    "create_user_event",
    "set_user_event_status",
    "retain_event",
    "release_event",
};
constexpr Builtin kUnsupportedRow = {"", 0, Rule::unsupported, "", ""};

template <class Visit>
void for_each_row(Visit visit) {
  for (const std::span<const Builtin> rows : {std::span<const Builtin>(kOthers), math_builtins(),
                                              integer_builtins(), atomic_builtins(), group_builtins()})
    for (const Builtin& row : rows) visit(row);
}

const std::unordered_map<std::string_view, const Builtin*>& index() {
  static const auto* table = [] {
    auto* made = new std::unordered_map<std::string_view, const Builtin*>;
    for_each_row([&](const Builtin& row) { (*made)[row.name] = &row; });
    for (const std::string_view name : kUnsupported) (*made)[name] = &kUnsupportedRow;
    return made;
  }();
  return *table;
}

}  // namespace

std::optional<Rounding> rounding_of(std::string_view suffix) {
  if (suffix.empty()) return Rounding::none;
  if (suffix == "_rte") return Rounding::to_even;
  if (suffix == "_rtz") return Rounding::to_zero;
  if (suffix == "_rtp") return Rounding::up;
  if (suffix == "_rtn") return Rounding::down;
  return std::nullopt;
}

HalfAccess half_access(std::string_view name) {
  HalfAccess result;
  const bool loads = name.starts_with("vload");
  name.remove_prefix(loads ? 5 : 6);
  result.is_aligned = name.starts_with('a');
  if (result.is_aligned) name.remove_prefix(1);
  if (!name.starts_with("_half")) return {};
  name.remove_prefix(5);
  const std::size_t mark = std::min(name.find('_'), name.size());
  const std::string_view count = name.substr(0, mark);
  const auto rounding = rounding_of(name.substr(mark));
  if (!rounding || (loads && mark != name.size())) return {};
  result.rounding = *rounding;
  for (const unsigned lanes : {2U, 3U, 4U, 8U, 16U})
    if (count == std::to_string(lanes)) result.lanes = lanes;
  if (count.empty() && !result.is_aligned) result.lanes = 1;
  return result;
}

const Builtin* find_builtin(std::string_view name) {
  if (const auto found = index().find(name); found != index().end()) return found->second;
  if (name.starts_with("native_") || name.starts_with("half_")) {
    const std::string_view plain = name.substr(name.find('_') + 1);
    const auto found = index().find(plain);
    return found != index().end() && found->second->rule == Rule::real ? found->second : nullptr;
  }
  if (name.starts_with("vload")) return half_access(name).lanes > 0 ? index().at("vload_half") : nullptr;
  if (name.starts_with("vstore")) return half_access(name).lanes > 0 ? index().at("vstore_half") : nullptr;
  if (name.starts_with("atom_")) {
    static const auto* old_names = [] {
      auto* made = new std::unordered_map<std::string, const Builtin*>;
      for (const Builtin& row : atomic_builtins())
        if (row.rule == Rule::atomic) (*made)["atom_" + std::string(row.name.substr(7))] = &row;
      return made;
    }();
    const auto found = old_names->find(std::string(name));
    return found == old_names->end() ? nullptr : found->second;
  }
  return nullptr;
}

bool is_builtin_name(std::string_view name) {
  static const auto* scalars = new std::unordered_set<std::string_view>{
      "char", "uchar", "short", "ushort", "int", "uint", "long", "ulong", "half", "float", "double"};
  for (const std::string_view prefix : {"convert_", "as_"}) {
    if (!name.starts_with(prefix)) continue;
    const std::string_view type = name.substr(prefix.size());
    return scalars->contains(type.substr(0, type.find_first_of("0123456789_")));
  }
  return find_builtin(name) != nullptr;
}

bool is_emitted_name(std::string_view name) {
  static const auto* names = [] {
    auto* made = new std::unordered_set<std::string>;
    for_each_row([&](const Builtin& row) {
      for (const std::string_view text : {row.c, row.cuda, row.cuda_wide}) {
        for (std::size_t i = 0; i < text.size();) {
          std::size_t end = i;
          while (end < text.size() && is_name_character(text[end])) ++end;
          const std::string_view rest = text.substr(end);
          if (end > i && (rest.starts_with("(") || rest.starts_with("@"))) {
            made->insert(std::string(text.substr(i, end - i)));
            made->insert(std::string(text.substr(i, end - i)) + "f");
          }
          i = end + 1;
        }
      }
    });
    return made;
  }();
  return names->contains(std::string(name));
}

}  // namespace quern::frontend
