// SPDX-License-Identifier: Apache-2.0
#include "pressure/null_space/sealed_modes.hpp"

#include "freshet/core/exact_sum.hpp"

#include <Eigen/Eigenvalues>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace freshet::pressure {
namespace {

/// Constants that move bodies less than this part of what their faces alone would do move none: areas whose sum is 0
/// but for rounding. It compares squares.
constexpr double as_good_as_null = 1e-11;

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

/// The places in a symmetric matrix, row by row, that nonzero entries connect with each other.
std::vector<std::vector<int>> connected_parts(const std::vector<double>& matrix, int n) {
  std::vector<std::vector<int>> parts;
  std::vector<std::uint8_t> is_found(static_cast<std::size_t>(n), 0);
  for (int first = 0; first < n; ++first) {
    if (is_found[static_cast<std::size_t>(first)] != 0) continue;
    std::vector<int> part{first};
    is_found[static_cast<std::size_t>(first)] = 1;
    for (std::size_t next = 0; next < part.size(); ++next)
      for (int j = 0; j < n; ++j) {
        if (matrix[static_cast<std::size_t>(part[next] * n + j)] == 0.0 || is_found[static_cast<std::size_t>(j)] != 0)
          continue;
        is_found[static_cast<std::size_t>(j)] = 1;
        part.push_back(j);
      }
    parts.push_back(std::move(part));
  }
  return parts;
}

}  // namespace

void SealedModes::set(SealedBodies& sealed, Regions* regions) {
  sealed_ = &sealed;
  touches_.clear();
  touched_.clear();
  null_.clear();
  opened_.clear();
  n_null_ = static_cast<int>(sealed.count());
  is_film_.assign(static_cast<std::size_t>(n_null_), 0);
  if (n_null_ == 0 || regions == nullptr) return;
  leave_films(*regions);
  find_touches(*regions);
  if (touches_.empty()) return;
  find_products(*regions);
  split();
  n_null_ = n_null_ - static_cast<int>(touched_.size()) + static_cast<int>(null_.size());
}

/// Find the films, and take the regions' rows in them away. Collective
void SealedModes::leave_films(Regions& regions) {
  std::vector<std::pair<LocalIndex, int>> cells;
  regions.for_each_row([&](int region, LocalIndex block, int cell, std::span<const double>) {
    if (regions.columns_of(region) > 1) cells.emplace_back(block, cell);  // a bubble has one column
  });
  std::ranges::sort(cells);
  cells.erase(std::unique(cells.begin(), cells.end()), cells.end());
  std::vector<GlobalIndex> n_touched(is_film_.size(), 0);
  for (const auto& [block, cell] : cells)
    if (const LocalIndex body = sealed_->body_at(block, cell); body >= 0) ++n_touched[static_cast<std::size_t>(body)];
  sealed_->comm().sum_in_place(std::span<GlobalIndex>(n_touched));
  for (std::size_t body = 0; body < is_film_.size(); ++body)
    is_film_[body] = static_cast<double>(n_touched[body]) == sealed_->size(static_cast<int>(body)) ? 1 : 0;
  regions.clear_rows([this](LocalIndex block, int cell) {
    const LocalIndex body = sealed_->body_at(block, cell);
    return body >= 0 && is_film_[static_cast<std::size_t>(body)] != 0;
  });
}

/// Find which regions have rows in which sealed bodies. Collective
void SealedModes::find_touches(const Regions& regions) {
  const auto n_regions = static_cast<std::size_t>(regions.count());
  std::vector<GlobalIndex> rows(static_cast<std::size_t>(sealed_->count()) * n_regions, 0);
  regions.for_each_row([&](int region, LocalIndex block, int cell, std::span<const double>) {
    if (const LocalIndex body = sealed_->body_at(block, cell);
        body >= 0 && is_film_[static_cast<std::size_t>(body)] == 0)
      ++rows[static_cast<std::size_t>(body) * n_regions + static_cast<std::size_t>(region)];
  });
  sealed_->comm().sum_in_place(std::span<GlobalIndex>(rows));
  for (std::size_t n = 0; n < rows.size(); ++n) {
    if (rows[n] == 0) continue;
    const auto body = static_cast<int>(n / n_regions);
    touches_.push_back({body, static_cast<int>(n % n_regions)});
    if (touched_.empty() || touched_.back() != body) touched_.push_back(body);
  }
}

