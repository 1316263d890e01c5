// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/core/exact_sum.hpp"
#include "freshet/pressure/poisson.hpp"
#include "pressure/null_space/unanchored.hpp"
#include "pressure/operator/unknowns.hpp"

#include <vector>

namespace freshet::pressure {

/// A forest of numbered trees: which belong together. The root is the smallest number of its tree.
class UnionFind {
 public:
  void reset(LocalIndex n);
  LocalIndex root(LocalIndex n) {
    while (parent_[n] != n) {
      parent_[n] = parent_[parent_[n]];
      n = parent_[n];
    }
    return n;
  }
  void join(LocalIndex a, LocalIndex b);

 private:
  std::vector<LocalIndex> parent_;
};

/// Connected bodies of unknowns that touch neither air nor any other fixed pressure. Each makes A singular: the
/// pressure in it is known up to a constant.
///
/// Most steps have none: where every unknown is anchored inside its rank, nothing more is done. Else the pieces of
/// unanchored unknowns (what is connected inside one block) are joined over blocks here by union-find, and only their
/// rims are compared with other ranks, by spreading the smallest label. Bodies are numbered by their first cells, and
/// what is summed over them has the same bits on any number of ranks and threads.
class SealedBodies {
 public:
  /// Look for unknowns that this rank cannot tell to be anchored. Both arguments must outlive resolve(). Parallel:
  /// local \return number of blocks with such unknowns; where the sum over ranks is 0 there are no sealed bodies
  GlobalIndex look(const PoissonCoefficients& coefficients, const Unknowns& unknowns);
  /// Find the sealed bodies among them. Parallel: collective
  void resolve();
  GlobalIndex count() const { return static_cast<GlobalIndex>(sizes_.size()); }
  /// Subtract from every sealed body's unknowns their mean. Returns the norm of what was subtracted, over all ranks.
  /// Parallel: collective if count() > 0; OpenMP
  double remove_means(double* values);

  /// Consecutive unknowns of one body, all in one block.
  struct Span {
    LocalIndex begin;
    LocalIndex end;
    LocalIndex body;
  };
  const std::vector<Span>& spans() const { return spans_; }

 private:
  /// A rim cell of another rank that a body here is joined with.
  struct Contact {
    LocalIndex piece;
    LocalIndex slot;
    LocalIndex cell;
  };
  bool is_one_piece(LocalIndex block) const;
  LocalIndex piece_of(LocalIndex block, int cell) const {
    return first_piece_[block] + (is_one_piece(block) ? 0 : piece_[block * cells_ + cell]);
  }
  template <class Shape>
  void join_pieces();
  template <class Shape>
  void split_block(LocalIndex block);
  void describe_pieces();
  template <class Shape, int axis>
  void join_across_low_face(LocalIndex block);
  template <class Shape, int axis>
  void find_contacts_across(LocalIndex block);
  GlobalIndex own_label(LocalIndex piece) const;
  void label_bodies();
  void spread_labels();
  void number_bodies();
  void list_spans();
  void append_span(LocalIndex begin, LocalIndex end, LocalIndex piece);

  const PoissonCoefficients* system_ = nullptr;
  const Unknowns* unknowns_ = nullptr;
  int cells_ = 0;
  Unanchored unanchored_;
  std::vector<std::int16_t> piece_;      ///< of each cell of a block that is not one piece; -1 for anchored ones
  std::vector<LocalIndex> first_piece_;  ///< of each owned block; n_owned + 1
  std::vector<LocalIndex> piece_block_;
  std::vector<LocalIndex> piece_first_cell_;
  UnionFind joined_;
  std::vector<Contact> contacts_;
  std::vector<GlobalIndex> label_;  ///< of roots: 0 anchored after all, else 1 + the smallest cell number of the body
  CellField<GlobalIndex> rim_labels_;
  std::vector<GlobalIndex> body_labels_;  ///< of all sealed bodies, ascending
  std::vector<double> sizes_;             ///< unknowns of each body on all ranks
  std::vector<Span> spans_;
  std::vector<double> span_sums_;
  std::vector<ExactSum> exact_sums_;
  std::vector<double> body_sums_;
};

}  // namespace freshet::pressure
