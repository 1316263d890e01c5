// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/core/exact_sum.hpp"
#include "freshet/pressure/poisson.hpp"
#include "pressure/null_space/flood.hpp"
#include "pressure/operator/unknowns.hpp"

#include <utility>
#include <vector>

namespace freshet::pressure {

/// Finds connected bodies of unknowns that touch neither air nor another fixed pressure. Each makes A singular: its
/// pressure is determined up to a constant.
///
/// Most steps have none: if every unknown is connected within its rank with an anchored one, nothing more is done. The
/// other unknowns form local bodies, which are connected within the rank. Only the rims of local bodies are compared
/// with other ranks: the smallest label spreads, and anchored unknowns have label 0. Bodies are numbered by their first
/// cells, and sums over a body have the same bits on any number of ranks and threads.
///
/// The unknowns of a rank deep in the water touch no air, and their labels change in every step while 0 spreads from
/// rank to rank. The depth of a local body is the number of ranks that 0 has crossed to it; depths are kept by block.
/// If in the next step each body touches one of smaller depth, or anchored unknowns, of depth 0, then all are anchored
/// again. One exchange and one reduction show this on any number of ranks.
class SealedBodies {
 public:
  /// Find the unknowns that are not connected with an anchored one within this rank. Both arguments must outlive
  /// resolve(). Returns the number of blocks with such unknowns: if its sum over ranks is 0 there are no sealed bodies.
  /// Parallel: local
  GlobalIndex find_unanchored(const PoissonCoefficients& coefficients, const Unknowns& unknowns);
  /// Find the sealed bodies among these unknowns. Depths kept between calls save work and change no result.
  /// Parallel: collective
  void resolve();
  /// Number of reductions in which resolve() asked whether labels still spread.
  int n_agreements() const { return n_agreements_; }
  GlobalIndex count() const { return static_cast<GlobalIndex>(sizes_.size()); }
  /// Subtract every sealed body's mean in an array of unknowns. Returns the norm of the subtracted values over all
  /// ranks. Parallel: collective if count() > 0; OpenMP
  double remove_means(double* values);
  /// Sum over each body of the last remove_means()'s values before it. The same on all ranks
  std::vector<double> sums() const;
  double size(int body) const { return sizes_[static_cast<std::size_t>(body)]; }  ///< number of unknowns on all ranks
  const Communicator& comm() const { return unknowns_->layout().comm(); }
  /// The body of an owned cell; -1: none. Parallel: local
  LocalIndex body_at(LocalIndex block, int cell) const;
  /// Add to every body's unknowns a constant of its own, in an array of unknowns. Parallel: local; OpenMP
  void add(std::span<const double> constants, double* values) const;

  /// Cells of a body in one block.
  struct Part {
    BlockCells cells;
    LocalIndex body;
  };
  /// The sealed bodies' cells on this rank, by block and body.
  const std::vector<Part>& parts() const { return parts_; }

 private:
  /// A rim cell of another rank that is connected with a local body.
  struct Contact {
    LocalIndex body;
    LocalIndex slot;
    LocalIndex cell;
  };
  void find_local_bodies();
  template <class Shape>
  void find_contacts(const Part& part);
  void find_all_contacts();
  bool are_anchored_as_before();
  bool spread_labels();
  bool spread_to_neighbours(int round);
  void gather_rims(const std::vector<GlobalIndex>& of_bodies);
  int depth_before(LocalIndex block) const;
  void keep_depths();
  std::vector<GlobalIndex> named_here() const;
  void number_bodies();
  void keep_sealed_parts();
  template <class Function>
  void for_each_row(const Part& part, double* values, Function&& f) const;

  const PoissonCoefficients* system_ = nullptr;
  const Unknowns* unknowns_ = nullptr;
  int cells_ = 0;  ///< number of cells in a block
  int n_agreements_ = 0;
  bool has_depths_ = false;  ///< depths are known: the last call found no sealed body; same on all ranks
  Flood flood_;
  std::vector<Part> parts_;  ///< parts of local bodies; after resolve() of sealed ones
  std::vector<Contact> contacts_;
  std::vector<GlobalIndex> own_label_;  ///< by local body: 1 + the number of the first cell in the global order
  std::vector<GlobalIndex> label_;      ///< by local body: smallest label that has arrived; 0: anchored
  std::vector<GlobalIndex> depth_;      ///< by local body: ranks that the label 0 has crossed to it
  std::vector<std::pair<BlockKey, int>> depth_of_block_;  ///< by key: smallest depth of its bodies, last call
  CellField<GlobalIndex> rim_labels_;
  std::vector<GlobalIndex> body_labels_;  ///< labels of all sealed bodies, ascending
  std::vector<double> sizes_;             ///< number of unknowns of each body on all ranks
  std::vector<double> part_sums_;
  std::vector<ExactSum> body_sums_;
  std::vector<double> means_;
};

}  // namespace freshet::pressure
