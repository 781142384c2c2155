// SPDX-License-Identifier: MIT
// Memory shared with other libraries, DLPack, and transfers of any strides.
#include <numeric>
#include <thread>

#include "quern/quern.hpp"
#include "runtime/device_fixture.hpp"

namespace quern::test {
namespace {

class DlpackAndTransfer : public EachDevice {
 protected:
  Array sequence(Shape shape) {
    std::int64_t count = 1;
    for (const std::int64_t length : shape) count *= length;
    std::vector<float> values(static_cast<std::size_t>(count));
    std::iota(values.begin(), values.end(), 0.f);
    return reshape(asarray(queue_, values), std::move(shape));
  }
  std::vector<float> values_of(const Array& array) {
    std::vector<float> values(array.size());
    get_elements(array, queue_, values.data()).wait();
    return values;
  }
};

TEST_P(DlpackAndTransfer, memory_is_not_read_lazily_while_it_is_exported) {
  const Array x = sequence({4});
  const Array before = x + 1.f;
  Loan loan = lend(x.buffer());
  EXPECT_NE(loan.native_handle, 0U);
  EXPECT_TRUE(before.in_memory());
  EXPECT_TRUE((x + 1.f).in_memory());
  Loan second = lend(x.buffer());
  loan.keep.reset();
  EXPECT_TRUE((x + 1.f).in_memory());
  second.keep.reset();
  EXPECT_FALSE((x + 1.f).in_memory());
  x.buffer().share();
  EXPECT_TRUE((x + 1.f).in_memory());
}

TEST_P(DlpackAndTransfer, tensors_show_the_array_and_come_back_as_it) {
  const Array x = sequence({3, 4});
  const Array view = quern::view(x, {Index::slice({}, {}, 2), Index::slice(3, 0, -1)});
  dlpack::VersionedTensor* const tensor = dlpack::to_versioned(view);
  EXPECT_EQ(tensor->version.major, 1U);
  EXPECT_EQ(tensor->tensor.ndim, 2);
  EXPECT_EQ(tensor->tensor.strides[0], 8);
  EXPECT_EQ(tensor->tensor.strides[1], -1);
  EXPECT_EQ(tensor->tensor.dtype.bits, 32);
  const Array back = dlpack::from_versioned(tensor, queue_);
  EXPECT_EQ(back.shape(), (Shape{2, 3}));
  EXPECT_EQ(values_of(back), (std::vector<float>{3, 2, 1, 11, 10, 9}));
  assign(back, -1.f, &queue_);
  EXPECT_EQ(values_of(x), (std::vector<float>{0, -1, -1, -1, 4, 5, 6, 7, 8, -1, -1, -1}));
}

TEST_P(DlpackAndTransfer, a_deleter_runs_on_any_thread) {
  Array x = sequence({16});
  dlpack::ManagedTensor* const tensor = dlpack::to_unversioned(x + 1.f);
  std::thread([tensor] { tensor->deleter(tensor); }).join();
  EXPECT_FALSE((x + 1.f).in_memory());
}

TEST_P(DlpackAndTransfer, tensors_that_do_not_fit_are_refused_and_given_back) {
  static int deleted = 0;
  deleted = 0;
  std::int64_t shape[] = {2};
  dlpack::ManagedTensor tensor{};
  tensor.tensor.device = dlpack::device_id_of(queue_.device());
  tensor.tensor.ndim = 1;
  tensor.tensor.shape = shape;
  tensor.tensor.dtype = {static_cast<dlpack::TypeCode>(4), 16, 1};
  tensor.deleter = [](dlpack::ManagedTensor*) { ++deleted; };
  EXPECT_THROW(dlpack::from_unversioned(&tensor, queue_), ArgumentError);
  EXPECT_EQ(deleted, 1);
  tensor.tensor.dtype = {dlpack::TypeCode::floating, 32, 1};
  tensor.tensor.device = {static_cast<dlpack::DeviceType>(10), 0};
  EXPECT_THROW(dlpack::from_unversioned(&tensor, queue_), ArgumentError);
  EXPECT_EQ(deleted, 2);
}

TEST_P(DlpackAndTransfer, elements_of_any_stride_go_to_the_host_and_back) {
  const Array x = sequence({3, 4});
  const Array view = permute_dims(x);
  EXPECT_EQ(values_of(view), (std::vector<float>{0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11}));
  std::vector<float> values(12);
  std::iota(values.begin(), values.end(), 100.f);
  set_elements(view, queue_, values.data()).wait();
  EXPECT_EQ(values_of(view), values);
  EXPECT_EQ(values_of(x)[1], 103);
}

TEST_P(DlpackAndTransfer, arrays_move_between_devices) {
  const Array x = sequence({3, 4});
  const Array there = to_device(permute_dims(x), Queue::of(device("host")));
  EXPECT_EQ(there.device(), device("host"));
  if (!(device_ == there.device())) assign(x, 0.f, &queue_);
  EXPECT_EQ(values_of(to_device(there, queue_)), (std::vector<float>{0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11}));
}

QUERN_EACH_DEVICE(DlpackAndTransfer);

}  // namespace
}  // namespace quern::test
