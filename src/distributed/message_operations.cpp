// SPDX-License-Identifier: MIT
// Operations of all ranks on arrays of each rank: copies, sums, exchanges of rows.
#include <array>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "array/write.hpp"
#include "distributed/collectives.hpp"
#include "distributed/parts.hpp"
#include "quern/arithmetic.hpp"
#include "quern/distributed/messages.hpp"
#include "quern/error.hpp"
#include "runtime/memory_operation.hpp"

namespace quern::distributed {
namespace {

// Above this size, each rank combines a part of the elements of all ranks, and all get the results.
constexpr std::size_t kLargeReduction = std::size_t{1} << 16;

void check_root(const Communicator& communicator, const char* function, int root) {
  if (root >= 0 && root < communicator.size()) return;
  refuse(std::string(function) + ": rank " + std::to_string(root) + " does not exist among " +
         std::to_string(communicator.size()));
}

Call array_call(const std::string& name, const Array& array, const std::string& more = {}) {
  return call_of(name, text_of(array.shape()) + " " + array.dtype().name() + " " + more);
}

Bytes bytes_of(const Array& array) {
  Bytes bytes(array.nbytes());
  read(array, bytes);
  return bytes;
}

void write(const Array& out, std::span<const std::byte> bytes) {
  if (out.size() != 0) assign(out, array_of(out.queue(), bytes, out.shape(), out.dtype()));
}

Shape stacked(const Communicator& communicator, const Array& array) {
  Shape shape = array.shape();
  shape.insert(shape.begin(), communicator.size());
  return shape;
}

std::string_view elementwise_name(std::string_view operation) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 9> kNames = {{
      {"sum", "add"},
      {"prod", "multiply"},
      {"min", "minimum"},
      {"max", "maximum"},
      {"logical_and", "logical_and"},
      {"logical_or", "logical_or"},
      {"bitwise_and", "bitwise_and"},
      {"bitwise_or", "bitwise_or"},
      {"bitwise_xor", "bitwise_xor"},
  }};
  std::string known;
  for (const auto& [name, function] : kNames) {
    if (name == operation) return function;
    known += (known.empty() ? "" : ", ") + std::string(name);
  }
  refuse("the operation must be one of " + known + ", got " + std::string(operation));
}

// Combines arrays of the same shape and dtype, which lie one after the other, in their order.
Array combined(std::string_view function, const Queue& queue, std::span<const std::byte> bytes,
               std::size_t count, const Shape& shape, const DType& dtype) {
  const std::size_t nbytes = bytes.size() / count;
  Array result = array_of(queue, bytes.first(nbytes), shape, dtype);
  for (std::size_t i = 1; i < count; ++i) {
    const Array next = array_of(queue, bytes.subspan(i * nbytes, nbytes), shape, dtype);
    const Operand operands[] = {result, next};
    result = quern::apply(function, operands);
  }
  return result.dtype() == dtype ? result : astype(result, dtype);
}

// All dtypes that the operation takes are known before anything is sent.
void check_operation(std::string_view function, const Array& array) {
  const Array sample = zeros(array.queue(), {0}, array.dtype());
  const Operand operands[] = {sample, sample};
  static_cast<void>(quern::apply(function, operands));
}

}  // namespace

void bcast(const Communicator& communicator, const Array& array, int root) {
  check_root(communicator, "bcast", root);
  if (array.size() != 0) array.evaluate();
  array::check_writable(array, "bcast");
  if (array.size() != 0) detail::check_writable(array.buffer(), "the array to broadcast to");
  Bytes bytes(array.nbytes());
  if (communicator.rank() == root) read(array, bytes);
  broadcast(*communicator.state(), array_call("bcast", array, std::to_string(root)), bytes, root);
  if (communicator.rank() != root) write(array, bytes);
}

std::optional<Array> gather(const Communicator& communicator, const Array& array, int root) {
  check_root(communicator, "gather", root);
  const std::vector<std::size_t> lengths(static_cast<std::size_t>(communicator.size()), array.nbytes());
  const auto parts = gather(*communicator.state(), array_call("gather", array, std::to_string(root)),
                            bytes_of(array), lengths, root);
  if (communicator.rank() != root) return std::nullopt;
  Bytes all;
  for (const Bytes& part : parts) all.insert(all.end(), part.begin(), part.end());
  return array_of(array.queue(), all, stacked(communicator, array), array.dtype());
}

Array allgather(const Communicator& communicator, const Array& array) {
  const Bytes all = all_gather(*communicator.state(), array_call("allgather", array), bytes_of(array));
  return array_of(array.queue(), all, stacked(communicator, array), array.dtype());
}

std::optional<Array> reduce(const Communicator& communicator, const Array& array, std::string_view operation,
                            int root) {
  check_root(communicator, "reduce", root);
  const std::string_view function = elementwise_name(operation);
  check_operation(function, array);
  const std::vector<std::size_t> lengths(static_cast<std::size_t>(communicator.size()), array.nbytes());
  const auto parts = gather(*communicator.state(),
                            array_call("reduce", array, std::string(operation) + std::to_string(root)),
                            bytes_of(array), lengths, root);
  if (communicator.rank() != root) return std::nullopt;
  Bytes all;
  for (const Bytes& part : parts) all.insert(all.end(), part.begin(), part.end());
  return combined(function, array.queue(), all, lengths.size(), array.shape(), array.dtype());
}

