// SPDX-License-Identifier: MIT
// Whatever the text, the front end answers with a result or a BuildError, soon.
#include <filesystem>
#include <random>

#include "frontend/host_program.hpp"

namespace quern::frontend::test {
namespace {

void feed(const std::string& code) {
  Source source;
  source.text = code;
  const auto survives = [&](auto translate) {
    try {
      translate(source);
    } catch (const BuildError&) {
    }
  };
  survives([](const Source& s) { (void)lower_to_c(s); });
  survives([](const Source& s) { (void)lower_to_cuda(s); });
  survives([](const Source& s) { (void)opencl_signatures(s); });
  survives([](const Source& s) { (void)cuda_signatures(s); });
}

std::vector<std::string> corpus() {
  std::vector<std::string> texts;
  for (const auto& entry : std::filesystem::directory_iterator(QUERN_TEST_KERNELS))
    if (entry.path().extension() == ".cl") texts.push_back(kernel_file(entry.path().stem().string()).text);
  std::sort(texts.begin(), texts.end());
  return texts;
}

TEST(Robustness, truncated_kernels_are_errors_at_most) {
  for (const std::string& text : corpus())
    for (std::size_t length = 0; length < text.size(); length += 7) feed(text.substr(0, length));
}

TEST(Robustness, mutated_kernels_are_errors_at_most) {
  std::mt19937 random(42);
  const std::string bits = "(){}[];,.*&+-<>=!?:#\"'\\/0x1f \n";
  const auto texts = corpus();
  for (int round = 0; round < 1500; ++round) {
    std::string text = texts[random() % texts.size()];
    for (unsigned edits = 1 + random() % 4; edits > 0; --edits) {
      const std::size_t at = random() % text.size();
      switch (random() % 4) {
        case 0:
          text.erase(at, 1 + random() % 8);
          break;
        case 1:
          text.insert(at, 1, bits[random() % bits.size()]);
          break;
        case 2:
          text[at] = bits[random() % bits.size()];
          break;
        default:
          text.insert(at, text.substr(random() % text.size(), random() % 40));
          break;
      }
      if (text.empty()) text = " ";
    }
    feed(text);
  }
}

std::string repeated(std::string_view piece, int times) {
  std::string text;
  for (int i = 0; i < times; ++i) text += piece;
  return text;
}

TEST(Robustness, deep_nesting_is_an_error) {
  const auto in_kernel = [](const std::string& body) {
    return "kernel void f(global int *a) { " + body + " }";
  };
  for (const char* piece : {"(", "-", "!", "{", "if (1) ", "a[", "f(", "1 ? ", "(int)", "a[0] = ", "do ",
                            "for (;;) ", "while (1) ", "1 + (", "sizeof ", "{{"})
    feed(in_kernel(repeated(piece, 20000)));
  feed(in_kernel("int x = 1" + repeated(" + 1", 20000) + ";"));
  feed(in_kernel("int x" + repeated("[1]", 20000) + ";"));
  feed(in_kernel("int " + repeated("*", 20000) + "x;"));
  feed(in_kernel("int x[] = " + repeated("{", 20000)));
  feed(repeated("struct { ", 20000));
  feed("#if " + repeated("(", 20000) + "\n#endif\n");
  feed("#if " + repeated("!", 20000) + "1\n#endif\n");
  feed(repeated("#if 1\n", 20000));
}

TEST(Robustness, runaway_macros_are_an_error) {
  std::string doubling = "#define A0 1 1 1 1\n";
  for (int i = 1; i < 40; ++i)
    doubling +=
        "#define A" + std::to_string(i) + " A" + std::to_string(i - 1) + " A" + std::to_string(i - 1) + "\n";
  feed(doubling + "A39");
  std::string nested = "#define F(x) x x\n" + repeated("F(", 60) + "1" + repeated(")", 60);
  feed(nested);
  feed("#define F(x) F(x) F(x)\n#define G(x) F(G(x))\nG(G(G(1)))");
  feed("#define S(x) #x\n#define T(x) S(x) S(x)\n" + repeated("T(", 90) + "1" + repeated(")", 90));
  feed("#define A B\n#define B A\nA B\n#include __FILE__\n");
  feed("#define f(x, ...) f(__VA_ARGS__, x)\nf(f(f(1,2),3),4)");
}

TEST(Robustness, odd_bytes_are_errors_at_most) {
  std::mt19937 random(1);
  for (int round = 0; round < 200; ++round) {
    std::string text(random() % 300, '\0');
    for (char& c : text) c = static_cast<char>(random());
    feed(text);
    feed("kernel void f() { " + text + " }");
  }
}

// What is found out about variables passes from one to the next, and each barrier has a set of those that
// live across it.
TEST(Robustness, long_chains_of_variables_take_no_square_of_their_length) {
  const auto in_kernel = [](const std::string& body) {
    return "kernel void f(global int *a, int n) { " + body + " a[0] = 1; }";
  };
  const int length = 4800;
  std::string forward = "int v0 = n; ", backward, across;
  for (int i = 1; i < length; ++i) {
    const std::string here = "v" + std::to_string(i), before = "v" + std::to_string(i - 1);
    forward += "int " + here + " = " + before + " + 1; ";
    backward += "int " + before + " = 0; ";
    across += "int " + before + " = a[" + std::to_string(i) + "]; barrier(1); ";
  }
  const std::string last = "v" + std::to_string(length - 1);
  feed(in_kernel(forward + "barrier(1); if (" + last + " > 3) barrier(1);"));
  feed(in_kernel("for (int i = 0; i < n; ++i) { " + forward + "barrier(1); if (" + last +
                 " > 3) barrier(1); }"));
  backward += "int " + last + " = 0; for (int i = 0; i < n; ++i) { ";
  for (int i = 1; i < length; ++i)
    backward += "v" + std::to_string(i - 1) + " = v" + std::to_string(i) + "; ";
  feed(in_kernel(backward + last + " = get_local_id(0); barrier(1); }"));
  std::string uses = "a[1] = v0";
  for (int i = 1; i < 900; ++i) uses += " + v" + std::to_string(i);
  feed(in_kernel(across.substr(0, across.find("int v2000 ")) + uses + ";"));
}

TEST(Robustness, calls_that_go_in_circles_are_an_error) {
  Source source;
  source.text =
      "int f(int x) { return g(x); }\nint g(int x) { return f(x); }\nkernel void k(global int *a) { a[0] = "
      "f(1); }";
  EXPECT_THROW((void)lower_to_c(source), BuildError);
  std::string chain = "int f0(int x) { return x; }\n";
  for (int i = 1; i < 2000; ++i)
    chain += "int f" + std::to_string(i) + "(int x) { return f" + std::to_string(i - 1) + "(x) + f" +
             std::to_string(i - 1) + "(x); }\n";
  feed(chain + "kernel void k(global int *a) { a[0] = f1999(1); }");
}

}  // namespace
}  // namespace quern::frontend::test
