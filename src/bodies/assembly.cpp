// SPDX-License-Identifier: Apache-2.0
#include "freshet/bodies/assembly.hpp"

#include "freshet/core/contracts.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace freshet {
namespace {

constexpr double nothing = 1e-14;  ///< part of its reference below which a diagonal entry is rounding

/// The place of a body in an assembly. \pre it is there
int place_in(const std::vector<int>& bodies, int body) {
  return static_cast<int>(std::ranges::find(bodies, body) - bodies.begin());
}

Eigen::Map<const Eigen::VectorXd> as_vector(std::span<const double> values) {
  return {values.data(), static_cast<Eigen::Index>(values.size())};
}

}  // namespace

void SemidefiniteFactor::compute(const Eigen::MatrixXd& matrix, const Eigen::VectorXd& reference) {
  const auto n = static_cast<int>(matrix.rows());
  order_.resize(static_cast<std::size_t>(n));
  std::iota(order_.begin(), order_.end(), 0);
  scale_.resize(n);
  for (int i = 0; i < n; ++i) scale_[i] = matrix(i, i) > nothing * reference[i] ? 1.0 / std::sqrt(matrix(i, i)) : 0.0;
  lower_.noalias() = scale_.asDiagonal() * matrix * scale_.asDiagonal();
  for (rank_ = 0; rank_ < n; ++rank_) {
    const int k = rank_;
    int pivot = k;
    for (int i = k + 1; i < n; ++i)
      if (lower_(i, i) > lower_(pivot, pivot)) pivot = i;
    if (!(lower_(pivot, pivot) > dependent)) return;
    lower_.row(k).swap(lower_.row(pivot));
    lower_.col(k).swap(lower_.col(pivot));
    std::swap(order_[static_cast<std::size_t>(k)], order_[static_cast<std::size_t>(pivot)]);
    const double root = std::sqrt(lower_(k, k));
    lower_(k, k) = root;
    for (int i = k + 1; i < n; ++i) lower_(i, k) /= root;
    for (int j = k + 1; j < n; ++j)
      for (int i = k + 1; i < n; ++i) lower_(i, j) -= lower_(i, k) * lower_(j, k);
  }
}

void SemidefiniteFactor::solve(Eigen::VectorXd& right) {
  sorted_.setZero(right.size());
  for (int i = 0; i < rank_; ++i) {
    const int row = order_[static_cast<std::size_t>(i)];
    sorted_[i] = scale_[row] * right[row];
    for (int j = 0; j < i; ++j) sorted_[i] -= lower_(i, j) * sorted_[j];
    sorted_[i] /= lower_(i, i);
  }
  right.setZero();
  for (int i = rank_ - 1; i >= 0; --i) {
    for (int j = i + 1; j < rank_; ++j) sorted_[i] -= lower_(j, i) * sorted_[j];
    sorted_[i] /= lower_(i, i);
    const int row = order_[static_cast<std::size_t>(i)];
    right[row] = scale_[row] * sorted_[i];
  }
}

void SemidefiniteFactor::halve(Eigen::MatrixXd& columns) {
  sorted_columns_.resize(rank_, columns.cols());
  for (int i = 0; i < rank_; ++i) {
    const int row = order_[static_cast<std::size_t>(i)];
    sorted_columns_.row(i) = scale_[row] * columns.row(row);
    for (int j = 0; j < i; ++j) sorted_columns_.row(i) -= lower_(i, j) * sorted_columns_.row(j);
    sorted_columns_.row(i) /= lower_(i, i);
  }
  columns.topRows(rank_) = sorted_columns_;
}

Assembly::Assembly(std::vector<int> bodies, const std::vector<Joint>& joints, const std::vector<int>& numbers)
    : bodies_(std::move(bodies)) {
  for (const int number : numbers) {
    const Joint& joint = joints[static_cast<std::size_t>(number)];
    const int n = count_rows(joint.kind);
    members_.push_back(
        {number, place_in(bodies_, joint.body), joint.other < 0 ? -1 : place_in(bodies_, joint.other), n_rows_, n});
    n_rows_ += n;
  }
  const auto n = static_cast<Eigen::Index>(6 * bodies_.size());
  mass_.setZero(n, n);
  free_ = response_ = mass_;
  momenta_ = alone_ = velocities_ = displacement_ = Eigen::VectorXd::Zero(n);
  is_held_.assign(6 * bodies_.size(), 0);
  rows_ = moved_ = halved_ = Eigen::MatrixXd::Zero(n_rows_, n);
  system_ = Eigen::MatrixXd::Zero(n_rows_, n_rows_);
  reference_ = mended_ = impulses_ = of_rows_ = Eigen::VectorXd::Zero(n_rows_);
}

void Assembly::set_body(int place, const Mat6& mass, const Vec6& momentum) {
  if (place == 0) mass_.setZero();
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 6; ++j) mass_(6 * place + i, 6 * place + j) = mass(i, j);
  momenta_.segment<6>(6 * place) = momentum;
  std::fill_n(is_held_.begin() + 6 * place, 6, std::uint8_t{0});
}

void Assembly::add_drag(const Member& member, const JointRow& row, double factor) {
  const auto add = [&](int i, const Vec6& of_i, int j, const Vec6& of_j) {
    if (i >= 0 && j >= 0) mass_.block<6, 6>(6 * i, 6 * j) += factor * of_i * of_j.transpose();
  };
  add(member.body, row.body, member.body, row.body);
  add(member.body, row.body, member.other, row.other);
  add(member.other, row.other, member.body, row.body);
  add(member.other, row.other, member.other, row.other);
}

