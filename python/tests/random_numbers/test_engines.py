# SPDX-License-Identifier: MIT
"""Engines against Random123's published vectors; seeds, streams, jumps and states."""

import pickle
import threading

import numpy as np
import oracle
import pytest

import quern as qn

ZEROS, ONES = (0,) * 4, (0xFFFFFFFF,) * 4
PI = (0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344)
MORE_PI = (0xA4093822, 0x299F31D0, 0x082EFA98, 0xEC4E6C89)
# counter, key, words: kat_vectors of Random123 1.09
KNOWN = {
    "philox": [
        (ZEROS, ZEROS, (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8)),
        (ONES, ONES, (0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD)),
        (PI, MORE_PI, (0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1)),
    ],
    "threefry": [
        (ZEROS, ZEROS, (0x9C6CA96A, 0xE17EAE66, 0xFC10ECD4, 0x5256A7D8)),
        (ONES, ONES, (0x2A881696, 0x57012287, 0xF6C7446E, 0xA16A6732)),
        (PI, MORE_PI, (0x59CD1DBB, 0xB8879579, 0x86B5D00C, 0xAC8B6D84)),
    ],
}
ENGINES = [qn.random.Philox, qn.random.Threefry]


@pytest.mark.parametrize("name", KNOWN)
def test_the_oracle_gives_the_published_words(name):
    function = {"philox": oracle.philox4x32, "threefry": oracle.threefry4x32}[name]
    for counter, key, words in KNOWN[name]:
        assert tuple(function(np.array([counter], np.uint64), key)[0]) == words


def test_kernels_get_the_published_words(device, queue):
    program = qn.Program("""
        #include <quern/random.cl>
        kernel void words(global const uint4 *counters, global const uint4 *keys, global uint4 *out) {
          const int i = get_global_id(0);
          out[2 * i] = philox4x32(counters[i], keys[i].xy);
          out[2 * i + 1] = threefry4x32(counters[i], keys[i]);
        }""")
    counters, keys = (np.array([row[i] for row in KNOWN["philox"]], np.uint32) for i in (0, 1))
    out = qn.empty((3, 2, 4), np.uint32, device)
    program.words(queue, 3, None, qn.asarray(counters, device=device), qn.asarray(keys, device=device), out)
    for i, name in enumerate(KNOWN):
        assert [tuple(row) for row in out.get(queue=queue)[:, i]] == [row[2] for row in KNOWN[name]]


@pytest.mark.parametrize("options", [[], ["-mno-avx2", "-mno-avx512f"]])
def test_the_hosts_own_loop_gives_the_same_words(options):
    """Sixteen blocks at once, where a carry lies between them; in vectors and, without AVX2, one by one."""
    program = qn.Program(
        """
        #include <quern/random.cl>
        kernel void words(uint4 counter, uint2 key, global uint *at_once, global uint4 *one_by_one) {
          uint words[64];
          quern_philox_words(counter, key, words);
          for (int i = 0; i < 64; ++i) at_once[i] = words[i];
          for (int i = 0; i < 16; ++i) {
            const uint x = counter.x + i;
            one_by_one[i] = philox4x32((uint4)(x, counter.y + (x < i), counter.zw), key);
          }
        }""",
        options=options,
    )
    out = [qn.zeros(64, np.uint32, "host") for _ in range(2)]
    counter = np.array((0xFFFFFFF6, 41, 42, 43), qn.vec.uint4)[()]
    program.words(qn.Queue(qn.device("host")), 1, 1, counter, np.array((44, 45), qn.vec.uint2)[()], *out)
    assert np.array_equal(out[0].get(), out[1].get()) and out[0].get().any()


@pytest.mark.parametrize("engine", ENGINES)
def test_the_row_of_words_is_as_documented(device, engine):
    bits = engine(key=0x0123456789ABCDEF_FEDCBA9876543210)
    state = bits.state
    drawn = qn.random.Generator(bits).integers(0, 1 << 32, 1001, np.uint32, device=device)
    assert np.array_equal(drawn.get(), oracle.words(state, 1001))
    assert bits.state["position"] == 1001


@pytest.mark.parametrize("engine", ENGINES)
def test_the_same_seed_gives_the_same_numbers_and_another_one_others(engine):
    def first(seed):
        return qn.random.Generator(engine(seed)).integers(0, 1 << 62, 4, device="host").get().tolist()

    seeds = [0, 1, 7, 1 << 32, 1 << 64, (1 << 200) + 7, [1, 2], [2, 1], [1], [1, 0], [1 + (2 << 32)]]
    results = {str(seed): first(seed) for seed in seeds}
    assert results == {str(seed): first(seed) for seed in seeds}
    assert len({tuple(row) for row in results.values()}) == len(seeds)
    assert first(None) != first(None)


