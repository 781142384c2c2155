// SPDX-License-Identifier: MIT
// The preprocessor, against what the C standard says a text becomes.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "frontend/frontend.hpp"

namespace quern::frontend {
namespace {

// The tokens of the result, with one space between them.
std::string tokens(const std::string& code, Target target = Target::opencl) {
  Source source;
  source.text = code;
  std::string text = preprocess(source, target);
  for (char& c : text)
    if (c == '\n') c = ' ';
  if (!text.empty()) text.pop_back();
  return text;
}

TEST(Preprocessor, expands_objects_and_functions) {
  EXPECT_EQ(tokens("#define N 4\n#define SQ(x) ((x) * (x))\nSQ(N + 1) SQ N"),
            "( ( 4 + 1 ) * ( 4 + 1 ) ) SQ 4");
  EXPECT_EQ(tokens("#define EMPTY\n#define F() f\nF( ) EMPTY F()"), "f f");
  EXPECT_EQ(tokens("#define F(a, b) a-b\nF((1, 2), 3)"), "( 1 , 2 ) - 3");
}

TEST(Preprocessor, follows_the_examples_of_the_c_standard) {
  const std::string defines =
      "#define x 3\n#define f(a) f(x * (a))\n#undef x\n#define x 2\n#define g f\n#define z z[0]\n#define h "
      "g(~\n#define m(a) a(w)\n"
      "#define w 0,1\n#define t(a) a\n#define p() int\n#define q(x) x\n#define r(x,y) x ## y\n#define str(x) "
      "# x\n";
  EXPECT_EQ(tokens(defines + "f(y+1) + f(f(z)) % t(t(g)(0) + t)(1);"),
            "f ( 2 * ( y + 1 ) ) + f ( 2 * ( f ( 2 * ( z [ 0 ] ) ) ) ) % f ( 2 * ( 0 ) ) + t ( 1 ) ;");
  EXPECT_EQ(tokens(defines + "g(x+(3,4)-w) | h 5) & m\n(f)^m(m);"),
            "f ( 2 * ( 2 + ( 3 , 4 ) - 0 , 1 ) ) | f ( 2 * ( ~ 5 ) ) & f ( 2 * ( 0 , 1 ) ) ^ m ( 0 , 1 ) ;");
  EXPECT_EQ(tokens(defines + "p() i[q()] = { q(1), r(2,3), r(4,), r(,5), r(,) };"),
            "int i [ ] = { 1 , 23 , 4 , 5 , } ;");
  EXPECT_EQ(tokens(defines + "char c[2][6] = { str(hello), str() };"),
            "char c [ 2 ] [ 6 ] = { \"hello\" , \"\" } ;");
  EXPECT_EQ(tokens("#define hash_hash # ## #\n#define mkstr(a) # a\n#define in_between(a) mkstr(a)\n#define "
                   "join(c, d) in_between(c hash_hash d)\njoin(x, y)"),
            "\"x ## y\"");
}

TEST(Preprocessor, stringises_with_escapes) {
  EXPECT_EQ(tokens("#define S(x) #x\nS(a  +\tb \"q\\n\")"), "\"a + b \\\"q\\\\n\\\"\"");
}

TEST(Preprocessor, takes_variable_arguments) {
  EXPECT_EQ(tokens("#define P(f, ...) printf(f, ## __VA_ARGS__)\nP(\"a\") P(\"b\", 1, 2)"),
            "printf ( \"a\" ) printf ( \"b\" , 1 , 2 )");
  EXPECT_EQ(tokens("#define V(...) [__VA_ARGS__]\nV() V(1) V(1, 2)"), "[ ] [ 1 ] [ 1 , 2 ]");
}

TEST(Preprocessor, chooses_branches) {
  const auto chosen = [](const std::string& condition) {
    return tokens("#if " + condition + "\nyes\n#else\nno\n#endif");
  };
  EXPECT_EQ(chosen("1 + 2 * 3 == 7 && !(4 > 5)"), "yes");
  EXPECT_EQ(chosen("-1 > 0u"), "yes");
  EXPECT_EQ(chosen("defined(FOO) || defined FOO"), "no");
  EXPECT_EQ(chosen("0 && 1 / 0"), "no");
  EXPECT_EQ(chosen("(2 || 1 / 0) ? 'a' == 97 : 0"), "yes");
  EXPECT_EQ(chosen("(0x10 >> 2 | 1) ^ 5"), "no");
  EXPECT_EQ(chosen("undefined_name"), "no");
  EXPECT_EQ(chosen("__OPENCL_VERSION__ == CL_VERSION_1_2 && __ENDIAN_LITTLE__"), "yes");
  EXPECT_EQ(tokens("#if 0\n#if 1\na\n#else\nb\n#endif\n#elif 1\nc\n#elif 1\nd\n#else\ne\n#endif"), "c");
  EXPECT_EQ(tokens("#ifdef A\na\n#endif\n#ifndef A\nb\n#endif\n#if 0\nit's #unknown \"\n#endif"), "b");
}

TEST(Preprocessor, tells_the_target) {
  const std::string code =
      "#ifdef QUERN_HOST\nhost\n#endif\n#ifdef QUERN_CUDA\ncuda\n#endif\n#ifdef "
      "QUERN_OPENCL\nopencl\n#endif\nQUERN";
  EXPECT_EQ(tokens(code, Target::host), "host 1");
  EXPECT_EQ(tokens(code, Target::cuda), "cuda 1");
  EXPECT_EQ(tokens(code), "opencl 1");
}

TEST(Preprocessor, joins_lines_and_drops_comments) {
  EXPECT_EQ(tokens("a/* b */c // d \\\n e\nf\\\ng __LINE__"), "a c fg 4");
  EXPECT_EQ(tokens("/* x\n */ #define A 1\nA"), "1");
}

TEST(Preprocessor, knows_file_and_line) {
  EXPECT_EQ(tokens("__FILE__ __LINE__\n__LINE__\n#line 100 \"x.cl\"\n__LINE__ __FILE__"),
            "\"kernel.cl\" 1 2 100 \"x.cl\"");
}

TEST(Preprocessor, takes_defines_from_the_caller) {
  Source source;
  source.text = "N F(2) E";
  source.defines = {{"N", "3"}, {"F(x)", "(x+N)"}, {"E", ""}};
  EXPECT_EQ(preprocess(source), "3 ( 2 + 3 )\n");
}

TEST(Preprocessor, keeps_pragmas) {
  EXPECT_EQ(tokens("#pragma OPENCL EXTENSION cl_khr_fp64 : enable\nx"),
            "#pragma OPENCL EXTENSION cl_khr_fp64 : enable x");
}

TEST(Preprocessor, two_texts_that_differ_in_comments_only_are_one) {
  EXPECT_EQ(tokens("a + b; // one"), tokens("a + b; /* two */"));
}

class Includes : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("quern_includes_" + std::to_string(getpid()));
    std::filesystem::create_directories(folder_ / "sub");
    write("a.h", "#pragma once\n#include \"sub/b.h\"\nint a;\n");
    write("sub/b.h", "#include \"c.h\"\n");
    write("sub/c.h", "#ifndef C\n#define C\nint c = __LINE__;\n#endif\n");
    write("loop.h", "#include \"loop.h\"\n");
    write("bad.h", "\n  #error wrong\n");
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
  }
  [[nodiscard]] Source source(const std::string& text) const {
    Source s;
    s.text = text;
    s.include_paths = {folder_.string()};
    return s;
  }
  std::filesystem::path folder_;
};

