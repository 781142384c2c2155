// SPDX-License-Identifier: MIT
// Layouts and redistributions against loops over all elements, for random grids, shapes and kinds of layout.
#include "quern/distributed/layout.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <random>
#include <set>

#include "distributed/movement.hpp"
#include "distributed/random_layouts.hpp"
#include "quern/error.hpp"

namespace quern::distributed {
namespace {

using Place = std::vector<std::int64_t>;

template <class Function>
void for_each_index(const Shape& shape, const Function& function) {
  Place index(shape.size());
  const std::int64_t size = std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
  for (std::int64_t flat = 0; flat < size; ++flat) {
    std::int64_t rest = flat;
    for (std::size_t axis = shape.size(); axis-- > 0; rest /= shape[axis]) index[axis] = rest % shape[axis];
    function(index);
  }
}

template <class Function>
void for_each_in(const Section& box, const Function& function) {
  Shape lengths;
  for (const Range& range : box) lengths.push_back(range.count);
  for_each_index(lengths, [&](Place index) {
    for (std::size_t axis = 0; axis < index.size(); ++axis)
      index[axis] = box[axis].start + box[axis].step * index[axis];
    function(index);
  });
}

// The global indices of a rank's elements in the order of its local ones.
std::vector<Place> elements_of(const Layout& layout, int rank) {
  std::vector<Place> elements = {{}};
  for (const auto& axis : layout.intervals(rank)) {
    std::vector<Place> longer;
    for (const Place& index : elements) {
      for (const Interval& interval : axis) {
        for (std::int64_t i = interval.start; i < interval.stop; ++i) {
          longer.push_back(index);
          longer.back().push_back(i);
        }
      }
    }
    elements = std::move(longer);
  }
  if (layout.root() >= 0 && rank != layout.root()) elements.clear();
  return elements;
}

TEST(Layouts, give_every_element_to_its_owner_and_to_the_replicas_of_that_rank) {
  std::mt19937 random(1);
  for (int round = 0; round < 400; ++round) {
    const int ranks = 1 + static_cast<int>(random() % 12);
    const Shape shape = random_shape(random);
    const Layout layout = random_layout(random, ranks, shape);
    std::map<Place, std::vector<int>> holders;
    for (int rank = 0; rank < ranks; ++rank) {
      const std::vector<Place> elements = elements_of(layout, rank);
      const Shape local = layout.local_shape(rank);
      ASSERT_TRUE(layout.root() >= 0 || std::is_sorted(elements.begin(), elements.end()));
      ASSERT_EQ(static_cast<std::int64_t>(elements.size()),
                layout.root() >= 0 && rank != layout.root()
                    ? 0
                    : std::accumulate(local.begin(), local.end(), std::int64_t{1}, std::multiplies<>()));
      for (const Place& index : elements) holders[index].push_back(rank);
    }
    for_each_index(shape, [&](const Place& index) {
      ASSERT_FALSE(holders[index].empty()) << layout.text();
      EXPECT_EQ(layout.owner(index), holders[index].front()) << layout.text();
      for (const int rank : holders[index]) {
        EXPECT_EQ(layout.is_first_replica(rank), rank == holders[index].front());
      }
    });
  }
}

TEST(Layouts, know_where_an_index_is_in_the_memory_of_its_owner) {
  for (const std::int64_t length : {0, 1, 7, 24}) {
    for (const int parts : {1, 2, 5, 30}) {
      for (const AxisLayout& axis :
           {AxisLayout::block(length, 0, parts), AxisLayout::cyclic(length, 0, parts, 1),
            AxisLayout::cyclic(length, 0, parts, 3)}) {
        std::vector<std::int64_t> seen(static_cast<std::size_t>(parts));
        for (std::int64_t i = 0; i < length; ++i) {
          EXPECT_EQ(axis.local_index(i), seen[static_cast<std::size_t>(axis.owner(i))]++);
        }
        for (int part = 0; part < parts; ++part) {
          EXPECT_EQ(axis.local_length(part), seen[static_cast<std::size_t>(part)]);
        }
      }
    }
  }
}

TEST(Layouts, blocks_differ_by_at_most_one_element) {
  const AxisLayout axis = AxisLayout::block(10, 0, 4);
  EXPECT_EQ(axis.local_length(0), 3);
  EXPECT_EQ(axis.local_length(1), 3);
  EXPECT_EQ(axis.local_length(3), 2);
}

TEST(Layouts, grids_cut_long_axes_into_more_parts) {
  EXPECT_EQ(ProcessGrid::for_shape(16, {1000, 1000}).lengths(), (std::vector<int>{4, 4}));
  EXPECT_EQ(ProcessGrid::for_shape(6, {100, 10'000}).lengths(), (std::vector<int>{1, 6}));
  EXPECT_EQ(ProcessGrid::for_shape(7, {64, 64, 64}).size(), 7);
  EXPECT_EQ(ProcessGrid::for_shape(4, {3}).lengths(), std::vector<int>{4});
}

TEST(Layouts, of_grids_that_do_not_fit_are_refused) {
  EXPECT_THROW(ProcessGrid({2, 0}), ArgumentError);
  EXPECT_THROW(Layout::block(ProcessGrid({2, 2}), {10}), ArgumentError);
  EXPECT_THROW(Layout::owned(3, {10}, 3), ArgumentError);
  EXPECT_THROW(Layout(ProcessGrid({2}), {AxisLayout::block(4, 0, 2), AxisLayout::block(4, 0, 2)}),
               ArgumentError);
  EXPECT_THROW(Layout(ProcessGrid({2}), {AxisLayout::block(4, 0, 3)}), ArgumentError);
  EXPECT_THROW(AxisLayout::cyclic(4, 0, 2, 0), ArgumentError);
}

TEST(Redistributions, bring_every_element_to_all_ranks_that_want_it_once) {
  std::mt19937 random(2);
  for (int round = 0; round < 400; ++round) {
    const int ranks = 1 + static_cast<int>(random() % 9);
    const Shape shape = random_shape(random);
    const Layout from = random_layout(random, ranks, shape), to = random_layout(random, ranks, shape);
    std::vector<MovementPlan> plans;
    for (int rank = 0; rank < ranks; ++rank) plans.push_back(plan_redistribution(from, to, rank));

    // The global index of a local one, before and after.
    const auto global = [](const Layout& layout, int rank) {
      const std::vector<Place> elements = elements_of(layout, rank);
      const Shape local = layout.local_shape(rank);
      return [=](const Place& index) {
        std::int64_t flat = 0;
        for (std::size_t axis = 0; axis < index.size(); ++axis) flat = flat * local[axis] + index[axis];
        return elements.at(static_cast<std::size_t>(flat));
      };
    };
    for (int rank = 0; rank < ranks; ++rank) {
      std::multiset<Place> arrived;
      const auto wanted_at = global(to, rank);
      for (const Parcel& parcel : plans[static_cast<std::size_t>(rank)].receives) {
        const auto& sends = plans[static_cast<std::size_t>(parcel.peer)].sends;
        const auto sent =
            std::find_if(sends.begin(), sends.end(), [&](const Parcel& p) { return p.peer == rank; });
        ASSERT_NE(sent, sends.end());
        EXPECT_EQ(sent->elements, parcel.elements);
        std::vector<Place> out, in;
        const auto had_at = global(from, parcel.peer);
        for (const Section& box : sent->sections)
          for_each_in(box, [&](const Place& i) { out.push_back(had_at(i)); });
        for (const Section& box : parcel.sections)
          for_each_in(box, [&](const Place& i) { in.push_back(wanted_at(i)); });
        EXPECT_EQ(out, in);  // the same elements in the same order
        EXPECT_EQ(static_cast<std::int64_t>(in.size()), parcel.elements);
        arrived.insert(in.begin(), in.end());
      }
      const MovementPlan& own = plans[static_cast<std::size_t>(rank)];
      const auto had_at = global(from, rank);
      std::vector<Place> kept_from, kept_to;
      for (const Section& box : own.kept_from)
        for_each_in(box, [&](const Place& i) { kept_from.push_back(had_at(i)); });
      for (const Section& box : own.kept_to)
        for_each_in(box, [&](const Place& i) { kept_to.push_back(wanted_at(i)); });
      EXPECT_EQ(kept_from, kept_to);
      arrived.insert(kept_to.begin(), kept_to.end());

      const std::vector<Place> wanted = elements_of(to, rank);
      EXPECT_EQ(std::vector<Place>(arrived.begin(), arrived.end()),
                [&] {
                  std::vector<Place> sorted = wanted;
                  std::sort(sorted.begin(), sorted.end());
                  return sorted;
                }())
          << from.text() << " -> " << to.text();
      for (const Parcel& parcel : own.sends) {
        const auto& receives = plans[static_cast<std::size_t>(parcel.peer)].receives;
        EXPECT_TRUE(
            std::any_of(receives.begin(), receives.end(), [&](const Parcel& p) { return p.peer == rank; }));
      }
    }
  }
}

}  // namespace
}  // namespace quern::distributed
