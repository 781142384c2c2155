// SPDX-License-Identifier: MIT
// Libraries found and loaded at run time; the loader itself is the oracle.
#include "base/shared_library.hpp"

#include <elf.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <link.h>
#include <sys/stat.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>

#include "base/elf_file.hpp"
#include "base/environment_variable.hpp"
#include "base/file_descriptor.hpp"
#include "base/loader_cache.hpp"
#include "base/temporary_folder.hpp"

namespace quern {
namespace {

using quern::testing::EnvironmentVariable;
using quern::testing::TemporaryFolder;
namespace fs = std::filesystem;

void write(const std::string& path, std::string_view text) {
  std::ofstream(path, std::ios::binary) << text;
}

std::string contents(const std::string& path) {
  return read_file(path, std::size_t{1} << 30).value();
}

SharedLibrary load(std::vector<std::string> names) {
  return SharedLibrary(names);
}

TEST(SharedLibrary, keeps_the_first_name_that_loads_and_says_why_others_did_not) {
  const SharedLibrary library = load({"libquern-is-not-there.so.1", "libm.so.6", "libc.so.6"});
  ASSERT_TRUE(library.loaded());
  ASSERT_EQ(library.attempts().size(), 2u);
  EXPECT_EQ(library.attempts()[0].name, "libquern-is-not-there.so.1");
  EXPECT_NE(library.attempts()[0].error.find("No such file"), std::string::npos)
      << library.attempts()[0].error;
  EXPECT_EQ(library.attempts()[1].name, "libm.so.6");
  EXPECT_EQ(library.attempts()[1].error, "");
  EXPECT_TRUE(fs::is_regular_file(library.path())) << library.path();
  EXPECT_EQ(fs::path(library.path()).filename(), "libm.so.6");
}

TEST(SharedLibrary, symbols_can_be_called_and_absent_ones_are_null) {
  const SharedLibrary library = load({"libm.so.6"});
  auto* square_root = reinterpret_cast<double (*)(double)>(library.symbol("sqrt"));
  ASSERT_NE(square_root, nullptr);
  EXPECT_EQ(square_root(9.0), 3.0);
  EXPECT_EQ(library.symbol("quern_has_no_such_symbol"), nullptr);
}

TEST(SharedLibrary, a_library_that_is_not_there_has_no_symbols) {
  const SharedLibrary library = load({"libquern-is-not-there.so.1"});
  EXPECT_FALSE(library.loaded());
  EXPECT_EQ(library.path(), "");
  EXPECT_EQ(library.symbol("sqrt"), nullptr);
}

TEST(SharedLibrary, a_file_that_is_no_library_is_an_attempt_that_failed) {
  const TemporaryFolder folder;
  write(folder / "broken.so", "not a library");
  const SharedLibrary library = load({folder / "broken.so"});
  EXPECT_FALSE(library.loaded());
  EXPECT_NE(library.attempts().at(0).error.find("broken.so"), std::string::npos);
}

TEST(FindLibraryFile, agrees_with_the_loader) {
  const EnvironmentVariable no_path("LD_LIBRARY_PATH", std::nullopt);
  for (const std::string soname : {"libm.so.6", "libc.so.6", "libstdc++.so.6"}) {
    const SharedLibrary library = load({soname});
    ASSERT_TRUE(library.loaded());
    EXPECT_TRUE(fs::equivalent(find_library_file(soname), library.path())) << soname;
  }
}

TEST(FindLibraryFile, finds_nothing_where_there_is_nothing) {
  EXPECT_EQ(find_library_file("libquern-is-not-there.so.1"), "");
  EXPECT_EQ(find_library_file(""), "");
  EXPECT_EQ(find_library_file("/nowhere/libm.so.6"), "");
}

TEST(FindLibraryFile, the_library_path_comes_first_and_files_of_other_machines_are_passed_over) {
  const TemporaryFolder folder;
  const std::string real = find_library_file("libm.so.6");
  fs::create_directories(folder / "text");
  fs::create_directories(folder / "other");
  fs::create_directories(folder / "mine");
  write(folder / "text/libm.so.6", "not a library");
  std::string other = contents(real);
  other[offsetof(ElfW(Ehdr), e_machine)] = static_cast<char>(other[offsetof(ElfW(Ehdr), e_machine)] + 1);
  write(folder / "other/libm.so.6", other);
  fs::copy_file(real, folder / "mine/libm.so.6");
  const EnvironmentVariable path("LD_LIBRARY_PATH", "/nowhere:" + (folder / "text") + ":" +
                                                        (folder / "other") + ";" + (folder / "mine"));
  EXPECT_EQ(find_library_file("libm.so.6"), folder / "mine/libm.so.6");
}

// A cache in glibc's format, with the soname and path of each entry.
struct CacheEntry {
  std::string soname, path;
  std::uint32_t flags = 0x0303;
  std::uint64_t cpu = 0;
};

template <class T>
void append(std::string& text, T value) {
  text.append(reinterpret_cast<const char*>(&value), sizeof(value));
}

std::string make_cache(const std::vector<CacheEntry>& entries) {
  std::string texts, rows;
  const std::size_t start = 48 + entries.size() * 24;
  for (const CacheEntry& entry : entries) {
    append(rows, entry.flags);
    append(rows, static_cast<std::uint32_t>(start + texts.size()));
    texts += entry.soname + '\0';
    append(rows, static_cast<std::uint32_t>(start + texts.size()));
    texts += entry.path + '\0';
    append(rows, std::uint32_t{0});
    append(rows, entry.cpu);
  }
  std::string cache = "glibc-ld.so.cache1.1";
  append(cache, static_cast<std::uint32_t>(entries.size()));
  append(cache, static_cast<std::uint32_t>(texts.size()));
  cache.append(20, '\0');
  return cache + rows + texts;
}

using Paths = std::vector<std::string>;

TEST(LoaderCache, lists_the_paths_of_a_soname_in_order) {
  const std::string cache = make_cache({{"liba.so.1", "/x/liba.so.1"},
                                        {"libb.so.1", "/x/libb.so.1"},
                                        {"liba.so.1", "/y/liba.so.1", 0x0003},
                                        {"liba.so.1", "/fast/liba.so.1", 0x0303, std::uint64_t{1} << 62},
                                        {"liba.so.1", "/aout/liba.so.1", 0x0000}});
  EXPECT_EQ(loader_cache_paths(cache, "liba.so.1"), (Paths{"/x/liba.so.1", "/y/liba.so.1"}));
  EXPECT_EQ(loader_cache_paths(cache, "libb.so.1"), (Paths{"/x/libb.so.1"}));
  EXPECT_EQ(loader_cache_paths(cache, "libb.so"), Paths{});
  EXPECT_EQ(loader_cache_paths(cache, ""), Paths{});
}

TEST(LoaderCache, an_old_cache_in_front_is_skipped) {
  std::string cache = "ld.so-1.7.0";
  cache += '\0';
  append(cache, std::uint32_t{3});
  cache.append(3 * 12, 'x');
  cache.append((8 - cache.size() % 8) % 8, '\0');
  cache += make_cache({{"liba.so.1", "/x/liba.so.1"}});
  EXPECT_EQ(loader_cache_paths(cache, "liba.so.1"), (Paths{"/x/liba.so.1"}));
}

TEST(LoaderCache, malformed_files_list_nothing_that_is_not_in_them) {
  const std::string whole = make_cache({{"liba.so.1", "/x/liba.so.1"}, {"libb.so.1", "/x/libb.so.1"}});
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const std::string part(whole.data(), size);
    EXPECT_LE(loader_cache_paths(part, "liba.so.1").size(), 1u);
  }
  std::mt19937 random(7);
  for (int i = 0; i < 20000; ++i) {
    std::string bad = whole;
    for (int flips = 0; flips < 4; ++flips) bad[random() % (48 + 48)] = static_cast<char>(random());
    (void)loader_cache_paths(bad, "liba.so.1");  // the sanitizers look on
  }
  std::string many = whole;
  const std::uint32_t most = 0xffffffff;
  std::memcpy(many.data() + 20, &most, 4);
  EXPECT_EQ(loader_cache_paths(many, "libb.so.1"), (Paths{"/x/libb.so.1"}));
  std::string old = "ld.so-1.7.0";
  old += '\0';
  append(old, most);
  EXPECT_EQ(loader_cache_paths(old + whole, "liba.so.1"), Paths{});
}

std::string identity_of(const TemporaryFolder& folder, const std::string& text) {
  write(folder / "file", text);
  return file_identity(folder / "file");
}

TEST(FileIdentity, of_a_library_is_its_real_path_size_and_build_id) {
  const std::string path = load({"libc.so.6"}).path();
  const std::string identity = file_identity(path);
  EXPECT_TRUE(
      identity.starts_with(fs::canonical(path).string() + " " + std::to_string(fs::file_size(path)) + " "))
      << identity;
  const FileDescriptor file = FileDescriptor::open_to_read(path);
  const std::string id = elf::build_id(file.get());
  // What the loader mapped is the oracle.
  struct Search {
    std::string path, id;
  } search{fs::canonical(path).string(), ""};
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* data) {
        auto& found = *static_cast<Search*>(data);
        std::error_code error;
        if (fs::canonical(info->dlpi_name, error).string() != found.path) return 0;
        for (int i = 0; i < info->dlpi_phnum; ++i) {
          const auto& segment = info->dlpi_phdr[i];
          if (segment.p_type != PT_NOTE || segment.p_align == 8) continue;
          const auto* note = reinterpret_cast<const std::uint32_t*>(info->dlpi_addr + segment.p_vaddr);
          if (note[2] != NT_GNU_BUILD_ID) continue;
          const auto* bytes = reinterpret_cast<const unsigned char*>(note + 4);
          for (std::uint32_t k = 0; k < note[1]; ++k) {
            constexpr char kDigits[] = "0123456789abcdef";
            found.id += kDigits[bytes[k] >> 4];
            found.id += kDigits[bytes[k] & 15];
          }
        }
        return 0;
      },
      &search);
  if (search.id.empty()) GTEST_SKIP() << "the C library has no build id";
  EXPECT_EQ(id, search.id);
  EXPECT_TRUE(identity.ends_with(" build-id " + id)) << identity;
}