void Assembly::hold(int place, int axis, double velocity) {
  const int held = 6 * place + axis;
  for (Eigen::Index i = 0; i < mass_.rows(); ++i)
    if (is_held_[static_cast<std::size_t>(i)] == 0) momenta_[i] -= mass_(i, held) * velocity;
  mass_.row(held).setZero();
  mass_.col(held).setZero();
  mass_(held, held) = 1.0;
  momenta_[held] = velocity;
  is_held_[static_cast<std::size_t>(held)] = 1;
}

void Assembly::solve() {
  mass_factor_.compute(mass_);
  FRESHET_EXPECT(mass_factor_.info() == Eigen::Success);
  free_.setIdentity();
  mass_factor_.solveInPlace(free_);
  for (Eigen::Index i = 0; i < free_.rows(); ++i) {
    for (Eigen::Index j = 0; j < i; ++j) free_(i, j) = free_(j, i) = 0.5 * (free_(i, j) + free_(j, i));
    if (is_held_[static_cast<std::size_t>(i)] != 0) free_(i, i) = 0.0;
  }
  alone_ = momenta_;
  mass_factor_.solveInPlace(alone_);
  forget_mending();
}

void Assembly::forget_mending() {
  velocities_ = alone_;
  mended_.setZero();
}

void Assembly::set_rows(std::span<const JointRow> rows, std::span<const double> reference) {
  FRESHET_EXPECT(static_cast<int>(rows.size()) == n_rows_);
  rows_.setZero();
  for (const Member& member : members_)
    for (int r = member.first_row; r < member.first_row + member.n_rows; ++r) {
      const JointRow& row = rows[static_cast<std::size_t>(r)];
      rows_.block<1, 6>(r, 6 * member.body) += row.body.transpose();
      if (member.other >= 0) rows_.block<1, 6>(r, 6 * member.other) += row.other.transpose();
    }
  reference_ = as_vector(reference);
  moved_.noalias() = rows_.lazyProduct(free_);
  system_.noalias() = moved_.lazyProduct(rows_.transpose());
  factor_.compute(system_, reference_);
  halved_ = moved_;
  factor_.halve(halved_);
  const auto half = halved_.topRows(factor_.rank());
  response_ = free_;
  response_.noalias() -= half.transpose().lazyProduct(half);
}

void Assembly::mend(std::span<const double> rates) {
  of_rows_ = as_vector(rates);
  factor_.solve(of_rows_);
  mended_ += of_rows_;
  velocities_.noalias() -= moved_.transpose().lazyProduct(of_rows_);
}

void Assembly::rates(std::span<double> rates) const {
  Eigen::Map<Eigen::VectorXd>(rates.data(), n_rows_).noalias() = rows_.lazyProduct(velocities_);
}

const Eigen::VectorXd& Assembly::displacement(std::span<const double> errors) {
  of_rows_ = as_vector(errors);
  factor_.solve(of_rows_);
  displacement_.noalias() = -moved_.transpose().lazyProduct(of_rows_);
  return displacement_;
}

Vec6 Assembly::change(int place, std::span<const Vec6> impulses) const {
  Vec6 result = Vec6::Zero();
  for (std::size_t k = 0; k < bodies_.size(); ++k)
    result += response_.block<6, 6>(6 * place, 6 * static_cast<Eigen::Index>(k)) *
              impulses[static_cast<std::size_t>(bodies_[k])];
  return result;
}

void Assembly::find_impulses(std::span<const Vec6> impulses) {
  of_rows_.setZero();
  for (std::size_t k = 0; k < bodies_.size(); ++k)
    of_rows_ += moved_.middleCols<6>(6 * static_cast<Eigen::Index>(k)) * impulses[static_cast<std::size_t>(bodies_[k])];
  factor_.solve(of_rows_);
  impulses_ = mended_ + of_rows_;
}

Vec6 Assembly::impulse_on(const Member& member, int place) const {
  Vec6 result = Vec6::Zero();
  if (place < 0) return result;
  for (int r = member.first_row; r < member.first_row + member.n_rows; ++r)
    result -= rows_.block<1, 6>(r, 6 * place).transpose() * impulses_[r];
  return result;
}

std::vector<Assembly> make_assemblies(int n_bodies, const std::vector<Joint>& joints) {
  std::vector<int> first(static_cast<std::size_t>(n_bodies));  // lowest number of those that a body is joined to
  std::iota(first.begin(), first.end(), 0);
  std::vector<std::uint8_t> is_joined(first.size(), 0);
  for (const Joint& joint : joints) {
    is_joined[static_cast<std::size_t>(joint.body)] = 1;
    if (joint.other < 0) continue;
    is_joined[static_cast<std::size_t>(joint.other)] = 1;
    const auto [low, high] =
        std::minmax(first[static_cast<std::size_t>(joint.body)], first[static_cast<std::size_t>(joint.other)]);
    const int from = high, to = low;
    for (int& of_body : first)
      if (of_body == from) of_body = to;
  }
  std::vector<Assembly> assemblies;
  for (int n = 0; n < n_bodies; ++n) {
    if (first[static_cast<std::size_t>(n)] != n || is_joined[static_cast<std::size_t>(n)] == 0) continue;
    std::vector<int> bodies, numbers;
    for (int m = n; m < n_bodies; ++m)
      if (first[static_cast<std::size_t>(m)] == n) bodies.push_back(m);
    for (std::size_t j = 0; j < joints.size(); ++j)
      if (first[static_cast<std::size_t>(joints[j].body)] == n) numbers.push_back(static_cast<int>(j));
    assemblies.emplace_back(std::move(bodies), joints, numbers);
  }
  return assemblies;
}

}  // namespace freshet
