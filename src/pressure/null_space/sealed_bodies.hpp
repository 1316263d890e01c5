// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/core/exact_sum.hpp"
#include "freshet/pressure/poisson.hpp"
#include "pressure/null_space/flood.hpp"
#include "pressure/operator/unknowns.hpp"

#include <utility>
#include <vector>

namespace freshet::pressure {

/// Connected bodies of unknowns that touch neither air nor any other fixed pressure. Each of them makes A singular: the
/// pressure in the body is known up to a constant.
///
/// Most steps have none: where every unknown is connected inside its rank with an anchored one, nothing more is done.
/// The other unknowns form local bodies (connected inside the rank). Only the rims of local bodies are compared with
/// other ranks: the smallest label spreads, and 0 is the label of anchored unknowns. Bodies are numbered by their first
/// cells, and sums over a body have the same bits on any number of ranks and threads.
///
/// A rank deep in the water touches no air and is in doubt in every step, while labels walk from rank to rank. The
/// number of ranks that 0 has walked over is kept, by block, as the depth of a local body. Where next time each body
/// touches one of a smaller depth, or of anchored unknowns, which have depth 0, all are anchored again: one exchange
/// and one reduction show it, on any number of ranks.
class SealedBodies {
 public:
  /// Find the unknowns that are not connected, inside this rank, with an anchored one. Both arguments must outlive
  /// resolve(). Returns the number of blocks with such unknowns: if its sum over ranks is 0 there are no sealed bodies.
  /// Parallel: local
  GlobalIndex find_unanchored(const PoissonCoefficients& coefficients, const Unknowns& unknowns);
  /// Find the sealed bodies among them. What is kept from one call to the next saves work, and changes no result.
  /// Parallel: collective
  void resolve();
  /// How often resolve() asked all ranks whether labels still spread: a reduction each.
  int n_agreements() const { return n_agreements_; }
  GlobalIndex count() const { return static_cast<GlobalIndex>(sizes_.size()); }
  /// Subtract from every sealed body's unknowns their mean, in an array of unknowns. Returns the norm of what was
  /// subtracted, over all ranks. Parallel: collective if count() > 0; OpenMP
  double remove_means(double* values);
  /// The sum over each body of what the last remove_means() got. The same on all ranks
  std::vector<double> sums() const;
  /// The body of an owned cell; -1: it belongs to none. Parallel: local
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
  int cells_ = 0;  ///< of a block
  int n_agreements_ = 0;
  bool has_depths_ = false;  ///< of the last call, which found no sealed body; the same on all ranks
  Flood flood_;
  std::vector<Part> parts_;  ///< of local bodies; after resolve() of sealed ones
  std::vector<Contact> contacts_;
  std::vector<GlobalIndex> own_label_;  ///< of local bodies: 1 + the number of the first cell in the global order
  std::vector<GlobalIndex> label_;      ///< of local bodies: the smallest one that has arrived; 0: anchored after all
  std::vector<GlobalIndex> depth_;      ///< of local bodies: ranks that the label 0 has walked over
  std::vector<std::pair<BlockKey, int>> depth_of_block_;  ///< at the last call, the least of its bodies, by key
  CellField<GlobalIndex> rim_labels_;
  std::vector<GlobalIndex> body_labels_;  ///< of all sealed bodies, ascending
  std::vector<double> sizes_;             ///< unknowns of each body on all ranks
  std::vector<double> part_sums_;
  std::vector<ExactSum> body_sums_;
  std::vector<double> means_;
};

}  // namespace freshet::pressure