TEST(FileIdentity, of_a_text_changes_with_its_time) {
  const TemporaryFolder folder;
  const std::string before = identity_of(folder, "#!/bin/sh\n");
  EXPECT_EQ(file_identity(folder / "file"), before);
  const timespec times[2] = {{1, 0}, {1, 7}};
  ASSERT_EQ(::utimensat(AT_FDCWD, (folder / "file").c_str(), times, 0), 0);
  EXPECT_NE(file_identity(folder / "file"), before);
}

TEST(FileIdentity, follows_links) {
  const TemporaryFolder folder;
  const std::string identity = identity_of(folder, "text");
  fs::create_symlink(folder / "file", folder / "link");
  EXPECT_EQ(file_identity(folder / "link"), identity);
}

TEST(FileIdentity, of_nothing_is_empty) {
  const TemporaryFolder folder;
  EXPECT_EQ(file_identity(folder / "absent"), "");
  fs::create_symlink(folder / "absent", folder / "dangling");
  EXPECT_EQ(file_identity(folder / "dangling"), "");
}

TEST(FileIdentity, does_not_wait_for_a_pipe) {
  const TemporaryFolder folder;
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  EXPECT_NE(file_identity(folder / "pipe"), "");
}

TEST(FileIdentity, of_a_damaged_library_is_still_an_identity) {
  const TemporaryFolder folder;
  const std::string whole = contents(find_library_file("libm.so.6")).substr(0, 64 << 10);
  for (const std::size_t size : {0, 4, 63, 64, 65, 100, 600, 1000}) {
    EXPECT_NE(identity_of(folder, whole.substr(0, size)), "") << size;
  }
  std::mt19937 random(7);
  for (int i = 0; i < 300; ++i) {
    std::string bad = whole.substr(0, 4096);
    for (int flips = 0; flips < 8; ++flips) bad[16 + random() % 2000] = static_cast<char>(random());
    EXPECT_NE(identity_of(folder, bad), "");
  }
}

}  // namespace
}  // namespace quern
