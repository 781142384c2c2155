// SPDX-License-Identifier: MIT
// The host compiler and what it makes: faults, options, loading.
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "backend/host/support.hpp"
#include "quern/error.hpp"

namespace quern::backend {
namespace {

namespace fs = std::filesystem;

const std::string kSmall = with_abi(kernel_text("one", parameter("int *", "x", 0), "x[id[0]] = 1;"));

class TemporaryPlace {
 public:
  TemporaryPlace() {
    std::string name = fs::temp_directory_path() / "quern-test-XXXXXX";
    path = mkdtemp(name.data());
  }
  ~TemporaryPlace() { fs::remove_all(path); }
  std::string script(const std::string& name, const std::string& body) const {
    const fs::path file = path / name;
    std::ofstream(file) << "#!/bin/sh\n" << body << "\n";
    chmod(file.c_str(), 0755);
    return file;
  }
  fs::path path;
};

std::string build_error(const std::string& text = kSmall) {
  try {
    compile_c(text);
  } catch (const BuildError& error) {
    return error.what();
  }
  return "(no BuildError)";
}

TEST(HostCompiler, a_compiler_that_hangs_is_stopped) {
  const TemporaryPlace place;
  const Environment cc("QUERN_CC", place.script("cc", "sleep 100"));
  const Environment limit("QUERN_COMPILE_TIMEOUT", "1");
  const std::string message = build_error();
  EXPECT_NE(std::string::npos, message.find("after 1 s")) << message;
  EXPECT_NE(std::string::npos, message.find("QUERN_COMPILE_TIMEOUT")) << message;
}

TEST(HostCompiler, a_compiler_that_crashes_is_a_build_error) {
  const TemporaryPlace place;
  const Environment cc("QUERN_CC", place.script("cc", "kill -SEGV $$"));
  EXPECT_NE(std::string::npos, build_error().find("crashed")) << build_error();
}

TEST(HostCompiler, a_compiler_that_fails_has_its_log_kept) {
  const TemporaryPlace place;
  const Environment cc("QUERN_CC", place.script("cc", "echo 'No space left on device' >&2; exit 3"));
  try {
    compile_c(kSmall);
    FAIL();
  } catch (const BuildError& error) {
    EXPECT_NE(std::string::npos, std::string(error.what()).find("exit code 3"));
    EXPECT_EQ("No space left on device\n", error.log());
    EXPECT_EQ("host", error.device());
    EXPECT_NE(std::string::npos, error.options().find("-O3"));
  }
}

TEST(HostCompiler, a_compiler_that_leaves_nothing_or_rubbish_is_a_build_error) {
  const TemporaryPlace place;
  {
    const Environment cc("QUERN_CC", place.script("nothing", "exit 0"));
    EXPECT_NE(std::string::npos, build_error().find("left no program")) << build_error();
  }
  const Environment cc(
      "QUERN_CC", place.script("rubbish", R"(while [ "$1" != -o ]; do shift; done; echo rubbish > "$2")"));
  EXPECT_NE(std::string::npos, build_error().find("not an ELF file")) << build_error();
}

TEST(HostCompiler, a_missing_compiler_is_a_build_error_that_says_what_to_install) {
  const TemporaryPlace place;
  const Environment path("PATH", place.path);
  {
    const Environment cc("CC", "");
    const std::string message = build_error();
    EXPECT_NE(std::string::npos, message.find("apt install gcc")) << message;
    EXPECT_NE(std::string::npos, message.find("QUERN_CC")) << message;
  }
  const Environment named("QUERN_CC", "no-such-compiler");
  EXPECT_NE(std::string::npos, build_error().find("no-such-compiler"));
}

TEST(HostCompiler, the_variables_name_the_compiler) {
  const TemporaryPlace place;
  const std::string marker = place.path / "ran";
  const Environment cc("CC", place.script("mine", "touch " + marker + "; exec gcc \"$@\""));
  EXPECT_NE(nullptr, compile_c(kSmall).module);
  EXPECT_TRUE(fs::exists(marker));
}

TEST(HostCompiler, an_error_in_the_text_is_a_build_error_with_its_line) {
  try {
    compile_c("#line 12 \"mine.cl\"\nint f(void) { return nonsense; }\n");
    FAIL();
  } catch (const BuildError& error) {
    EXPECT_NE(std::string::npos, error.log().find("mine.cl:12")) << error.log();
  }
}

TEST(HostCompiler, an_undefined_function_is_a_build_error) {
  const std::string message =
      build_error("void nobody_defines_this(void); void quern_kernel_f(void) { nobody_defines_this(); }");
  EXPECT_NE(std::string::npos, message.find("nobody_defines_this")) << message;
}

TEST(HostCompiler, leaves_no_files_behind) {
  const TemporaryPlace place;
  const Environment tmp("TMPDIR", place.path);
  auto compiled = compile_c(kSmall);
  compiled.module.reset();
  EXPECT_THROW(compile_c("nonsense"), BuildError);
  const Environment cc("QUERN_CC", "no-such-compiler");
  EXPECT_THROW(compile_c(kSmall), BuildError);
  EXPECT_TRUE(fs::is_empty(place.path));
}

TEST(HostCompiler, a_temporary_folder_that_cannot_be_made_is_a_build_error) {
  const Environment tmp("TMPDIR", "/no/such/folder");
  EXPECT_NE(std::string::npos, build_error().find("TMPDIR")) << build_error();
}

TEST(HostCompiler, options_that_start_programs_or_touch_files_are_refused) {
  for (const char* option : {"-o",
                             "-o/tmp/x",
                             "-wrapper",
                             "@file",
                             "file.c",
                             "-fplugin=x.so",
                             "-specs=x",
                             "--specs=x",
                             "-B/tmp",
                             "-include",
                             "-I/tmp",
                             "-Wl,-rpath,x",
                             "-Wa,-x",
                             "-Wp,-MD,x",
                             "-save-temps",
                             "-MD",
                             "-E",
                             "-S",
                             "-c",
                             "-x",
                             "-l",
                             "-lfoo",
                             "-L/tmp",
                             "-fuse-ld=/tmp/x",
                             "-fdump-tree-all",
                             "-fprofile-generate",
                             "-Xclang",
                             "-load",
                             "-flto",
                             "-isystem",
                             "-T",
                             "-D",
                             "",
                             "-",
                             "-fdiagnostics-format=sarif-file",
                             "-mllvm"}) {
    EXPECT_THROW(compile_c(kSmall, false, {option}), ArgumentError) << option;
  }
}

TEST(HostCompiler, options_for_code_generation_pass) {
  const std::string text =
      "#ifndef N\n#error no N\n#endif\n#ifndef __FAST_MATH__\n#error no fast math\n#endif\n";
  EXPECT_NE(
      nullptr,
      compile_c(text + kSmall, false, {"-DN=2", "-ffast-math", "-O1", "-mno-avx", "-std=gnu11"}).module);
  EXPECT_NE(nullptr,
            compile_c("#ifndef N\n#error no N\n#endif\n" + kSmall, false, {"-DN=$(touch x); `y` \"z\" 'w'"})
                .module);
}

TEST(HostCompiler, mathematics_is_linked_when_the_text_asks_for_it) {
  const std::string text =
      "/* quern-link: m mvec */\n" +
      with_abi("double sin(double);\n" +
               kernel_text("sine", parameter("double *", "x", 0), "x[id[0]] = sin(x[id[0]]);"));
  auto compiled = compile_c(text);
  auto function = compiled.module->function("quern_kernel_sine", nullptr);
  auto queue = host_queue();
  auto x = host_context().allocate(0, 8);
  *data<double>(*x) = 1;
  queue->launch(*function, range(1, 1), std::vector{memory(*x)});
  finish(*queue);
  EXPECT_NEAR(0.8414709848, *data<double>(*x), 1e-9);
}

TEST(HostCompiler, its_identity_changes_with_the_compiler_and_starts_none) {
  const TemporaryPlace place;
  const std::string before = host_context().compiler_identity(0);
  EXPECT_NE(std::string::npos, before.find(host_device()->properties().architecture));
  EXPECT_EQ(before, host_context().compiler_identity(0));
  const std::string marker = place.path / "ran";
  const Environment cc("QUERN_CC", place.script("other", "touch " + marker));
  EXPECT_NE(before, host_context().compiler_identity(0));
  EXPECT_FALSE(fs::exists(marker));
}

TEST(HostProgram, tells_its_kernels_and_globals) {
  Program program("int table[10] = {0, 1, 2, 3}; static int hidden;\n" +
                  kernel_text("b", parameter("int *", "x", 0), "x[id[0]] = table[id[0]] + hidden++;") +
                  kernel_text("a", "", "") + "void helper(void) {}\n");
  EXPECT_EQ((std::vector<std::string>{"quern_kernel_a", "quern_kernel_b"}),
            program.module().function_names());
  EXPECT_THROW(program.function("c"), Error);
  EXPECT_FALSE(program.module().signature_of("a").has_value());
  auto table = program.module().global("table");
  ASSERT_NE(nullptr, table);
  EXPECT_EQ(40U, table->size());
  EXPECT_EQ(3, data<int>(*table)[3]);
  data<int>(*table)[3] = 33;
  auto queue = host_queue();
  auto x = host_context().allocate(0, 40);
  auto b = program.function("b");
  queue->launch(*b, range(4, 4), std::vector{memory(*x)});
  finish(*queue);
  EXPECT_EQ(33 + 3, data<int>(*x)[3]);
  EXPECT_EQ(nullptr, program.module().global("hidden"));
  EXPECT_EQ(nullptr, program.module().global("quern_kernel_a"));
}

TEST(HostProgram, each_load_is_a_program_of_its_own) {
  // The loader must not answer a second load with the first program, even where descriptors' numbers come
  // again.
  std::vector<std::unique_ptr<Module>> kept;
  std::vector<std::vector<std::byte>> binaries;
  for (int i = 0; i < 3; ++i) {
    binaries.push_back(compile_c("int version = " + std::to_string(i) + ";").binary);
  }
  for (int i = 0; i < 30; ++i) {
    auto module = host_context().load(0, binaries[static_cast<std::size_t>(i) % 3]);
    auto version = module->global("version");
    ASSERT_EQ(i % 3, *data<int>(*version));
    if (i % 2 == 0) kept.push_back(std::move(module));
  }
}

TEST(HostProgram, a_damaged_binary_is_refused) {
  const auto good = compile_c(kSmall).binary;
  const auto load = [](std::span<const std::byte> bytes) { return host_context().load(0, bytes); };
  EXPECT_NE(nullptr, load(good));
  EXPECT_THROW(load({}), Error);
  EXPECT_THROW(load(std::as_bytes(std::span("not a program at all"))), Error);
  for (const std::size_t length : {4UL, 20UL, 64UL, 200UL, good.size() / 2, good.size() - 1}) {
    EXPECT_THROW(load(std::span(good).first(length)), Error) << length;
  }
  auto other_machine = good;
  other_machine[18] = std::byte{3};  // e_machine: i386
  EXPECT_THROW(load(other_machine), Error);
  auto other_class = good;
  other_class[4] = std::byte{1};
  EXPECT_THROW(load(other_class), Error);
}

TEST(HostProgram, a_damaged_table_is_refused_and_never_read_past_its_end) {
  const auto good = compile_c(kSmall).binary;
  for (std::size_t at = 16; at < 64; ++at) {  // all of the header that says where things are
    for (const unsigned value : {0U, 1U, 0x7fU, 0xffU}) {
      auto bad = good;
      bad[at] = static_cast<std::byte>(value);
      if (bad == good || (at >= 20 && at < 32) || (at >= 48 && at < 52)) continue;  // version, entry, flags
      try {
        host_context().load(0, bad);  // harmless or refused, but no crash
      } catch (const Error&) {
      }
    }
  }
}

TEST(HostProgram, a_debug_build_has_files_for_the_debugger) {
  const TemporaryPlace place;
  const Environment tmp("TMPDIR", place.path);
  auto compiled = compile_c(kSmall, true);
  std::size_t sources = 0, programs = 0;
  for (const auto& entry : fs::recursive_directory_iterator(place.path)) {
    sources += entry.path().extension() == ".c";
    programs += entry.path().extension() == ".so";
  }
  EXPECT_EQ(1U, sources);
  EXPECT_GE(programs, 1U);
  auto queue = host_queue();
  auto x = host_context().allocate(0, 40);
  auto one = compiled.module->function("quern_kernel_one", nullptr);
  queue->launch(*one, range(10, 4), std::vector{memory(*x)});
  finish(*queue);
  EXPECT_EQ(1, data<int>(*x)[9]);
}

TEST(HostProgram, eight_threads_build_at_once) {
  std::vector<std::thread> threads;
  std::atomic<int> right{0};
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      auto compiled = compile_c("int version = " + std::to_string(t) + ";");
      auto version = compiled.module->global("version");
      right += *data<int>(*version) == t;
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(8, right.load());
}

}  // namespace
}  // namespace quern::backend
