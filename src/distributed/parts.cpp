// SPDX-License-Identifier: MIT
// Copies between sections of arrays and messages.
#include "distributed/parts.hpp"

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "quern/arithmetic.hpp"
#include "quern/buffer.hpp"
#include "quern/context.hpp"
#include "quern/error.hpp"
#include "quern/manipulation.hpp"
#include "quern/queue.hpp"
#include "quern/views.hpp"
#include "runtime/origin.hpp"

namespace quern::distributed {

void refuse(const std::string& text) {
  throw ArgumentError(ArgumentError::Kind::value, text);
}

std::string text_of(const Shape& shape) {
  std::string text = "(";
  for (std::size_t i = 0; i < shape.size(); ++i) text += (i == 0 ? "" : ", ") + std::to_string(shape[i]);
  return text + (shape.size() == 1 ? ",)" : ")");
}

namespace {

// FNV-1a.
constexpr std::uint64_t kDigestStart = 0xcbf29ce484222325;
std::uint64_t digested(std::uint64_t digest, std::uint64_t value) {
  return (digest ^ value) * 0x100000001b3;
}

}  // namespace

std::string agreed(const Layout& layout) {
  std::uint64_t digest = digested(kDigestStart, static_cast<std::uint64_t>(layout.root()));
  for (const int length : layout.grid().lengths())
    digest = digested(digest, static_cast<std::uint64_t>(length));
  for (const AxisLayout& axis : layout.axes()) {
    digest = digested(digest, static_cast<std::uint64_t>(axis.length()));
    if (!axis.is_split()) continue;
    digest = digested(digest, static_cast<std::uint64_t>(axis.grid_axis()));
    digest = digested(digest, static_cast<std::uint64_t>(axis.cyclic_block()));
    for (int part = 0; part < axis.parts(); ++part)
      digest = digested(digest, static_cast<std::uint64_t>(axis.local_length(part)));
  }
  return layout.text() + " " + std::to_string(digest);
}

std::string agreed(const DistributedArray& array) {
  return text_of(array.shape()) + " " + array.dtype().name() + " " + agreed(array.layout());
}

Array reshaped(const Array& block, const Layout& layout, int rank) {
  const Shape shape = layout.local_shape(rank);
  if (block.shape() == shape) return block;
  return layout.holds(rank) ? quern::reshape(block, shape) : empty(block.queue(), shape, block.dtype());
}

namespace {

// Looking a line up takes the interpreter's lock, so each thread keeps the texts of its lines.
const std::string& current_line() {
  thread_local std::unordered_map<Origin, std::string> known;
  const Origin origin = detail::current_origin;
  const auto [found, is_new] = known.try_emplace(origin);
  if (is_new) found->second = detail::line_of(origin);
  return found->second;
}

}  // namespace

Call call_of(std::string name, const std::string& agreed) {
  Call call{std::move(name), current_line(), kDigestStart};
  for (const char letter : call.name + '\0' + agreed)
    call.digest = digested(call.digest, static_cast<unsigned char>(letter));
  return call;
}

Array part(const Array& array, const Section& section) {
  std::vector<Index> index;
  for (const Range& range : section) {
    if (range.step > 0) {
      index.push_back(Index::slice(range.start, range.start + range.step * range.count, range.step));
    } else {
      const std::int64_t stop = range.start + range.step * range.count;
      index.push_back(Index::slice(range.start, stop < 0 ? std::nullopt : std::optional(stop), range.step));
    }
  }
  return view(array, index);
}

std::int64_t elements_of(const Shape& shape) {
  std::int64_t count = 1;
  for (const std::int64_t length : shape) count *= length;
  return count;
}

void read(const Array& array, std::span<std::byte> to) {
  if (to.empty()) return;
  as_contiguous(array).get(array.queue(), to.data()).wait();
}

Array array_of(const Queue& queue, std::span<const std::byte> bytes, const Shape& shape, const DType& dtype) {
  const Array made = empty(queue, shape, dtype);
  if (!bytes.empty()) made.set(queue, bytes.data()).wait();
  return made;
}

namespace {

// Smaller pieces are copied through memory of the device, since wrapping memory takes longer than the copy.
constexpr std::size_t kLeastWrapped = std::size_t{256} << 10;

// The elements of a message, from this byte of its payload, as an array that shares the memory. Nothing if
// kernels cannot use the memory, or copying a few elements is faster.
std::optional<Array> array_in(const Message& message, std::size_t at, const Queue& queue, const Shape& shape,
                              const DType& dtype) {
  const std::size_t nbytes = static_cast<std::size_t>(elements_of(shape)) * dtype.itemsize;
  if (nbytes < kLeastWrapped || at % dtype.alignment() != 0) return std::nullopt;
  if (!queue.device().properties().shares_host_memory) return std::nullopt;
  const auto address = reinterpret_cast<std::uintptr_t>(message.payload().data() + at);
  return Array{Buffer::wrap(queue.context(), queue.device(), address, nbytes, message.memory()), dtype,
               shape};
}

// Copies elements to the payload. Returns an event if the copy is under way.
std::optional<Event> pack(const Array& from, Message& message, std::size_t at, std::size_t nbytes) {
  const Queue queue = from.queue();
  const auto to = array_in(message, at, queue, from.shape(), from.dtype());
  if (!to) {
    read(from, message.payload().subspan(at, nbytes));
    return std::nullopt;
  }
  if (from.evaluate().contiguous) return queue.copy(from.elements(), to->elements());
  assign(*to, from, &queue);
  return queue.marker();
}

}  // namespace

Movement::Movement(const Communicator& communicator, const Call& call, std::vector<SectionCopy> copies,
                   PutElements put)
    : copies_(std::move(copies)), put_(std::move(put)) {
  CommunicatorState& state = *communicator.state();
  std::map<int, std::size_t> incoming, outgoing;  // bytes by rank
  for (const SectionCopy& copy : copies_) {
    plans_.push_back(
        plan_movement(copy.from_layout, copy.from_section, copy.to_layout, copy.to_section, state.rank()));
    const std::size_t itemsize = copy.from.dtype().itemsize;
    const auto add = [&](std::map<int, std::size_t>& bytes, const std::vector<Parcel>& parcels) {
      for (const Parcel& parcel : parcels)
        bytes[parcel.peer] += static_cast<std::size_t>(parcel.elements) * itemsize;
    };
    add(incoming, plans_.back().receives);
    add(outgoing, plans_.back().sends);
  }

  // Reading may fail. Nothing has begun then.
  std::vector<std::pair<int, Message>> messages;
  // Each rank starts with the next one, so that not all send to rank 0 first.
  for (int step = 1; step < state.size(); ++step) {
    const auto found = outgoing.find((state.rank() + step) % state.size());
    if (found == outgoing.end()) continue;
    Message message(found->second);
    std::vector<Event> copies_under_way;
    std::size_t at = 0;
    for (std::size_t i = 0; i < copies_.size(); ++i) {
      for (const Parcel& parcel : plans_[i].sends) {
        if (parcel.peer != found->first) continue;
        for (std::size_t k = 0; k < parcel.sections.size(); ++k) {
          const std::size_t nbytes =
              static_cast<std::size_t>(elements_of(parcel.shapes[k])) * copies_[i].from.dtype().itemsize;
          if (auto copied = pack(part(copies_[i].from, parcel.sections[k]), message, at, nbytes))
            copies_under_way.push_back(std::move(*copied));
          at += nbytes;
        }
      }
    }
    for (const Event& copied : copies_under_way) copied.wait();
    messages.emplace_back(found->first, std::move(message));
  }
  exchange_.emplace(state.begin(call));
  for (const auto& [peer, nbytes] : incoming) numbers_[peer] = exchange_->receive(peer, nbytes);
  for (auto& [peer, message] : messages) exchange_->send(peer, std::move(message));

  // Meanwhile the elements that stay.
  for (std::size_t i = 0; i < copies_.size() && !put_; ++i) {
    for (std::size_t k = 0; k < plans_[i].kept_from.size(); ++k) {
      assign(part(copies_[i].to, plans_[i].kept_to[k]), part(copies_[i].from, plans_[i].kept_from[k]));
    }
  }
}

void Movement::finish() {
  exchange_->finish();
  std::map<int, std::size_t> taken;  // bytes of each message that are unpacked
  for (std::size_t i = 0; i < copies_.size(); ++i) {
    for (const Parcel& parcel : plans_[i].receives) {
      for (std::size_t k = 0; k < parcel.sections.size(); ++k) {
        const std::size_t nbytes =
            static_cast<std::size_t>(elements_of(parcel.shapes[k])) * copies_[i].from.dtype().itemsize;
        const Message& message = exchange_->message(numbers_[parcel.peer]);
        const std::size_t at = taken[parcel.peer];
        const auto bytes = message.payload().subspan(at, nbytes);
        taken[parcel.peer] += nbytes;
        const Array to = part(copies_[i].to, parcel.sections[k]);
        if (put_) {
          put_(to, bytes);
          continue;
        }
        const Queue queue = to.queue();
        const DType& dtype = copies_[i].from.dtype();
        const auto elements = array_in(message, at, queue, parcel.shapes[k], dtype);
        assign(to, elements ? *elements : array_of(queue, bytes, parcel.shapes[k], dtype));
      }
    }
  }
}

}  // namespace quern::distributed
