// SPDX-License-Identifier: MIT
// Kept results, and their lookup at run time.
#include "quern/tuned.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <string>

#include "base/disk_store.hpp"
#include "base/temporary_folder.hpp"
#include "quern/error.hpp"
#include "tune/lookup.hpp"
#include "tune/store.hpp"

namespace quern {
namespace {

// The standard store of this program lies in a folder of its own. It is made when it is first used.
const std::string& cache_folder() {
  static const auto* const folder = [] {
    auto* const made = new testing::TemporaryFolder;
    ::setenv("QUERN_CACHE_DIR", made->path().c_str(), 1);
    return made;
  }();
  return folder->path();
}

DeviceProperties properties(const std::string& name = "chip", const std::string& driver = "1.0") {
  DeviceProperties result;
  result.backend = "host";
  result.name = name;
  result.architecture = "arch";
  result.driver_version = driver;
  result.compute_units = 4;
  return result;
}

TunedResult result(const std::string& problem, std::int64_t tile, const std::string& driver = "1.0") {
  TunedResult kept;
  kept.key = {problem, "float32", "v1"};
  kept.device = tuned_device(properties("chip", driver));
  kept.configuration = {{"tile", tile}, {"fast", true}, {"scale", 0.5}, {"type", std::string("float4")}};
  kept.seconds = 1e-3;
  kept.default_seconds = 2e-3;
  kept.evaluations = 12;
  kept.strategy = "brute";
  kept.date = "2026-01-31T12:00:00Z";
  return kept;
}

class TunedTest : public ::testing::Test {
 protected:
  TunedTest() {
    (void)cache_folder();
    forget_tuned();
    reload_tuned();
  }
  static std::optional<TunedResult> find(const std::string& problem, const std::string& driver = "1.0",
                                         const std::string& version = "v1") {
    return tuning::find(tuned_device(properties("chip", driver)), {problem, "float32", version});
  }
};

TEST_F(TunedTest, a_kept_result_is_found_by_this_process_and_by_the_next) {
  EXPECT_FALSE(find("a"));
  EXPECT_TRUE(keep_tuned(result("a", 16)));
  for (int process = 0; process < 2; ++process) {
    const auto found = find("a");
    ASSERT_TRUE(found);
    EXPECT_EQ(found->configuration, result("a", 16).configuration);
    EXPECT_EQ(found->seconds, 1e-3);
    EXPECT_EQ(found->evaluations, 12u);
    EXPECT_EQ(found->date, "2026-01-31T12:00:00Z");
    reload_tuned();  // as if it were another process
  }
}

TEST_F(TunedTest, results_of_another_driver_device_class_or_version_are_not_found) {
  ASSERT_TRUE(keep_tuned(result("a", 16)));
  EXPECT_FALSE(find("a", "1.1"));
  EXPECT_FALSE(find("a", "1.0", "v2"));
  EXPECT_FALSE(find("b"));
  EXPECT_FALSE(tuning::find(tuned_device(properties("other")), {"a", "float32", "v1"}));
  EXPECT_FALSE(tuning::find(tuned_device(properties()), {"a", "float64", "v1"}));
  EXPECT_TRUE(find("a"));
}

TEST_F(TunedTest, a_later_result_replaces_an_earlier_one) {
  ASSERT_TRUE(keep_tuned(result("a", 16)));
  ASSERT_TRUE(keep_tuned(result("a", 32)));
  reload_tuned();
  EXPECT_EQ(find("a")->configuration.integer("tile"), 32);
  EXPECT_EQ(tuned_results().size(), 1u);
}

TEST_F(TunedTest, damaged_and_swapped_files_are_misses) {
  ASSERT_TRUE(keep_tuned(result("a", 16)));
  ASSERT_TRUE(keep_tuned(result("b", 32)));
  std::vector<std::filesystem::path> files;
  for (const auto& item : std::filesystem::directory_iterator(cache_folder() + "/tuning"))
    if (item.path().extension() == ".quern") files.push_back(item.path());
  ASSERT_EQ(files.size(), 2u);
  std::filesystem::rename(files[0], cache_folder() + "/swap");
  std::filesystem::rename(files[1], files[0]);
  std::filesystem::rename(cache_folder() + "/swap", files[1]);
  reload_tuned();
  EXPECT_FALSE(find("a"));
  EXPECT_FALSE(find("b"));
}

TEST_F(TunedTest, what_is_exported_is_imported) {
  ASSERT_TRUE(keep_tuned(result("a", 16)));
  ASSERT_TRUE(keep_tuned(result("b", 32)));
  const std::string text = export_tuned();
  EXPECT_NE(text.find("\"parameters\": {\"tile\": 16, \"fast\": true, \"scale\": 0.5, \"type\": \"float4\"}"),
            std::string::npos)
      << text;
  EXPECT_EQ(forget_tuned(), 2u);
  EXPECT_FALSE(find("a"));
  EXPECT_EQ(import_tuned(text), 2u);
  reload_tuned();
  EXPECT_EQ(find("a")->configuration, result("a", 16).configuration);
  EXPECT_EQ(find("b")->configuration, result("b", 32).configuration);
  EXPECT_EQ(export_tuned(), text);
}

TEST_F(TunedTest, a_document_that_is_not_one_is_refused_and_changes_nothing) {
  ASSERT_TRUE(keep_tuned(result("a", 16)));
  std::string other = export_tuned();
  other.replace(other.find("\"version\": 1"), 12, "\"version\": 9");
  std::string incomplete = export_tuned();
  incomplete.replace(incomplete.find("\"problem\""), 9, "\"problems\"");
  for (const std::string& text :
       {std::string("[]"), std::string("{}"), std::string("nonsense"), other, incomplete})
    EXPECT_THROW(import_tuned(text), ArgumentError) << text;
  EXPECT_EQ(tuned_results().size(), 1u);
}

TEST_F(TunedTest, results_of_one_problem_are_forgotten) {
  ASSERT_TRUE(keep_tuned(result("a", 16)));
  ASSERT_TRUE(keep_tuned(result("b", 32)));
  EXPECT_EQ(forget_tuned("a"), 1u);
  reload_tuned();
  EXPECT_FALSE(find("a"));
  EXPECT_TRUE(find("b"));
}

TEST_F(TunedTest, compiled_programs_do_not_displace_results) {
  ASSERT_TRUE(keep_tuned(result("a", 16)));
  DiskStore(cache_folder(), std::uint64_t{1} << 20).clear();
  reload_tuned();
  EXPECT_TRUE(find("a"));
}

TEST_F(TunedTest, tuned_gives_kept_values_in_the_order_of_the_defaults) {
  const Device device = quern::device("host");
  const Tuned tuned("mine", {{"unroll", std::int64_t{1}}, {"tile", std::int64_t{8}}}, "v1");
  EXPECT_EQ(tuned(device, "small"), tuned.defaults());
  EXPECT_EQ(tuned.find(device, "small").second, TunedOrigin::defaults);
  TunedResult kept;
  kept.key = {"mine", "small", "v1"};
  kept.device = tuned_device(device.properties());
  kept.configuration = {{"tile", std::int64_t{32}}, {"unroll", std::int64_t{4}}};
  ASSERT_TRUE(keep_tuned(kept));
  EXPECT_EQ(tuned(device, "small").text(), "unroll=4, tile=32");
  EXPECT_EQ(tuned.find(device, "small").second, TunedOrigin::kept);
  EXPECT_EQ(tuned(device, "large"), tuned.defaults());
  // Parameters that were renamed since then.
  kept.configuration = {{"tile", std::int64_t{32}}, {"other", std::int64_t{4}}};
  ASSERT_TRUE(keep_tuned(kept));
  EXPECT_EQ(tuned(device, "small"), tuned.defaults());
}

TEST_F(TunedTest, lookups_create_no_folder) {
  std::filesystem::remove_all(cache_folder() + "/tuning");
  reload_tuned();
  EXPECT_FALSE(find("a"));
  EXPECT_TRUE(tuned_results().empty());
  EXPECT_FALSE(std::filesystem::exists(cache_folder() + "/tuning"));
}

class LibraryValueTest : public TunedTest {
 protected:
  static std::int64_t tile(std::int64_t otherwise) {
    return tuning::value_of(properties(), "transpose_rows", "4", "tile", otherwise);
  }
  static void keep(std::int64_t value) {
    TunedResult kept;
    kept.key = {"transpose_rows", "4", tuning::version_of(*tuning::library_parameters("transpose_rows"))};
    kept.device = tuned_device(properties());
    kept.configuration = {{"tile", value}};
    ASSERT_TRUE(keep_tuned(kept));
  }
};

TEST_F(LibraryValueTest, algorithms_get_kept_values_and_trials) {
  EXPECT_EQ(tile(7), 7);
  keep(64);
  EXPECT_EQ(tile(7), 64);
  EXPECT_EQ(tuning::value_of(properties(), "transpose_rows", "8", "tile", 7), 7);  // of another class
  {
    const tuning::Trial trial("transpose_rows", {{"tile", std::int64_t{8}}});
    EXPECT_EQ(tile(7), 8);
    const tuning::Trial other("transpose_tiles", {{"tile", std::int64_t{16}}});
    EXPECT_EQ(tile(7), 8);
  }
  EXPECT_EQ(tile(7), 64);
}

TEST_F(LibraryValueTest, values_that_are_not_declared_are_ignored) {
  for (const std::int64_t value : {std::int64_t{-5}, std::int64_t{0}, std::int64_t{1} << 40}) {
    keep(value);
    EXPECT_EQ(tile(7), 7) << value;
  }
  EXPECT_EQ(tuning::value_of(properties(), "no such algorithm", "", "tile", 7), 7);
}

TEST_F(LibraryValueTest, zero_means_what_an_untuned_device_uses) {
  DeviceProperties gpu = properties();
  gpu.backend = "cuda";
  const auto items = [&] { return tuning::value_of(gpu, "sort_sweep", "1", "items", 9); };
  const std::int64_t untuned = items();
  EXPECT_NE(untuned, 9);
  {
    const tuning::Trial trial("sort_sweep", {{"threads", std::int64_t{256}}, {"items", std::int64_t{0}}});
    EXPECT_EQ(items(), untuned);
    EXPECT_EQ(tuning::value_of(gpu, "sort_sweep", "1", "threads", 9), 256);
  }
  TunedResult kept;
  kept.key = {"sort_sweep", "1", tuning::version_of(*tuning::library_parameters("sort_sweep"))};
  kept.device = tuned_device(gpu);
  kept.configuration = {{"threads", std::int64_t{256}}, {"items", std::int64_t{0}}};
  ASSERT_TRUE(keep_tuned(kept));
  EXPECT_EQ(items(), untuned);
  EXPECT_EQ(tuning::value_of(gpu, "sort_sweep", "1", "threads", 9), 256);
}

TEST_F(LibraryValueTest, classes_are_not_built_before_anything_is_kept) {
  int built = 0;
  const auto tile_of = [&] {
    return tuning::value_of(
        properties(), "transpose_rows",
        [&] {
          ++built;
          return std::string("4");
        },
        "tile", 7);
  };
  EXPECT_EQ(tile_of(), 7);
  EXPECT_EQ(built, 0);
  keep(64);
  EXPECT_EQ(tile_of(), 64);
  EXPECT_EQ(built, 1);
}

TEST_F(LibraryValueTest, results_of_another_revision_are_not_found) {
  tuning::AlgorithmParameters parameters = *tuning::library_parameters("transpose_rows");
  const std::string version = tuning::version_of(parameters);
  ++parameters.revision;
  EXPECT_NE(tuning::version_of(parameters), version);
}

TEST_F(LibraryValueTest, a_kept_result_makes_no_other_problem_known) {
  keep(64);
  EXPECT_TRUE(tuning::has_results_of("transpose_rows"));
  EXPECT_FALSE(tuning::has_results_of("sort_sweep"));
}

TEST_F(LibraryValueTest, known_classes_of_devices_have_values) {
  DeviceProperties gpu;
  gpu.backend = "cuda";
  gpu.architecture = "sm_90";
  EXPECT_EQ(tuning::value_of(gpu, "sort_sweep", "1", "items", 9), 23);
  EXPECT_EQ(tuning::value_of(gpu, "sort_sweep", "9", "items", 9), 9);
  EXPECT_EQ(tuning::value_of(gpu, "sort_passes", "1", "groups_per_unit", 8), 8);
}

TEST_F(TunedTest, texts_of_values) {
  EXPECT_EQ(text_of(true), "true");
  EXPECT_EQ(text_of(true, true), "1");
  EXPECT_EQ(text_of(std::int64_t{-3}), "-3");
  EXPECT_EQ(text_of(2.0), "2.0");
  EXPECT_EQ(text_of(std::string("float4")), "float4");
  const TuneConfiguration configuration = {{"a", true}};
  EXPECT_THROW((void)configuration.at("b"), ArgumentError);
  EXPECT_THROW((void)configuration.integer("a"), ArgumentError);
}

}  // namespace
}  // namespace quern