def test_engines_differ():
    one, other = (qn.random.Generator(engine(7)).random(100, device="host").get() for engine in ENGINES)
    assert not np.intersect1d(one, other).size


def test_a_state_brings_the_numbers_back(device):
    rng = qn.random.default_rng(3)
    rng.random(5, device=device)
    state = rng.bit_generator.state
    first = rng.normal(size=100, device=device).get()
    rng.bit_generator.state = state
    assert np.array_equal(rng.normal(size=100, device=device).get(), first)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_pickled_generator_goes_on_where_it_was(engine):
    rng = qn.random.Generator(engine(3))
    rng.random(5, device="host")
    rng.spawn(2)
    copy = pickle.loads(pickle.dumps(rng))
    assert copy.bit_generator.state == rng.bit_generator.state
    assert np.array_equal(copy.random(9, device="host").get(), rng.random(9, device="host").get())


def test_spawned_streams_are_new_every_time_and_share_nothing():
    rng = qn.random.default_rng(11)
    streams = [rng, *rng.spawn(3), *rng.spawn(2), *rng.spawn(1)[0].spawn(2)]
    streams.append(qn.random.Generator(rng.bit_generator.jumped()))
    streams += streams[-1].spawn(1)
    drawn = [stream.integers(0, 1 << 62, 1000, device="host").get() for stream in streams]
    assert np.unique(np.concatenate(drawn)).size == 1000 * len(streams)


def test_neighbouring_streams_and_seeds_are_not_correlated():
    rng = qn.random.default_rng(5)
    n = 20000
    rows = [child.standard_normal(n, device="host").get() for child in rng.spawn(16)]
    rows += [qn.random.default_rng(seed).standard_normal(n, device="host").get() for seed in range(100, 116)]
    rows += [
        qn.random.Generator(rng.bit_generator.jumped(i)).standard_normal(n, device="host").get()
        for i in range(1, 17)
    ]
    correlations = np.corrcoef(np.array(rows))[np.triu_indices(len(rows), 1)] * np.sqrt(n)
    assert np.abs(correlations).max() < 4.7  # of 1128 pairs
    assert abs(correlations.std() - 1) < 0.1


def test_jumping_is_advancing_by_two_to_the_64():
    bits = qn.random.Philox(5)
    there = qn.random.Philox(5)
    there.advance(1 << 63).advance(1 << 63)
    assert bits.jumped().state == there.state
    assert bits.jumped(3).state == bits.jumped().jumped(2).state


@pytest.mark.parametrize("engine", ENGINES)
def test_a_counter_is_the_block_at_which_the_stream_starts(device, engine):
    for counter in (0, 1, 5, (1 << 62) - 4, 1 << 62, (3 << 62) + 7):
        bits = engine(key=11, counter=counter)
        assert bits.state == engine(key=11).advance(4 * counter).state
        drawn = qn.random.Generator(bits).integers(0, 1 << 32, 9, np.uint32, device=device)
        other = engine(key=11).advance(4 * counter)
        assert np.array_equal(drawn.get(), oracle.words(other.state, 9))
    assert engine(3, 5).state == engine(3).advance(20).state  # seed and counter by position, as in NumPy


def test_keys_and_counters_are_numbers_or_64_bit_words_as_in_numpy():
    number = 0x0123456789ABCDEF_FEDCBA9876543210
    words = [number % (1 << 64), number >> 64]
    for key in (words, tuple(words), np.array(words, np.uint64)):
        assert qn.random.Philox(key=key).state == qn.random.Philox(key=number).state
    assert np.random.Philox(key=number).state["state"]["key"].tolist() == words
    assert qn.random.Philox(1, counter=[7, 1, 0, 0]).state == qn.random.Philox(1, counter=7 + (1 << 64)).state


def test_advancing_by_negative_numbers_goes_back():
    bits = qn.random.Philox(1, counter=1 << 62)
    start = bits.state
    assert bits.advance(100).advance(-100).state == start
    assert bits.advance(-(1 << 64)).state == qn.random.Philox(1).state
    assert bits.advance((1 << 96) + 8).state == qn.random.Philox(1, counter=2).state


