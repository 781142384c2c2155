// SPDX-License-Identifier: MIT
// SHA-256 against the vectors that NIST publishes and against the system's own tool.
#include "base/digest.hpp"

#include <gtest/gtest.h>

#include <random>
#include <set>

#include "base/subprocess.hpp"

namespace quern {
namespace {

std::string hex_of(std::string_view text) {
  return Digest().add(std::as_bytes(std::span(text))).hex();
}

TEST(Digest, of_the_published_vectors) {
  EXPECT_EQ(hex_of(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(hex_of("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(hex_of("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(
      hex_of(
          "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrs"
          "mnopqrstnopqrstu"),
      "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1");
  EXPECT_EQ(hex_of(std::string(1000000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Digest, agrees_with_sha256sum_at_every_length_around_a_block) {
  if (find_executable("sha256sum").empty()) GTEST_SKIP() << "no sha256sum";
  std::mt19937 random(7);
  for (const std::size_t size : {1, 54, 55, 56, 57, 62, 63, 64, 65, 119, 120, 127, 128, 129, 1000, 100003}) {
    std::string text(size, '\0');
    for (char& c : text) c = static_cast<char>(random());
    const ProcessResult oracle = run_process({"sha256sum"}, text, std::chrono::seconds(60));
    EXPECT_EQ(hex_of(text), oracle.output.substr(0, 64)) << size;
  }
}

TEST(Digest, does_not_depend_on_how_the_bytes_are_cut) {
  std::string text(1000, '\0');
  std::mt19937 random(7);
  for (char& c : text) c = static_cast<char>(random());
  for (int i = 0; i < 200; ++i) {
    Digest digest;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t count = std::min<std::size_t>(random() % 150, text.size() - at);
      digest.add(std::as_bytes(std::span(text)).subspan(at, count));
      at += count;
    }
    EXPECT_EQ(digest.hex(), hex_of(text));
  }
}

TEST(Digest, can_be_asked_in_between) {
  Digest digest;
  digest.add(std::as_bytes(std::span(std::string_view("ab"))));
  EXPECT_EQ(digest.hex(), hex_of("ab"));
  digest.add(std::as_bytes(std::span(std::string_view("c"))));
  EXPECT_EQ(digest.hex(), hex_of("abc"));
}

TEST(Digest, fields_are_kept_apart) {
  std::set<std::string> seen;
  seen.insert(Digest().add_field("ab").add_field("c").hex());
  seen.insert(Digest().add_field("a").add_field("bc").hex());
  seen.insert(Digest().add_field("abc").hex());
  seen.insert(Digest().add_field("abc").add_field("").hex());
  seen.insert(Digest().add_field("").add_field("abc").hex());
  EXPECT_EQ(seen.size(), 5u);
}

}  // namespace
}  // namespace quern
