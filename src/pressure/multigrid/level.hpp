// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/core/parallel_for.hpp"
#include "freshet/pressure/poisson.hpp"
#include "pressure/multigrid/block_array.hpp"
#include "pressure/multigrid/grids.hpp"
#include "pressure/operator/unknowns.hpp"

#include <array>
#include <span>
#include <vector>

namespace freshet::pressure {

/// Least number of blocks of a level for which threads share the work: waking them takes time.
constexpr LocalIndex blocks_worth_threads = 64;

/// Call f(n) for n in [0, count), shared evenly among threads. \pre f throws nothing
template <class Function>
void share_blocks(LocalIndex count, Function&& f) {
  share_evenly(count >= blocks_worth_threads, count, f);
}
/// Call f(n) for n in [begin, end), shared evenly among threads.
template <class Function>
void share_blocks(LocalIndex begin, LocalIndex end, Function&& f) {
  share_blocks(end - begin, [begin, &f](LocalIndex n) { f(begin + n); });
}

/// The part of the equations that is computed anew.
enum class Refresh { everything, diagonal };

/// One level of the hierarchy: the equations diagonal_c x_c - sum_n w_n x_n = b_c in float32, and their smoothing.
///
/// Equations of coarser levels are divided by half the number of fine faces in a coarse one, so that inside a plain
/// body all weights are 1 on every level. MultigridGrid lists the blocks of the arrays, checkerboard.hpp gives the
/// order of their cells. x is 0 without an unknown.
class MultigridLevel {
 public:
  /// Allocate x and b. Parallel: local; OpenMP
  void bind(const MultigridGrid& grid);

  /// \name Equations. Each adds the contributions of this rank's blocks to the parents' arrays in `coarse`, if given.
  /// Parallel: local; OpenMP
  ///@{
  void take_system(const PoissonCoefficients& coefficients, const Unknowns& unknowns, MultigridLevel* coarse);
  /// take_system() if only the diagonals in `changed_blocks` have changed.
  void update_system(const PoissonCoefficients& coefficients, const Unknowns& unknowns,
                     std::span<const LocalIndex> changed_blocks, MultigridLevel* coarse);
  void restrict_system(Refresh refresh, MultigridLevel& coarse) const;
  ///@}
  /// Set the equations to 0 before the finer level's blocks contribute.
  void clear_system();
  /// Send contributions to blocks of other ranks to their owners. Collective over the ranks of the finer level
  void collect_system(const MultigridGrid& finer, Refresh refresh);
  /// Turn the sums over aggregates into equations (aggregation.hpp), invert the diagonals and list the blocks with an
  /// unknown, after collect_system(). Collective over the ranks that have the level; OpenMP
  void complete_system(Refresh refresh);

  /// One block with an unknown.
  struct Block {
    LocalIndex number;                           ///< number in the layout
    std::array<LocalIndex, n_faces> neighbours;  ///< blocks of x; the background for blocks without an unknown
    std::array<std::uint32_t, 2> vectors;        ///< for each colour, bits of the vectors that hold an unknown
    LocalIndex inverse;                          ///< place in the array of inverse diagonals
    LocalIndex weights;                          ///< place in the arrays of weights; all_one
  };
  static constexpr LocalIndex all_one = -1;  ///< Block::weights if every weight between unknowns is 1
  const std::vector<Block>& blocks() const { return blocks_; }
  LocalIndex n_blocks() const { return static_cast<LocalIndex>(blocks_.size()); }
  const MultigridGrid& grid() const { return *grid_; }

  BlockArray<float>& x() { return x_; }
  BlockArray<float>& b() { return b_; }
  const BlockArray<float>& inverse() const { return inverse_; }
  const BlockArray<Weight>& weight() const { return weight_; }
  const BlockArray<float>& excess() const { return excess_; }

