// SPDX-License-Identifier: MIT
// Rows of a sparse matrix on each rank: its own columns, columns of other ranks, and who needs which
// elements.
#include "quern/distributed/sparse.hpp"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "distributed/collectives.hpp"
#include "distributed/communicator.hpp"
#include "distributed/parts.hpp"
#include "quern/arithmetic.hpp"
#include "quern/indexing.hpp"
#include "quern/manipulation.hpp"

namespace quern::distributed {

using quern::sparse::Csr;
using quern::sparse::Size;

// Elements of vectors that one other rank needs from this one, or this one from it.
struct SparsePeer {
  int rank;
  std::int64_t elements;
};

struct DistributedCsr::State {
  Communicator communicator;
  Size size;
  std::int64_t nnz;
  Csr local;
  Layout rows, columns;
  Csr own;                           // this rank's columns, counted from its first one
  std::optional<Csr> ghosts;         // columns of others that this rank has entries in, in their order
  std::vector<SparsePeer> receives;  // who has the elements of the ghost columns, in their order
  std::vector<SparsePeer> sends;
  // The elements that this rank sends, by neighbour: numbers in its block. The array is on the device.
  std::vector<std::int64_t> sent;
  std::optional<Array> sent_array;
  std::string agreement;  // what ranks agree on in each product
};

namespace {

using Numbers = std::vector<std::int64_t>;

std::span<const std::byte> bytes_of_numbers(const Numbers& numbers) {
  return std::as_bytes(std::span(numbers));
}

Numbers numbers_of_bytes(const Bytes& bytes) {
  Numbers numbers(bytes.size() / sizeof(std::int64_t));
  if (!numbers.empty()) std::memcpy(numbers.data(), bytes.data(), bytes.size());
  return numbers;
}

Numbers numbers_of_array(const Array& array) {
  Numbers numbers(array.size());
  read(quern::astype(array, DType::of(Scalar::int64)), std::as_writable_bytes(std::span(numbers)));
  return numbers;
}

Layout vector_of_lengths(const Numbers& lengths) {
  const auto ranks = static_cast<int>(lengths.size());
  if (ranks == 1) return Layout::replicated(1, {lengths[0]});
  return {ProcessGrid({ranks}), {AxisLayout::irregular(lengths, 0)}};
}

Layout with_columns(const Layout& vector, const DistributedArray& x) {
  return x.shape().size() == 1 ? vector : vector.with_new_axis(1, AxisLayout::whole(x.shape()[1]));
}

Interval interval_of(const Layout& vector, int rank) {
  const auto intervals = vector.intervals(rank)[0];
  return intervals.empty() ? Interval{} : intervals.front();
}

// Some of the entries of rows.
struct Entries {
  Numbers counts, columns, places;  // of each row; of each entry its column and its place among all entries

  [[nodiscard]] Csr matrix(const Csr& rows, std::int64_t width) const {
    const Queue queue = rows.queue();
    Numbers starts = {0};
    for (const std::int64_t count : counts) starts.push_back(starts.back() + count);
    const DType type = quern::sparse::index_type(std::max(width, starts.back()));
    const auto indices = [&](const Numbers& numbers) {
      return quern::astype(array_of(queue, bytes_of_numbers(numbers),
                                    {static_cast<std::int64_t>(numbers.size())}, DType::of(Scalar::int64)),
                           type);
    };
    const auto count = static_cast<std::int64_t>(places.size());
    const Array data = count == 0 ? empty(queue, {0}, rows.dtype())
                                  : quern::take(rows.data(), HostPositions{{count}, places}, 0);
    const Array column_array = indices(columns), start_array = indices(starts);
    data.evaluate();
    return Csr::unchecked({rows.rows(), width}, data, column_array, start_array);
  }
};

// Which elements each other rank needs from this one. Called by all ranks.
void exchange_lists(DistributedCsr::State& state, const Numbers& wanted, const Call& call) {
  CommunicatorState& communicator = *state.communicator.state();
  const auto ranks = static_cast<std::size_t>(communicator.size());
  std::vector<Bytes> lists(ranks);
  Numbers counts(ranks);
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    const Interval has = interval_of(state.columns, static_cast<int>(rank));
    const auto first = std::lower_bound(wanted.begin(), wanted.end(), has.start);
    const auto last = std::lower_bound(first, wanted.end(), has.stop);
    if (has.empty() || first == last) continue;
    Numbers list(first, last);
    for (std::int64_t& place : list) place -= has.start;
    const auto bytes = bytes_of_numbers(list);
    lists[rank].assign(bytes.begin(), bytes.end());
    counts[rank] = last - first;
    state.receives.push_back({static_cast<int>(rank), counts[rank]});
  }
  const Numbers table = numbers_of_bytes(all_gather(communicator, call, bytes_of_numbers(counts)));
  std::vector<std::size_t> lengths;
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    lengths.push_back(
        static_cast<std::size_t>(table[rank * ranks + static_cast<std::size_t>(communicator.rank())]) *
        sizeof(std::int64_t));
  }
  const std::vector<Bytes> arrived = all_to_all(communicator, call, lists, lengths);
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    const Numbers list = numbers_of_bytes(arrived[rank]);
    if (list.empty()) continue;
    state.sends.push_back({static_cast<int>(rank), static_cast<std::int64_t>(list.size())});
    state.sent.insert(state.sent.end(), list.begin(), list.end());
  }
  if (!state.sent.empty())
    state.sent_array = array_of(state.local.queue(), bytes_of_numbers(state.sent),
                                {static_cast<std::int64_t>(state.sent.size())}, DType::of(Scalar::int64));
}