def test_raw_words_are_pairs_of_words(device):
    with device:
        bits, again = qn.random.Philox(5), qn.random.Philox(5)
        pairs = oracle.words(bits.state, 8).astype(np.uint64)
        drawn = bits.random_raw((2, 2))
        np.testing.assert_array_equal(drawn.get().ravel(), pairs[0::2] | pairs[1::2] << np.uint64(32))
        assert again.random_raw((2, 2), output=False) is None and again.state == bits.state
        assert isinstance(bits.random_raw(), int) and again.random_raw(output=False) is None
        assert again.state == bits.state


def test_advancing_skips_words(device):
    rng, other = qn.random.default_rng(9), qn.random.default_rng(9)
    skipped = rng.random(30, np.float32, device=device).get()[21:]
    other.bit_generator.advance(21)
    assert np.array_equal(other.random(9, np.float32, device=device).get(), skipped)


def test_positions_above_32_bits_count_on(device):
    for position in ((1 << 34) - 10, (1 << 34) - 8, (1 << 63) + 1, (1 << 64) - 2000):
        rng = qn.random.default_rng(9)
        rng.bit_generator.advance(position)
        state = rng.bit_generator.state
        drawn = rng.random(1001, np.float32, device=device).get()
        assert np.array_equal(drawn, oracle.uniform(state, 1001, np.float32))


def test_a_draw_past_the_end_of_the_row_begins_the_next_one(device):
    rng = qn.random.default_rng(9)
    rng.bit_generator.advance((1 << 64) - 3)
    drawn = rng.random(10, np.float32, device=device).get()
    next_row = qn.random.default_rng(qn.random.default_rng(9).bit_generator.jumped())
    assert np.array_equal(drawn, next_row.random(10, np.float32, device=device).get())


def test_threads_never_get_the_same_numbers():
    rng = qn.random.default_rng(1)
    results = []

    def draw():
        for _ in range(50):
            results.append(rng.integers(0, 1 << 62, 101, device="host").get())

    threads = [threading.Thread(target=draw) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert np.unique(np.concatenate(results)).size == 4 * 50 * 101


@pytest.mark.parametrize(
    ("make", "error", "text"),
    [
        (lambda: qn.random.Philox(-1), qn.ArgumentValueError, "seed"),
        (lambda: qn.random.Philox([]), qn.ArgumentValueError, "seed"),
        (lambda: qn.random.Philox([1, -2]), qn.ArgumentValueError, "seed"),
        (lambda: qn.random.Philox([1, None]), qn.ArgumentTypeError, "seed"),
        (lambda: qn.random.Philox("seven"), qn.ArgumentTypeError, "seed"),
        (lambda: qn.random.Philox(1.5), qn.ArgumentTypeError, "seed"),
        (lambda: qn.random.Philox(key=1 << 128), qn.ArgumentValueError, "128 bits"),
        (lambda: qn.random.Philox(1, key=1), qn.ArgumentValueError, "not both"),
        (lambda: qn.random.BitGenerator(1), qn.ArgumentTypeError, "Philox"),
        (lambda: qn.random.Generator(7), qn.ArgumentTypeError, "bit_generator"),
        (lambda: qn.random.default_rng(1).spawn(-1), qn.ArgumentValueError, "n_children"),
        (lambda: qn.random.Philox(1).jumped(-1), qn.ArgumentValueError, "jumps"),
        (lambda: qn.random.Philox(1).advance(1.5), qn.ArgumentTypeError, "delta"),
        (lambda: qn.random.Philox(counter=1 << 94), qn.ArgumentValueError, "counter.*94 bits"),
        (lambda: qn.random.Philox(counter=-1), qn.ArgumentValueError, "counter"),
        (lambda: qn.random.Philox(counter="one"), qn.ArgumentTypeError, "counter"),
        (lambda: qn.random.Philox(key=[1, 1 << 64]), qn.ArgumentValueError, "key.*64 bits"),
        (lambda: qn.random.Philox(1).reserve(-1), qn.ArgumentValueError, "blocks"),
    ],
)
def test_bad_arguments_are_named(make, error, text):
    with pytest.raises(error, match=text):
        make()


@pytest.mark.parametrize(
    "state",
    [
        {},
        None,
        qn.random.Threefry(1).state,
        {**qn.random.Philox(1).state, "key": (1, 2)},
        {**qn.random.Philox(1).state, "position": -1},
        {**qn.random.Philox(1).state, "position": "here"},
    ],
)
def test_a_state_of_another_kind_is_refused(state):
    bits = qn.random.Philox(1)
    with pytest.raises(qn.ArgumentValueError, match="state"):
        bits.state = state