  /// A range of blocks().
  struct Stretch {
    LocalIndex begin = 0, end = 0;
  };
  Stretch all_blocks() const { return {0, n_blocks()}; }
  /// Gather ghosts of one colour; meanwhile call work(stretch) for blocks that need none of them, then for the others.
  /// \pre work changes no cell of that colour. Collective over the ranks that have the level
  template <class Work>
  void gather_during(Colour colour, Work&& work);
  /// Half-sweep: solve for the cells of one colour. \pre ghosts of the other colour. Parallel: local; OpenMP
  void relax(Colour colour, Stretch stretch);
  /// relax() for all blocks.
  void relax(Colour colour) { relax(colour, all_blocks()); }
  /// relax() for the even cells if the odd cells are 0.
  void relax_even_from_zero();
  void relax_even_from_zero(const Block& block);
  /// Gather the ghosts of odd cells, and set the next level's right-hand side from the residual, which is 0 in the odd
  /// cells after relax(odd).
  void restrict_residual(MultigridLevel& coarse);
  /// Add the coarser level's solution to the even cells; relax(odd) comes next and reads no others.
  void prolong(MultigridLevel& coarse);

  /// relax() for one block of blocks().
  template <class Shape>
  void relax_block(const Block& block, Colour colour);

 private:
  int dimension() const { return grid_->layout->domain().dimension(); }
  const BlockLayout& layout() const { return *grid_->layout; }
  /// The part of an array of this level that holds the finer level's stand-ins.
  template <class T>
  T* stand_ins(BlockArray<T>& array) const {
    return array.block(layout().n_slots());
  }
  int n_weights_of_block() const { return 2 * dimension() * layout().cells_per_block(); }
  template <class Shape>
  ColourStar values_around(const Block& block, Colour colour) const;
  template <class Shape>
  void even_residual(const Block& block, float* residual) const;
  void list_blocks();
  template <class Shape>
  void take_block(const PoissonCoefficients& coefficients, const Unknowns& unknowns, Refresh refresh, Block& block,
                  MultigridLevel* coarse);
  template <class Shape>
  void skip_vectors(Block& block);
  template <class Shape>
  void take_patch(const ParentPlace& place, Refresh refresh, const float* excess, const Weight* weight);
  template <class Shape>
  void take_plain_block(const ParentPlace& place, Refresh refresh);
  std::array<float*, 3> inner_weights(LocalIndex block);
  void gather_inner_weights();
  void put_weights_in_series();
  bool is_plain(LocalIndex block) const;

  const MultigridGrid* grid_ = nullptr;
  std::vector<Block> blocks_;              ///< blocks with an unknown, those without ghost neighbours first
  LocalIndex n_inner_ = 0;                 ///< number of blocks without ghost neighbours
  LocalIndex n_inverse_ = 0;               ///< blocks of inverse_ in use
  std::vector<std::uint8_t> has_unknown_;  ///< by owned block
  BlockArray<float> x_;
  BlockArray<float> b_;
  BlockArray<float> inverse_;     ///< 1 / diagonal, 0 without an unknown; the first block is a plain body's
  BlockArray<float> excess_;      ///< diagonal less the sum of weights; not on the finest level
  BlockArray<Weight> weight_;     ///< weights between unknowns, else 0; order: weight_index()
  BlockArray<float> excess_sum_;  ///< sum of excesses over the aggregate; not on the finest level
  std::array<BlockArray<float>, 3> inner_weight_;  ///< weights inside aggregates by axis; not on the finest level
  BlockArray<Weight> in_transit_;                  ///< weights in transit to their owners, sorted by cell
};

template <class Work>
void MultigridLevel::gather_during(Colour colour, Work&& work) {
  if (grid_->is_on_one_rank()) return work(all_blocks());
  BorderExchange& rim = *grid_->rims[static_cast<std::size_t>(colour)];
  const BorderExchange::Array cells(x_.data());
  rim.begin({&cells, 1});
  work(Stretch{0, n_inner_});
  rim.end({&cells, 1});
  work(Stretch{n_inner_, n_blocks()});
}

}  // namespace freshet::pressure