std::shared_ptr<const DistributedCsr::State> state_of(const Communicator& communicator, const Csr& rows) {
  CommunicatorState& ranks = *communicator.state();
  const Call call = call_of("csr_array", std::to_string(rows.columns()) + " columns " + rows.dtype().name());
  const Numbers own_counts = {rows.rows(), rows.nnz()};
  const Numbers table = numbers_of_bytes(all_gather(ranks, call, bytes_of_numbers(own_counts)));
  Numbers lengths;
  Size size{0, rows.columns()};
  std::int64_t nnz = 0;
  for (std::size_t rank = 0; 2 * rank < table.size(); ++rank) {
    lengths.push_back(table[2 * rank]);
    size.rows += table[2 * rank];
    nnz += table[2 * rank + 1];
  }
  const Layout row_layout = vector_of_lengths(lengths);
  const Layout column_layout =
      size.rows == size.columns ? row_layout : Layout::block(ProcessGrid({ranks.size()}), {size.columns});

  const Interval own_columns = interval_of(column_layout, ranks.rank());
  const Numbers columns = numbers_of_array(rows.indices()), starts = numbers_of_array(rows.indptr());
  Entries own, others;
  for (std::size_t row = 0; row + 1 < starts.size(); ++row) {
    const std::size_t before = own.columns.size(), before_others = others.columns.size();
    for (std::int64_t place = starts[row]; place < starts[row + 1]; ++place) {
      const std::int64_t column = columns[static_cast<std::size_t>(place)];
      const bool is_own = column >= own_columns.start && column < own_columns.stop;
      Entries& entries = is_own ? own : others;
      entries.columns.push_back(is_own ? column - own_columns.start : column);
      entries.places.push_back(place);
    }
    own.counts.push_back(static_cast<std::int64_t>(own.columns.size() - before));
    others.counts.push_back(static_cast<std::int64_t>(others.columns.size() - before_others));
  }
  Numbers wanted = others.columns;
  std::sort(wanted.begin(), wanted.end());
  wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());
  for (std::int64_t& column : others.columns)
    column = std::lower_bound(wanted.begin(), wanted.end(), column) - wanted.begin();

  const std::string agreement = std::to_string(size.rows) + " x " + std::to_string(size.columns) + " " +
                                rows.dtype().name() + " " + std::to_string(nnz) + " " + agreed(row_layout);
  auto state =
      std::make_shared<DistributedCsr::State>(DistributedCsr::State{communicator,
                                                                    size,
                                                                    nnz,
                                                                    rows,
                                                                    row_layout,
                                                                    column_layout,
                                                                    own.matrix(rows, own_columns.length()),
                                                                    std::nullopt,
                                                                    {},
                                                                    {},
                                                                    {},
                                                                    std::nullopt,
                                                                    agreement});
  if (!wanted.empty()) state->ghosts = others.matrix(rows, static_cast<std::int64_t>(wanted.size()));
  exchange_lists(*state, wanted, call_of("csr_array lists", agreement));
  return state;
}

// The messages of a product: elements to and from neighbours.
class NeighbourExchange {
 public:
  NeighbourExchange(const DistributedCsr::State& state, const char* name, const DistributedArray& x,
                    const std::vector<SparsePeer>& sends, const std::vector<SparsePeer>& receives,
                    const std::optional<Array>& outgoing, std::size_t row_bytes)
      : row_bytes_(row_bytes) {
    Bytes packed(outgoing ? outgoing->nbytes() : 0);
    if (outgoing) read(*outgoing, packed);
    exchange_.emplace(state.communicator.state()->begin(
        call_of(name, state.agreement + (x.shape().size() == 1 ? "" : " " + std::to_string(x.shape()[1])) +
                          x.dtype().name())));
    for (const SparsePeer& from : receives) numbers_.push_back(exchange_->receive(from.rank, bytes(from)));
    std::size_t at = 0;
    for (const SparsePeer& to : sends) {
      Message message(bytes(to));
      if (bytes(to) != 0) std::memcpy(message.payload().data(), packed.data() + at, bytes(to));
      at += bytes(to);
      exchange_->send(to.rank, std::move(message));
    }
  }
  void finish() { exchange_->finish(); }
  [[nodiscard]] std::span<const std::byte> received(std::size_t neighbour) const {
    return exchange_->received(numbers_[neighbour]);
  }
  [[nodiscard]] Bytes all_received() const {
    Bytes all;
    for (std::size_t i = 0; i < numbers_.size(); ++i) {
      const auto part = received(i);
      all.insert(all.end(), part.begin(), part.end());
    }
    return all;
  }

