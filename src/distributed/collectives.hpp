// SPDX-License-Identifier: MIT
// Operations in which all ranks take part, made of messages between two ranks.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "distributed/communicator.hpp"

namespace quern::distributed {

using Bytes = std::vector<std::byte>;

// Each function is called by all ranks with equal calls. The digest of the call includes what must agree.

void barrier(CommunicatorState& communicator, const Call& call);

// Copies the bytes of the root to all ranks.
void broadcast(CommunicatorState& communicator, const Call& call, std::span<std::byte> bytes, int root);

// Concatenates the bytes of all ranks in the order of the ranks. All ranks give the same number of bytes.
Bytes all_gather(CommunicatorState& communicator, const Call& call, std::span<const std::byte> own);

// Throws DistributedError on all ranks, with the ranks whose digest differs from that of this rank. For
// operations after which some ranks exchange no messages.
void check_agreement(CommunicatorState& communicator, Call call);

// As all_gather(), at the root alone; other ranks get nothing. lengths[r] is the number of bytes of rank r.
std::vector<Bytes> gather(CommunicatorState& communicator, const Call& call, std::span<const std::byte> own,
                          std::span<const std::size_t> lengths, int root);

// Sends outgoing[r] to rank r, and returns what each rank has sent; lengths[r] is what rank r sends here.
// Messages of no bytes are not sent.
std::vector<Bytes> all_to_all(CommunicatorState& communicator, const Call& call,
                              std::span<const Bytes> outgoing, std::span<const std::size_t> lengths);

}  // namespace quern::distributed