Array allreduce(const Communicator& communicator, const Array& array, std::string_view operation) {
  const std::string_view function = elementwise_name(operation);
  check_operation(function, array);
  CommunicatorState& state = *communicator.state();
  const auto ranks = static_cast<std::size_t>(communicator.size());
  const Call call = array_call("allreduce", array, std::string(operation));
  const Queue queue = array.queue();
  const std::size_t itemsize = array.dtype().itemsize;
  const Bytes own = bytes_of(array);
  if (own.size() < kLargeReduction || ranks < 3) {
    return combined(function, queue, all_gather(state, call, own), ranks, array.shape(), array.dtype());
  }
  // Parts of one length, of which the last may be shorter or empty.
  const std::size_t part = (array.size() + ranks - 1) / ranks * itemsize;
  const auto length_of = [&](std::size_t rank) {
    return std::min(part, own.size() - std::min(own.size(), rank * part));
  };
  std::vector<Bytes> outgoing(ranks);
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    const auto begin = own.begin() + static_cast<std::ptrdiff_t>(std::min(own.size(), rank * part));
    outgoing[rank].assign(begin, begin + static_cast<std::ptrdiff_t>(length_of(rank)));
  }
  const std::size_t mine = length_of(static_cast<std::size_t>(communicator.rank()));
  const std::vector<Bytes> parts = all_to_all(state, call, outgoing, std::vector<std::size_t>(ranks, mine));
  Bytes all;
  for (const Bytes& one : parts) all.insert(all.end(), one.begin(), one.end());
  Bytes result(part);
  if (mine != 0) {
    read(combined(function, queue, all, ranks, {static_cast<std::int64_t>(mine / itemsize)}, array.dtype()),
         std::span(result).first(mine));
  }
  const Bytes whole = all_gather(state, call, result);
  return array_of(queue, std::span(whole).first(own.size()), array.shape(), array.dtype());
}

namespace {

void check_rows(const Communicator& communicator, const char* function, const Array& rows) {
  if (!rows.shape().empty() && rows.shape()[0] == communicator.size()) return;
  refuse(std::string(function) + ": the first axis must have one entry for each of the " +
         std::to_string(communicator.size()) + " ranks, got shape " + text_of(rows.shape()));
}

}  // namespace

void scatter(const Communicator& communicator, const std::optional<Array>& rows, const Array& out, int root) {
  check_root(communicator, "scatter", root);
  CommunicatorState& state = *communicator.state();
  const bool is_root = communicator.rank() == root;
  if (is_root) {
    if (!rows) refuse("scatter: the root needs an array to scatter");
    check_rows(communicator, "scatter", *rows);
    Shape row = rows->shape();
    row.erase(row.begin());
    if (row != out.shape() || rows->dtype() != out.dtype()) {
      refuse("scatter: rows are " + rows->dtype().name() + " of shape " + text_of(row) +
             ", and the array that takes one is " + out.dtype().name() + " of shape " + text_of(out.shape()));
    }
  }
  const std::size_t nbytes = out.nbytes();
  const Bytes all = is_root ? bytes_of(*rows) : Bytes();
  Exchange exchange = state.begin(array_call("scatter", out, std::to_string(root)));
  if (!is_root) {
    const std::size_t number = exchange.receive(root, nbytes);
    exchange.finish();
    return write(out, exchange.received(number));
  }
  for (int rank = 0; rank < communicator.size(); ++rank) {
    const auto row = std::span(all).subspan(static_cast<std::size_t>(rank) * nbytes, nbytes);
    if (rank == root) {
      write(out, row);
      continue;
    }
    Message message(nbytes);
    if (nbytes != 0) std::memcpy(message.payload().data(), row.data(), nbytes);
    exchange.send(rank, std::move(message));
  }
  exchange.finish();
}

Array alltoall(const Communicator& communicator, const Array& rows) {
  check_rows(communicator, "alltoall", rows);
  const auto ranks = static_cast<std::size_t>(communicator.size());
  const Bytes own = bytes_of(rows);
  const std::size_t nbytes = own.size() / ranks;
  std::vector<Bytes> outgoing(ranks);
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    const auto row = std::span(own).subspan(rank * nbytes, nbytes);
    outgoing[rank].assign(row.begin(), row.end());
  }
  const auto incoming = all_to_all(*communicator.state(), array_call("alltoall", rows), outgoing,
                                   std::vector<std::size_t>(ranks, nbytes));
  Bytes all;
  for (const Bytes& part : incoming) all.insert(all.end(), part.begin(), part.end());
  return array_of(rows.queue(), all, rows.shape(), rows.dtype());
}

}  // namespace quern::distributed
