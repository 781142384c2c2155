# SPDX-License-Identifier: MIT
"""#include <quern/random.cl> in kernels of one's own, on every device."""

from math import pi

import numpy as np
import oracle
import pytest

import quern as qn

# Pi by random points: each work-item throws two points for each block, and counts those inside the circle.
PI = qn.Program("""
#include <quern/random.cl>

kernel void throw_points(uint4 counter, uint4 key, int blocks_each, global uint *inside) {
  const uint first = get_global_id(0) * blocks_each;
  uint hits = 0;
  for (uint i = first; i < first + blocks_each; ++i) {
    const float4 p = random_uniform4(philox4x32((uint4)(counter.x + i, counter.yzw), key.xy));
    hits += (p.x * p.x + p.y * p.y < 1) + (p.z * p.z + p.w * p.w < 1);
  }
  inside[get_global_id(0)] = hits;
}
""")


def test_pi_by_random_points(device, queue):
    rng = qn.random.default_rng(314)
    items, each = 1024, 256
    state = rng.bit_generator.state
    counter, key = rng.bit_generator.reserve(items * each)
    inside = qn.empty(items, np.uint32, device)
    vectors = [np.array(tuple(words), qn.vec.uint4)[()] for words in (counter, key)]
    PI.throw_points(queue, items, None, *vectors, each, inside)
    hits = int(inside.get(queue=queue).sum())
    points = oracle.uniform(state, 4 * items * each, np.float32).reshape(-1, 2)
    assert hits == np.count_nonzero((points * points).sum(axis=1, dtype=np.float32) < 1)
    n = points.shape[0]
    assert abs(4 * hits / n - pi) < 4 * np.sqrt(pi * (4 - pi) / n)


def test_kernels_make_the_numbers_that_a_generator_draws(device, queue):
    program = qn.Program("""
        #include <quern/random.cl>
        kernel void draw(uint4 counter, uint4 key, global float4 *u, global float4 *n, global float4 *e) {
          const int i = get_global_id(0);
          const uint4 words = philox4x32(counter + (uint4)(i, 0, 0, 0), key.xy);
          u[i] = random_uniform4(words);
          n[i] = random_normal4(words);
          e[i] = random_exponential4(words);
        }""")
    out = [qn.empty(400, np.float32, device) for _ in range(3)]
    counter, key = qn.random.Philox(9).reserve(100)
    vectors = [np.array(tuple(words), qn.vec.uint4)[()] for words in (counter, key)]
    program.draw(queue, 100, None, *vectors, *out)
    for name, array in zip(("random", "standard_normal", "standard_exponential"), out, strict=True):
        drawn = getattr(qn.random.default_rng(9), name)(400, np.float32, device=device)
        assert np.array_equal(array.get(), drawn.get()), name


def test_kernels_make_doubles_too(device, queue):
    if not device.has_fp64:
        pytest.skip("needs float64")
    program = qn.Program("""
        #include <quern/random.cl>
        kernel void draw(uint4 counter, uint4 key, global double2 *u, global double2 *n) {
          const int i = get_global_id(0);
          const uint4 words = threefry4x32(counter + (uint4)(i, 0, 0, 0), key);
          u[i] = random_uniform2_double(words);
          n[i] = random_normal2_double(words);
        }""")
    out = [qn.empty(200, np.float64, device) for _ in range(2)]
    counter, key = qn.random.Threefry(9).reserve(100)
    vectors = [np.array(tuple(words), qn.vec.uint4)[()] for words in (counter, key)]
    program.draw(queue, 100, None, *vectors, *out)
    for name, array in zip(("random", "standard_normal"), out, strict=True):
        rng = qn.random.Generator(qn.random.Threefry(9))
        assert np.array_equal(array.get(), getattr(rng, name)(200, device=device).get()), name


def test_reserved_blocks_are_not_drawn_again():
    bits = qn.random.Philox(2)
    qn.random.Generator(bits).random(3, np.float32, device="host")
    counter, _ = bits.reserve(10)
    assert counter[:2] == (1, 0)
    assert bits.state["position"] == 4 + 40


def test_lines_are_counted_as_written(device):
    program = qn.Program("""#include <quern/random.cl>
    # include  <quern/random.cl>
    kernel void broken(global float *x) {
      x[0] = no_such_name;
    }""")
    with pytest.raises(qn.BuildError) as caught:
        program.build(device)
    lines = [d.line for d in caught.value.diagnostics if "no_such_name" in d.text]
    assert lines and set(lines) == {4}


def test_an_include_of_a_name_that_is_none_is_an_error(device):
    program = qn.Program("#include <quern/no_such_file.cl>\nkernel void f(global int *x) { x[0] = 1; }")
    with pytest.raises(qn.BuildError, match="no_such_file"):
        program.build(device)