/// Find T, and G with its reference. Collective
void SealedModes::find_products(const Regions& regions) {
  std::map<std::pair<int, int>, std::size_t> first_of;  // first sum by body and region
  std::size_t n_sums = 0;
  for (const Touch& touch : touches_) {
    first_of[{touch.body, touch.region}] = n_sums;
    n_sums += 2 * static_cast<std::size_t>(regions.columns_of(touch.region));
  }
  std::vector<ExactSum> sums(n_sums);
  regions.for_each_row([&](int region, LocalIndex block, int cell, std::span<const double> row) {
    const LocalIndex body = sealed_->body_at(block, cell);
    if (body < 0 || is_film_[static_cast<std::size_t>(body)] != 0) return;
    ExactSum* const of_touch = &sums[first_of.at({static_cast<int>(body), region})];
    for (std::size_t i = 0; i < row.size(); ++i) {
      of_touch[2 * i].add(row[i]);
      of_touch[2 * i + 1].add(std::abs(row[i]));
    }
  });
  sealed_->comm().sum_in_place(std::span<ExactSum>(sums));
  const auto n = touched_.size();
  const auto n_columns = static_cast<std::size_t>(regions.columns());
  products_.assign(n * n_columns, 0.0);
  magnitudes_.assign(n * n_columns, 0.0);
  for (const Touch& touch : touches_) {
    const auto k = static_cast<std::size_t>(std::ranges::lower_bound(touched_, touch.body) - touched_.begin());
    const std::size_t at = k * n_columns + static_cast<std::size_t>(regions.first_column(touch.region));
    const ExactSum* const of_touch = &sums[first_of.at({touch.body, touch.region})];
    for (std::size_t i = 0; i < static_cast<std::size_t>(regions.columns_of(touch.region)); ++i) {
      products_[at + i] = of_touch[2 * i].round();
      magnitudes_[at + i] = of_touch[2 * i + 1].round();
    }
  }
  std::vector<double> moved(n_columns);
  const std::vector<double> diagonal = regions.matrix_diagonal();
  system_.assign(n * n, 0.0);
  reference_.assign(n, 0.0);
  for (std::size_t k = 0; k < n; ++k) {
    regions.multiply_matrix(std::span(products_).subspan(k * n_columns, n_columns), moved);
    for (std::size_t j = 0; j <= k; ++j) {
      double sum = 0.0;
      for (std::size_t i = 0; i < n_columns; ++i) sum += products_[j * n_columns + i] * moved[i];
      system_[j * n + k] = system_[k * n + j] = sum;
    }
    for (std::size_t i = 0; i < n_columns; ++i)
      reference_[k] += magnitudes_[k * n_columns + i] * magnitudes_[k * n_columns + i] * std::abs(diagonal[i]);
  }
}

/// Split the constants of the touched bodies into null modes and those that regions determine.
void SealedModes::split() {
  const auto n = static_cast<int>(touched_.size());
  for (const std::vector<int>& part : connected_parts(system_, n)) {
    const auto m = static_cast<Eigen::Index>(part.size());
    Eigen::MatrixXd scaled(m, m);
    Eigen::VectorXd scale(m);
    const auto of = [&](Eigen::Index i) { return static_cast<std::size_t>(part[static_cast<std::size_t>(i)]); };
    for (Eigen::Index i = 0; i < m; ++i) scale[i] = reference_[of(i)] > 0.0 ? 1.0 / std::sqrt(reference_[of(i)]) : 1.0;
    for (Eigen::Index i = 0; i < m; ++i)
      for (Eigen::Index j = 0; j < m; ++j)
        scaled(i, j) = scale[i] * scale[j] * system_[of(i) * static_cast<std::size_t>(n) + of(j)];
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(scaled);
    for (Eigen::Index mode = 0; mode < m; ++mode) {
      const double stiffness = solver.eigenvalues()[mode];
      const bool is_null = !(stiffness > as_good_as_null);
      std::vector<double> vector(static_cast<std::size_t>(n), 0.0);
      for (Eigen::Index i = 0; i < m; ++i)
        vector[of(i)] = scale[i] * solver.eigenvectors()(i, mode) / (is_null ? 1.0 : std::sqrt(stiffness));
      (is_null ? null_ : opened_).push_back(std::move(vector));
    }
  }
  std::vector<double> weighted(static_cast<std::size_t>(n));
  for (std::size_t mode = 0; mode < null_.size(); ++mode) {  // Gram and Schmidt, with the sizes as weights
    std::vector<double>& vector = null_[mode];
    const auto weigh = [&] {
      for (std::size_t k = 0; k < vector.size(); ++k) weighted[k] = vector[k] * sealed_->size(touched_[k]);
    };
    for (std::size_t other = 0; other < mode; ++other) {
      weigh();
      const double part = dot(weighted, null_[other]);
      for (std::size_t k = 0; k < vector.size(); ++k) vector[k] -= part * null_[other][k];
    }
    weigh();
    const double norm = std::sqrt(dot(weighted, vector));
    double sum = 0.0;
    for (const double value : weighted) sum += value;
    for (double& value : vector) value *= (sum < 0.0 ? -1.0 : 1.0) / norm;
  }
}