TEST_F(Includes, are_found_by_path_and_beside_the_including_file) {
  EXPECT_EQ(
      preprocess(source("#include <a.h>\n#include \"a.h\"\n#define FILE <sub/c.h>\n#include FILE\nend")),
      "int c = 3 ;\nint a ;\nend\n");
}

TEST_F(Includes, may_be_spelled_in_every_way_that_c_allows) {
  for (const char* spelled :
       {"#inc\\\nlude <sub/c.h>", "#include /* c */ <sub/c.h>", "#include <sub/c.h> /* c */ // c",
        "/**/ # include <sub/c.h>", "%:include <sub/c.h>", "#include \"sub//c.h\"", "#include <sub/\\\nc.h>",
        "#/**/include/**/<sub/c.h>"}) {
    EXPECT_EQ(preprocess(source(std::string(spelled) + "\nend")),
              preprocess(source("#include <sub/c.h>\nend")))
        << spelled;
    EXPECT_EQ(included_names(spelled)->size(), 1U) << spelled;
  }
}

TEST_F(Includes, are_asked_for_by_conditions) {
  EXPECT_EQ(
      preprocess(source("#if __has_include(<sub/c.h>) && __has_include(\"a.h\") && !__has_include(<none.h>)\n"
                        "yes\n#endif")),
      "yes\n");
  EXPECT_EQ(preprocess(source("#define sub other\n#if __has_include(<sub/c.h>)\nyes\n#endif\n#undef sub\n"
                              "#define NAME <sub/c.h>\n#if __has_include(NAME)\nyes\n#endif")),
            "yes\nyes\n");
  EXPECT_EQ(preprocess(source("#if __has_include(<quern/random.cl>)\nyes\n#endif")), "yes\n");
  EXPECT_THROW((void)preprocess(source("#if __has_include(sub)\n#endif")), BuildError);
  EXPECT_THROW((void)preprocess(source("#if __has_include\n#endif")), BuildError);
  EXPECT_THROW((void)preprocess(source("#if __has_include(<sub/c.h>\n#endif")), BuildError);
}

