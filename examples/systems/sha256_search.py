# SPDX-License-Identifier: MIT
"""A search by brute force: which number makes the SHA-256 hash of a text begin with many zero bits?

Shows kernels on integers, atomic operations, one kernel file used by two programs, and work in blocks: the host asks for the result
of a block while the device computes the next one. hashlib checks the answer.

    python examples/systems/sha256_search.py --text "Hello" --bits 26
"""

import argparse
import hashlib
import sys
from pathlib import Path

import numpy as np

import quern as qn

sys.path.append(str(Path(__file__).parents[1]))  # examples/, where pictures.py and kernels/ are
from pictures import FIRE, colours, save_png

SOURCE = (Path(__file__).parents[1] / "kernels" / "sha256.cl").read_text()
SOURCE += """
// The number is written as eight hexadecimal digits over words at and at + 1 of the message, which is one block.
uint digits(uint part) {
  uint word = 0;
  for (int k = 12; k >= 0; k -= 4) {
    const uint digit = part >> k & 15;
    word = word << 8 | (digit < 10 ? '0' + digit : 'a' + digit - 10);
  }
  return word;
}

kernel void search(global const uint *message, int at, uint first, uint wanted, global uchar *zeros, global uint *found) {
  const uint number = first + get_global_id(0);
  uint block[16];
  for (int i = 0; i < 16; i++) block[i] = message[i];
  block[at] = digits(number >> 16);
  block[at + 1] = digits(number & 0xffff);
  State state = {{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19}};
  add_block(&state, block);
  const uint leading = clz(state.h[0]);  // 32 at most
  zeros[get_global_id(0)] = leading;
  if (leading >= wanted) atomic_min(found, number);
}
"""
NOTHING = 0xFFFFFFFF


def message_of(text):
    """The one block that is hashed, as 16 words, and the word where the number is: the text is filled up with dots."""
    text = text.encode()
    text += b"." * (-len(text) % 4)
    if len(text) > 44:
        raise ValueError("the text, the number and the length have 64 bytes")
    block = bytearray(64)
    block[: len(text) + 9] = text + b"00000000\x80"
    block[56:] = (8 * (len(text) + 8)).to_bytes(8, "big")
    return text.decode(), np.frombuffer(bytes(block), ">u4").astype(np.uint32), len(text) // 4


def search(text, bits, block=1 << 18, most=1 << 31):
    """The first number whose hash begins with so many zero bits (None if there is none), and the zeros of the first block."""
    _, words, at = message_of(text)
    kernel, message = qn.Program(SOURCE).search, qn.asarray(words)
    found = qn.full(1, NOTHING, dtype="uint32")
    first_zeros, result = None, None
    for first in range(0, most, block):
        zeros = qn.empty(block, "uint8")
        kernel(None, block, None, message, at, first, bits, zeros, found)
        first_zeros = zeros if first_zeros is None else first_zeros
        if result is not None and int(result.result()[0]) != NOTHING:  # of the block before
            break
        result = found.get_async()
    number = int(found.get()[0])
    return None if number == NOTHING else number, first_zeros


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--text", default="The first hour")
    parser.add_argument("--bits", type=int, default=22, help="zeros at the begin of the hash")
    parser.add_argument("--output", type=Path, default=Path("demo-output/sha256_search.png"))
    options = parser.parse_args()

    number, zeros = search(options.text, options.bits)
    if number is None:
        raise SystemExit("no number has such a hash")
    text = f"{message_of(options.text)[0]}{number:08x}"
    digest = hashlib.sha256(text.encode()).hexdigest()
    print(f"{qn.current_device()}: tried {number + 1:,} numbers")
    print(f"{text}\n{digest}")
    assert int(digest, 16) >> (256 - options.bits) == 0

    # Every pixel is a number; the brighter, the more zeros its hash has.
    save_png(options.output, colours(zeros.get().reshape(512, 512)[:256], FIRE, 0, 14))
    print(f"saved {options.output}")


if __name__ == "__main__":
    main()
