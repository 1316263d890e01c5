// SPDX-License-Identifier: Apache-2.0
#include "pressure/multigrid/multigrid.hpp"

#include "freshet/core/contracts.hpp"
#include "freshet/core/work_counts.hpp"

#include <cmath>
#include <utility>

namespace freshet::pressure {
namespace {

/// Sweeps each way on a last level that is too large to be solved directly: one block, periodic along all axes.
constexpr int sweeps_of_last_level = 18;

/// Solve for the cells of one colour with fresh ghosts of the other. Collective over the ranks that have the level
void half_sweep(MultigridLevel& level, Colour colour) {
  level.gather_during(other(colour), [&](MultigridLevel::Stretch stretch) { level.relax(colour, stretch); });
}

}  // namespace

void Multigrid::reset(const PoissonCoefficients& coefficients, const Unknowns& unknowns) {
  system_ = &coefficients;
  unknowns_ = &unknowns;
  grids_.reset(unknowns.layout());
  build();
}

/// Make all levels on the present grids.
void Multigrid::build() {
  levels_.resize(static_cast<std::size_t>(grids_.n_levels()));
  for (std::size_t number = 0; number < levels_.size(); ++number) {
    levels_[number].bind(grids_[static_cast<int>(number)]);
    if (number > 0) levels_[number].clear_system();
  }
  levels_[0].take_system(*system_, *unknowns_, next_level(0));
  refresh_coarse_levels(Refresh::everything);
  agree_on_shape();
}

void Multigrid::update(std::span<const LocalIndex> changed_blocks) {
  levels_[0].update_system(*system_, *unknowns_, changed_blocks, next_level(0));
  refresh_coarse_levels(Refresh::diagonal);
  agree_on_shape();
}

/// Learn the number of levels from the rank that has the coarsest ones. Collective
void Multigrid::agree_on_shape() {
  const CycleShape of_all{shape_.w_levels, grids_.n_levels()};
  const bool matters = of_all.first_of_w_cycle() > 0;  // else all levels belong to the W-cycle
  const auto n_here = static_cast<GlobalIndex>(n_levels_);
  shape_.n_levels = static_cast<int>(matters ? unknowns_->layout().comm().max(n_here) : n_here);
}

MultigridLevel* Multigrid::next_level(std::size_t number) {
  return number + 1 < levels_.size() ? &levels_[number + 1] : nullptr;
}

void Multigrid::refresh_coarse_levels(Refresh what) {
  solves_directly_ = false;
  const std::size_t n_before = std::exchange(n_levels_, 1);
  while (n_levels_ < levels_.size()) {
    MultigridLevel& level = levels_[n_levels_];
    level.collect_system(grids_[static_cast<int>(n_levels_) - 1], what);
    ++n_levels_;
    if (is_elsewhere(level)) return;
    level.complete_system(what);
    if (has_few_unknowns(level)) {
      if (!level.grid().is_on_one_rank()) {  // few unknowns in many blocks
        grids_.gather_from(static_cast<int>(n_levels_) - 1);
        return build();
      }
      solves_directly_ = true;
      direct_.reset(level);
      return;
    }
    if (n_levels_ >= n_before) what = Refresh::everything;  // the next level is new
    if (n_levels_ < levels_.size()) level.restrict_system(what, levels_[n_levels_]);
  }
}

/// True if a level can be solved directly. Collective over the ranks that have the level
bool Multigrid::has_few_unknowns(const MultigridLevel& level) const {
  const bool has_few_blocks = level.n_blocks() <= CoarseSolve::most_unknowns;  // every block has an unknown
  const GlobalIndex here = has_few_blocks ? CoarseSolve::count(level) : level.n_blocks();
  const bool is_shared = !level.grid().is_on_one_rank();
  return (is_shared ? level.grid().layout->comm().sum(here) : here) <= CoarseSolve::most_unknowns;
}

/// True if another rank has the whole level.
bool Multigrid::is_elsewhere(const MultigridLevel& level) const {
  return level.grid().is_on_one_rank() && level.grid().layout->comm().rank() != 0;
}

void Multigrid::apply(const double* r, double* z) {
  FRESHET_EXPECT(r != z || unknowns_->count() == 0);
  load(r);
  visit(0, Start::after_load);
  unload(z);
}

void Multigrid::set_magnitude(double magnitude) {
  if (std::isnormal(magnitude)) scale_ = std::ldexp(1.0, -std::ilogb(magnitude));
}

/// Set b of the finest level to r, and take its first half-sweep from zero.
void Multigrid::load(const double* r) {
  const double scale = scale_;
  MultigridLevel& level = levels_[0];
  with_shape(unknowns_->layout().domain().dimension(), [&](auto shape) {
    using Shape = decltype(shape);
    share_blocks(level.n_blocks(), [&, scale, r](LocalIndex n) {
      const MultigridLevel::Block& block = level.blocks()[n];
      const double* source = r + Shape::cells * static_cast<std::size_t>(block.number);
      float* b = level.b().block(block.number);
      for_each_set_row(unknowns_->active_rows(block.number), Shape::rows, [=](int row) {
        store_row<Shape>(b, row, to_floats(scale * load_reals(source + block_width * row)));
      });
      level.relax_even_from_zero(block);
    });
  });
}

/// Take the finest level's last half-sweep, and copy its solution to z.
void Multigrid::unload(double* z) {
  const double scale = 1.0 / scale_;
  MultigridLevel& level = levels_[0];
  with_shape(unknowns_->layout().domain().dimension(), [&](auto shape) {
    using Shape = decltype(shape);
    level.gather_during(Colour::odd, [&, scale, z](MultigridLevel::Stretch stretch) {
      share_blocks(stretch.begin, stretch.end, [&, scale, z](LocalIndex n) {
        const MultigridLevel::Block& block = level.blocks()[n];
        level.relax_block<Shape>(block, Colour::even);
        const float* x = level.x().block(block.number);  // 0 without an unknown
        double* target = z + Shape::cells * static_cast<std::size_t>(block.number);
        for_each_set_row(unknowns_->active_rows(block.number), Shape::rows, [=](int row) {
          store_row(target + block_width * row, scale * to_reals(load_row<Shape>(x, row)));
        });
      });
    });
  });
}

/// Take one cycle on a level and the coarser ones.
void Multigrid::visit(std::size_t number, Start start) {
  MultigridLevel& level = levels_[number];
  if (is_elsewhere(level)) return;
  if (!level.grid().is_on_one_rank()) count_work(Work::visits);
  const bool is_last = number + 1 == n_levels_;
  if (is_last && solves_directly_) {
    direct_.solve(level);
    return;
  }
  const int sweeps = is_last ? sweeps_of_last_level : shape_.sweeps_each_way(static_cast<int>(number));
  smooth_down(level, start, sweeps);
  if (is_last) {
    half_sweep(level, Colour::even);
  } else {
    correct(number);
  }
  smooth_up(level, number == 0 ? End::before_unload : End::complete, sweeps);
}

void Multigrid::correct(std::size_t number) {
  MultigridLevel& level = levels_[number];
  MultigridLevel& coarse = levels_[number + 1];
  level.restrict_residual(coarse);
  const bool is_exact = solves_directly_ && number + 2 == n_levels_;
  visit(number + 1, Start::from_zero);
  if (!is_exact && shape_.visits_of_next(static_cast<int>(number)) == 2) visit(number + 1, Start::from_before);
  level.prolong(coarse);
}

/// Half-sweeps even, odd, even, odd, ... With Start::from_before the odd ghosts are valid from the last sweep up.
void Multigrid::smooth_down(MultigridLevel& level, Start start, int sweeps) {
  if (start == Start::from_zero) level.relax_even_from_zero();
  if (start == Start::from_before) level.relax(Colour::even);
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    if (sweep > 0) half_sweep(level, Colour::even);
    half_sweep(level, Colour::odd);
  }
}

/// Half-sweeps odd, even, odd, even, ...
void Multigrid::smooth_up(MultigridLevel& level, End end, int sweeps) {
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    half_sweep(level, Colour::odd);
    if (end == End::before_unload && sweep == sweeps - 1) return;
    half_sweep(level, Colour::even);
  }
}

}  // namespace freshet::pressure