TEST_F(Includes, of_the_next_folder_are_behind_the_file_that_asks) {
  std::filesystem::create_directories(folder_ / "one");
  std::filesystem::create_directories(folder_ / "two");
  write("one/x.h", "first\n#include_next <x.h>\n");
  write("two/x.h", "second\n");
  Source s = source("#include <x.h>\n");
  s.include_paths = {(folder_ / "one").string(), (folder_ / "two").string()};
  EXPECT_EQ(preprocess(s), "first\nsecond\n");
}

TEST(IncludedNames, are_those_of_all_branches) {
  using Names = std::vector<std::string>;
  EXPECT_EQ(included_names("#if 0\n#include <a.h>\n#else\n#include \"b.h\"\n#endif\nx # include <no.h>"),
            (Names{"<a.h>", "\"b.h\""}));
  EXPECT_EQ(
      included_names("// #include <no.h>\n/* \n#include <no.h>\n*/ const char *s = \"#include <no.h>\";"),
      Names{});
  EXPECT_EQ(included_names("#if __has_include(<a.h>)\n#endif\n#ifdef __has_include\n#endif"), Names{"<a.h>"});
  for (const char* text : {"#define H <a.h>\n#include H", "#include_next <a.h>", "?\?=include <a.h>",
                           "#inc?\?/\nlude <a.h>", "/* #include <a.h>", "#if __has_include(H)\n#endif"})
    EXPECT_EQ(included_names(text), std::nullopt) << text;
}

TEST(Preprocessor, answers_what_the_compiler_has) {
  EXPECT_EQ(
      tokens("#if defined(__has_attribute) && defined __has_include && defined(__has_builtin)\n1\n#endif"),
      "1");
  EXPECT_EQ(tokens("#ifdef __has_feature\n1\n#endif\n#ifndef __has_extension\n2\n#endif"), "1");
  EXPECT_EQ(tokens("#if __has_attribute(packed) && __has_attribute(__overloadable__) && "
                   "!__has_attribute(nonsense)\n1\n#endif"),
            "1");
  EXPECT_EQ(tokens("#if __has_builtin(__builtin_expect) && !__has_builtin(__builtin_trap)\n1\n#endif"), "1");
  EXPECT_EQ(tokens("#if __has_feature(modules) || __has_cpp_attribute(nodiscard) || "
                   "__has_c_attribute(fallthrough)\n1\n#else\n2\n#endif"),
            "2");
  // Its name is no macro to expand, but the question may come out of one; and a macro of the author's own
  // wins.
  EXPECT_EQ(tokens("#define packed nonsense\n#if __has_attribute(packed)\n1\n#endif"), "1");
  EXPECT_EQ(tokens("#define HAS(x) __has_attribute(x)\n#if HAS(packed) && !HAS(nonsense)\n1\n#endif"), "1");
  EXPECT_EQ(tokens("#define __has_attribute(x) 0\n#if __has_attribute(packed)\n1\n#else\n2\n#endif"), "2");
  EXPECT_EQ(
      tokens(
          "#ifndef __has_builtin\n#define __has_builtin(x) 0\n#endif\n#if __has_builtin(x) == 0\n1\n#endif"),
      "1");
}

TEST(Preprocessor, reads_digraphs) {
  EXPECT_EQ(tokens("%:define CAT(a, b) a%:%:b\nint CAT(x, 1)<:2:> = <%1%>;"), "int x1 [ 2 ] = { 1 } ;");
}

TEST_F(Includes, that_are_missing_or_endless_are_errors) {
  for (const char* name : {"nowhere.h", "loop.h", "bad.h"})
    EXPECT_THROW((void)preprocess(source("#include <" + std::string(name) + ">")), BuildError) << name;
}

TEST_F(Includes, errors_name_the_included_file) {
  try {
    (void)preprocess(source("#include \"bad.h\""));
    FAIL();
  } catch (const BuildError& error) {
    EXPECT_EQ(error.diagnostics().at(0).file, (folder_ / "bad.h").string());
    EXPECT_EQ(error.diagnostics().at(0).line, 2);
    EXPECT_EQ(error.diagnostics().at(0).column, 4);
  }
}

TEST(Preprocessor, complains_about_what_does_not_fit) {
  for (const char* code :
       {"#if\n#endif", "#if 1", "#endif", "#else", "#define", "#define F(", "#define F(x) #y\nF(1)",
        "#define F(x) x\nF(1,2)", "#define F(x) x\nF(1", "#if 1/0\n#endif", "#nonsense",
        "#define C(a,b) a##b\nC(+,-)", "/* never closed", "#if 1.5\n#endif", "#if 1\n#else\n#else\n#endif"})
    EXPECT_THROW((void)tokens(code), BuildError) << code;
}

}  // namespace
}  // namespace quern::frontend