 private:
  [[nodiscard]] std::size_t bytes(const SparsePeer& of) const {
    return static_cast<std::size_t>(of.elements) * row_bytes_;
  }
  std::size_t row_bytes_;
  std::optional<Exchange> exchange_;
  std::vector<std::size_t> numbers_;
};

void check_operand(const DistributedCsr& matrix, const DistributedArray& x, std::int64_t length) {
  if (matrix.communicator() != x.communicator())
    refuse("matmul: the matrix and the vector belong to different communicators");
  const Shape shape = x.shape();
  if ((shape.size() != 1 && shape.size() != 2) || shape[0] != length)
    refuse("matmul: a matrix that takes vectors of " + std::to_string(length) +
           " elements cannot be applied to an array of shape " + text_of(shape));
}

// Bytes of a row of an array of one or two axes.
std::size_t row_bytes(const DistributedArray& x, const DType& dtype) {
  return dtype.itemsize * static_cast<std::size_t>(x.shape().size() == 1 ? 1 : x.shape()[1]);
}

Shape rows_shape(const DistributedArray& x, std::int64_t rows) {
  return x.shape().size() == 1 ? Shape{rows} : Shape{rows, x.shape()[1]};
}

}  // namespace

DistributedCsr::DistributedCsr(const Communicator& communicator, const Csr& rows)
    : state_(state_of(communicator, rows)) {}

const Communicator& DistributedCsr::communicator() const noexcept {
  return state_->communicator;
}
const Size& DistributedCsr::size() const noexcept {
  return state_->size;
}
std::int64_t DistributedCsr::nnz() const noexcept {
  return state_->nnz;
}
const DType& DistributedCsr::dtype() const noexcept {
  return state_->local.dtype();
}
const Csr& DistributedCsr::local() const noexcept {
  return state_->local;
}
const Layout& DistributedCsr::row_layout() const noexcept {
  return state_->rows;
}
const Layout& DistributedCsr::column_layout() const noexcept {
  return state_->columns;
}
std::int64_t DistributedCsr::ghosts() const noexcept {
  return state_->ghosts ? state_->ghosts->columns() : 0;
}
std::int64_t DistributedCsr::neighbours() const noexcept {
  return static_cast<std::int64_t>(state_->receives.size());
}

DistributedArray multiply(const DistributedCsr& matrix, const DistributedArray& x) {
  const DistributedCsr::State& state = matrix.state();
  check_operand(matrix, x, state.size.columns);
  const DistributedArray given = redistribute(x, with_columns(state.columns, x));
  const Array& block = given.local();
  const std::size_t bytes = row_bytes(x, x.dtype());
  std::optional<Array> outgoing;
  if (state.sent_array && bytes != 0) outgoing = quern::take(block, *state.sent_array, 0);
  NeighbourExchange exchange(state, "sparse product", x, state.sends, state.receives, outgoing, bytes);
  Array product = quern::sparse::multiply(state.own, block);
  product.evaluate();  // meanwhile
  exchange.finish();
  if (state.ghosts) {
    const Array ghosts =
        array_of(block.queue(), exchange.all_received(), rows_shape(x, state.ghosts->columns()), x.dtype());
    product = product + quern::sparse::multiply(*state.ghosts, ghosts);
  }
  return {x.communicator(), with_columns(state.rows, x), product};
}

DistributedArray multiply_transposed(const DistributedCsr& matrix, const DistributedArray& x) {
  const DistributedCsr::State& state = matrix.state();
  check_operand(matrix, x, state.size.rows);
  const DistributedArray given = redistribute(x, with_columns(state.rows, x));
  const Array& block = given.local();
  std::optional<Array> outgoing;
  if (state.ghosts) outgoing = quern::sparse::multiply(state.ghosts->transposed(), block);
  Array product = quern::sparse::multiply(state.own.transposed(), block);
  const DType dtype = product.dtype();
  NeighbourExchange exchange(state, "transposed sparse product", x, state.receives, state.sends, outgoing,
                             row_bytes(x, dtype));
  product = quern::copy(product);
  exchange.finish();
  std::size_t at = 0;
  for (std::size_t i = 0; i < state.sends.size(); ++i) {  // in the order of the ranks
    const std::int64_t count = state.sends[i].elements;
    const auto first = state.sent.begin() + static_cast<std::ptrdiff_t>(at);
    const HostPositions places{{count}, Numbers(first, first + count)};
    at += static_cast<std::size_t>(count);
    const Array parts = array_of(block.queue(), exchange.received(i), rows_shape(x, count), dtype);
    const std::vector<ItemIndex> index = {ItemIndex(places)};
    quern::set_item(product, index, quern::copy(quern::take(product, places, 0) + parts));
  }
  return {x.communicator(), with_columns(state.columns, x), product};
}

DistributedArray diagonal(const DistributedCsr& matrix) {
  const DistributedCsr::State& state = matrix.state();
  if (state.size.rows != state.size.columns) refuse("diagonal: expected a square matrix");
  return {state.communicator, state.rows, quern::sparse::diagonal(state.own)};
}

}  // namespace quern::distributed