double SealedModes::remove_null(double* values) {
  if (n_null_ == 0) {
    removed_.assign(sealed_ != nullptr ? static_cast<std::size_t>(sealed_->count()) : 0, 0.0);
    return 0.0;
  }
  const double all = sealed_->remove_means(values);
  removed_ = sealed_->sums();
  if (std::ranges::find(is_film_, 1) == is_film_.end() && touched_.empty()) return all;
  std::vector<double> sums(touched_.size()), shifts(removed_.size(), 0.0);
  for (std::size_t k = 0; k < touched_.size(); ++k) sums[k] = removed_[static_cast<std::size_t>(touched_[k])];
  std::vector<double> taken(touched_.size(), 0.0);
  double squares = 0.0;
  for (const std::vector<double>& mode : null_) {
    const double part = dot(mode, sums);
    squares += part * part;
    for (std::size_t k = 0; k < taken.size(); ++k) taken[k] += part * mode[k];
  }
  for (std::size_t k = 0; k < touched_.size(); ++k) {
    const double size = sealed_->size(touched_[k]);
    const auto body = static_cast<std::size_t>(touched_[k]);
    shifts[body] = sums[k] / size - taken[k];  // what is not along null modes comes back
    removed_[body] = taken[k] * size;
  }
  for (std::size_t body = 0; body < removed_.size(); ++body)
    if (is_film_[body] == 0 && !std::ranges::binary_search(touched_, static_cast<int>(body)))
      squares += removed_[body] * removed_[body] / sealed_->size(static_cast<int>(body));
  sealed_->add(shifts, values);
  return std::sqrt(squares);
}

void SealedModes::take_constants(double* r) {
  sealed_->remove_means(r);
  const std::vector<double> sums = sealed_->sums();
  sums_.resize(touched_.size());
  for (std::size_t k = 0; k < touched_.size(); ++k) sums_[k] = sums[static_cast<std::size_t>(touched_[k])];
}

void SealedModes::add_opened(double* z) {
  sealed_->remove_means(z);
  std::vector<double> shifts(static_cast<std::size_t>(sealed_->count()), 0.0);
  for (const std::vector<double>& mode : opened_) {
    const double part = dot(mode, sums_);
    for (std::size_t k = 0; k < touched_.size(); ++k) shifts[static_cast<std::size_t>(touched_[k])] += part * mode[k];
  }
  sealed_->add(shifts, z);
}

void SealedModes::raise(std::vector<double>& shifts, double none) const {
  constexpr double rounding = 1e-9;
  std::vector<double> wanted(touched_.size());
  for (std::size_t k = 0; k < touched_.size(); ++k)
    wanted[k] = std::exchange(shifts[static_cast<std::size_t>(touched_[k])], 0.0);
  for (double& shift : shifts)
    if (shift == -none) shift = 0.0;
  for (const std::vector<double>& mode : null_) {
    const double least = rounding * *std::ranges::max_element(mode);
    if (*std::ranges::min_element(mode) < -least)
      continue;  // the mode would lower the constants of some bodies while it raises others
    double factor = -none;
    for (std::size_t k = 0; k < mode.size(); ++k)
      if (mode[k] > least && wanted[k] != -none) factor = std::max(factor, wanted[k] / mode[k]);
    if (factor == -none) continue;
    for (std::size_t k = 0; k < mode.size(); ++k) {
      shifts[static_cast<std::size_t>(touched_[k])] += factor * mode[k];
      if (wanted[k] != -none) wanted[k] -= factor * mode[k];
    }
  }
}

}  // namespace freshet::pressure
