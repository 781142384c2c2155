// SPDX-License-Identifier: MIT
// Engines on the host, and the states of generators: seeds, streams, jumps.
#include <random>

#include "quern/error.hpp"
#include "quern/graph.hpp"
#include "quern/random.hpp"

namespace quern::random {
namespace {

Words philox(Words counter, std::uint32_t k, std::uint32_t l) {
  auto [x, y, z, w] = counter;
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t p = std::uint64_t{x} * 0xd2511f53u, q = std::uint64_t{z} * 0xcd9e8d57u;
    x = static_cast<std::uint32_t>(q >> 32) ^ y ^ k;
    z = static_cast<std::uint32_t>(p >> 32) ^ w ^ l;
    y = static_cast<std::uint32_t>(q);
    w = static_cast<std::uint32_t>(p);
    k += 0x9e3779b9u;
    l += 0xbb67ae85u;
  }
  return {x, y, z, w};
}

Words threefry(const Words& counter, const Words& key) {
  static constexpr unsigned kRotations[8][2] = {{10, 26}, {11, 21}, {13, 27}, {23, 5},
                                                {6, 20},  {17, 11}, {25, 10}, {18, 20}};
  const std::uint32_t keys[5] = {key[0], key[1], key[2], key[3],
                                 0x1bd11bdau ^ key[0] ^ key[1] ^ key[2] ^ key[3]};
  Words x;
  for (unsigned i = 0; i < 4; ++i) x[i] = counter[i] + keys[i];
  const auto mix = [&x](unsigned to, unsigned from, unsigned bits) {
    x[to] += x[from];
    x[from] = ((x[from] << bits) | (x[from] >> (32 - bits))) ^ x[to];
  };
  for (unsigned round = 0; round < 20; ++round) {
    mix(0, round % 2 == 0 ? 1 : 3, kRotations[round % 8][0]);
    mix(2, round % 2 == 0 ? 3 : 1, kRotations[round % 8][1]);
    if (round % 4 != 3) continue;
    const unsigned turn = round / 4 + 1;
    for (unsigned i = 0; i < 4; ++i) x[i] += keys[(turn + i) % 5];
    x[3] += turn;
  }
  return x;
}

// Mixes one word into a key: a chain of Philox blocks, each keyed by the word and its position.
Words mixed(const Words& key, std::uint32_t word, std::uint32_t place) {
  return philox(key, word, place);
}

// Positions of a seed's words count from 0; those of a child's number are distinct from them.
constexpr std::uint32_t kChildPlace = 0x80000000u;

}  // namespace

Words block(Engine engine, const Words& counter, const Words& key) {
  return engine == Engine::philox ? philox(counter, key[0], key[1]) : threefry(counter, key);
}

State seeded(std::span<const std::uint32_t> seed, Engine engine) {
  // Leading zeros do not count: a seed is a number, independent of the number of its words.
  while (seed.size() > 1 && seed.back() == 0) seed = seed.first(seed.size() - 1);
  if (seed.size() >= kChildPlace)
    throw ArgumentError(ArgumentError::Kind::value, "seed: must have at most 2^31 words");
  State state;
  state.engine = engine;
  state.key = {static_cast<std::uint32_t>(engine), static_cast<std::uint32_t>(seed.size()), 0, 0};
  std::uint32_t place = 0;
  for (const std::uint32_t word : seed) state.key = mixed(state.key, word, place++);
  return state;
}

State seeded(std::uint64_t seed, Engine engine) {
  const std::uint32_t words[2] = {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)};
  return seeded(words, engine);
}

State from_entropy(Engine engine) {
  std::random_device device;
  std::array<std::uint32_t, 8> words;
  for (std::uint32_t& word : words) word = device();
  return seeded(words, engine);
}

Generator& Generator::operator=(const Generator& other) {
  if (this != &other) set_state(other.state());
  return *this;
}

State Generator::state() const {
  const std::lock_guard lock(mutex_);
  return state_;
}

void Generator::set_state(const State& state) {
  const std::lock_guard lock(mutex_);
  state_ = state;
}

std::vector<Generator> Generator::spawn(std::size_t count) {
  State parent;
  {
    const std::lock_guard lock(mutex_);
    parent = state_;
    state_.children += count;
  }
  std::vector<Generator> result;
  result.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t number = parent.children + i;
    State child;
    child.engine = parent.engine;
    child.key = mixed(parent.key, static_cast<std::uint32_t>(number), kChildPlace);
    child.key = mixed(child.key, static_cast<std::uint32_t>(number >> 32), kChildPlace + 1);
    child.key = mixed(child.key, parent.jumps, kChildPlace + 2);
    result.emplace_back(child);
  }
  return result;
}

Generator Generator::jumped(std::uint32_t jumps) const {
  State state = this->state();
  state.jumps += jumps;
  return Generator(state);
}

void Generator::advance(std::uint64_t words, std::uint32_t jumps) {
  const std::lock_guard lock(mutex_);
  state_.jumps += jumps;
  if (state_.position + words < words) ++state_.jumps;
  state_.position += words;
}

State Generator::reserve(std::uint64_t words, std::uint64_t alignment) {
  if (is_capturing())
    throw CaptureError(
        "a random draw cannot be captured: each replay would draw the same numbers. Draw before the capture; "
        "a function with @qn.graph may draw from a generator that is one of its arguments");
  if (alignment == 0 || (alignment & (alignment - 1)) != 0)
    throw ArgumentError(ArgumentError::Kind::value,
                        "reserve: alignment must be a power of two, got " + std::to_string(alignment));
  const std::lock_guard lock(mutex_);
  State result = state_;
  result.position = (state_.position + alignment - 1) & ~(alignment - 1);
  // A draw that would pass the end of the sequence begins at the start of the next one.
  if (result.position < state_.position || result.position + words < result.position) {
    ++result.jumps;
    result.position = 0;
  }
  state_.position = result.position + words;
  state_.jumps = result.jumps;
  return result;
}

}  // namespace quern::random
