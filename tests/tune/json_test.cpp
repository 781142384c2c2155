// SPDX-License-Identifier: MIT
// JSON documents are read and written without loss.
#include "tune/json.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "quern/error.hpp"

namespace quern::tuning {
namespace {

TEST(JsonTest, values_of_all_kinds_are_read) {
  const Json json =
      parse_json(R"( {"a": [1, -2.5, 1e3, true, false, null], "b": {"c": "x\n\"\u00e9\ud83d\ude00"}} )");
  const auto& list = *json.find("a")->as<Json::List>();
  ASSERT_EQ(list.size(), 6u);
  EXPECT_EQ(*list[0].as<std::int64_t>(), 1);
  EXPECT_EQ(*list[1].as<double>(), -2.5);
  EXPECT_EQ(*list[2].as<double>(), 1000.0);
  EXPECT_TRUE(*list[3].as<bool>());
  EXPECT_FALSE(*list[4].as<bool>());
  EXPECT_NE(list[5].as<std::nullptr_t>(), nullptr);
  EXPECT_EQ(*json.find("b")->find("c")->as<std::string>(), "x\n\"\xc3\xa9\xf0\x9f\x98\x80");
  EXPECT_EQ(json.find("d"), nullptr);
  EXPECT_EQ(list[0].find("a"), nullptr);
}

TEST(JsonTest, texts_that_are_not_utf_8_are_refused) {
  for (const char* const text :
       {R"("\ud83d")", R"("\ud83dx")", R"("\ud83d\u0041")", R"("\ude00")", "\"\x80\"", "\"\xc3\"", "\"\xc3",
        "\"\xc0\x80\"", "\"\xe0\x80\x80\"", "\"\xed\xa0\x80\"", "\"\xf0\x80\x80\x80\"",
        "\"\xf4\x90\x80\x80\"", "\"\xf5\x80\x80\x80\"", "\"\xe2\x82\"", "\"\xff\""})
    EXPECT_THROW(parse_json(text), ArgumentError) << text;
  for (const char* const text :
       {"\xc2\x80", "\xe0\xa0\x80", "\xed\x9f\xbf", "\xef\xbf\xbf", "\xf0\x90\x80\x80", "\xf4\x8f\xbf\xbf"})
    EXPECT_EQ(*parse_json("\"" + std::string(text) + "\"").as<std::string>(), text);
}

TEST(JsonTest, what_is_written_is_read_again) {
  const std::string text = std::string("\x01 quote \" backslash \\ line\n tab\t ") + "\xe2\x82\xac";
  const Json written = Json::Object{{"text", text},
                                    {"empty", Json::List{}},
                                    {"numbers", Json::List{std::int64_t{1}, 0.1, 3.0, -1e-300}},
                                    {"nothing", nullptr}};
  const Json read = parse_json(json_text(written));
  EXPECT_EQ(*read.find("text")->as<std::string>(), text);
  EXPECT_TRUE(read.find("empty")->as<Json::List>()->empty());
  const auto& numbers = *read.find("numbers")->as<Json::List>();
  EXPECT_EQ(*numbers[0].as<std::int64_t>(), 1);
  EXPECT_EQ(*numbers[1].as<double>(), 0.1);
  EXPECT_EQ(*numbers[2].as<double>(), 3.0);  // not an integer
  EXPECT_EQ(*numbers[3].as<double>(), -1e-300);
}

TEST(JsonTest, numbers_that_json_does_not_have_are_null) {
  EXPECT_EQ(json_text(Json(std::numeric_limits<double>::infinity())), "null\n");
}

TEST(JsonTest, simple_objects_stand_on_one_line) {
  EXPECT_EQ(json_text(Json::Object{{"a", std::int64_t{1}}, {"b", Json::Object{{"c", true}}}}),
            "{\n  \"a\": 1,\n  \"b\": {\"c\": true}\n}\n");
}

TEST(JsonTest, errors_name_the_line) {
  for (const char* const text : {"", "{", "[1, ]", "{\"a\" 1}", "{a: 1}", "tru", "1 2", "\"a", "\"\\x\"",
                                 "\"\\u12\"", "[01a]", "-", "nan"})
    EXPECT_THROW(parse_json(text), ArgumentError) << text;
  try {
    parse_json("{\n\"a\": 1,\n\"b\": oops}");
    FAIL();
  } catch (const ArgumentError& error) {
    EXPECT_NE(std::string(error.what()).find("line 3"), std::string::npos) << error.what();
  }
  EXPECT_THROW(parse_json(std::string(100000, '[')), ArgumentError);
}

}  // namespace
}  // namespace quern::tuning
