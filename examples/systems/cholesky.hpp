// SPDX-License-Identifier: MIT
// Cholesky factorisation by tiles on a queue of any order, for the example and for the benchmark.
#pragma once

#include <cmath>
#include <cstddef>
#include <fstream>
#include <quern/quern.hpp>
#include <random>
#include <sstream>
#include <string>
#include <vector>

// The lower triangle of a symmetric matrix: tiles of size * size numbers, each in column-major order.
struct Tiles {
  std::size_t count, size;                 // tiles along an edge, rows of a tile
  std::vector<std::vector<double>> tiles;  // row by row

  [[nodiscard]] static std::size_t place(std::size_t i, std::size_t j) { return i * (i + 1) / 2 + j; }
  std::vector<double>& at(std::size_t i, std::size_t j) { return tiles[place(i, j)]; }
  [[nodiscard]] double element(std::size_t row, std::size_t column) const {
    return tiles[place(row / size, column / size)][column % size * size + row % size];
  }
  [[nodiscard]] std::size_t steps() const { return count * (count + 1) * (count + 2) / 6; }
};

// A diagonally dominant matrix of random numbers.
inline Tiles random_matrix(std::size_t count, std::size_t size) {
  Tiles a{count, size, std::vector<std::vector<double>>(count * (count + 1) / 2)};
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> number(-1, 1);
  for (std::vector<double>& tile : a.tiles) {
    tile.resize(size * size);
    for (double& each : tile) each = number(random);
  }
  for (std::size_t i = 0; i < count; ++i) {
    std::vector<double>& tile = a.at(i, i);
    for (std::size_t row = 0; row < size; ++row) {
      for (std::size_t column = 0; column < row; ++column)
        tile[row * size + column] = tile[column * size + row];
      tile[row * size + row] = static_cast<double>(2 * count * size);
    }
  }
  return a;
}

// The largest difference between `a` and factor * transpose(factor), for some rows.
inline double residual(const Tiles& a, const Tiles& factor) {
  const std::size_t n = a.count * a.size;
  double most = 0;
  for (std::size_t row = 0; row < n; row += 1 + n / 97) {
    for (std::size_t column = 0; column <= row; ++column) {
      double sum = 0;
      for (std::size_t k = 0; k <= column; ++k) sum += factor.element(row, k) * factor.element(column, k);
      most = std::max(most, std::abs(sum - a.element(row, column)));
    }
  }
  return most;
}

class Cholesky {
 public:
  // `kernels` is the folder of cholesky.cl.
  Cholesky(const std::string& kernels, std::size_t size)
      : program_(text_of(kernels + "/cholesky.cl"), options_of(size)),
        factor_(program_.kernel("factor")),
        solve_(program_.kernel("solve")),
        update_(program_.kernel("update")) {}

  // Enqueues all steps. What they wait for follows from the tiles that they use.
  void enqueue(const quern::Queue& queue, std::size_t count, const std::vector<quern::Buffer>& tiles) const {
    const auto at = [&](std::size_t i, std::size_t j) -> const quern::Buffer& {
      return tiles[Tiles::place(i, j)];
    };
    const quern::Range one = quern::range(1).with_local(1);
    for (std::size_t k = 0; k < count; ++k) {
      factor_(queue, one, at(k, k));
      for (std::size_t i = k + 1; i < count; ++i) solve_(queue, one, at(k, k), at(i, k));
      for (std::size_t i = k + 1; i < count; ++i)
        for (std::size_t j = k + 1; j <= i; ++j) update_(queue, one, at(i, k), at(j, k), at(i, j));
    }
  }

 private:
  static std::string text_of(const std::string& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  }
  static quern::ProgramOptions options_of(std::size_t size) {
    quern::ProgramOptions options;
    options.defines = {{"N", std::to_string(size)}};
    return options;
  }

  quern::Program program_;
  quern::Kernel factor_, solve_, update_;
};
