// SPDX-License-Identifier: Apache-2.0
#include "freshet/sources/sinks.hpp"

#include "freshet/core/counter_random.hpp"
#include "freshet/core/parallel_for.hpp"
#include "freshet/parallel/communicator.hpp"
#include "freshet/parallel/select.hpp"

#include <algorithm>
#include <cmath>

namespace freshet {
namespace {

Vec3 center_of_cell(const BlockLayout& layout, LocalIndex block, int cell) {
  const Vec3i width = layout.domain().block_cells();
  const Vec3i in_block(cell % width.x(), cell / width.x() % width.y(), cell / (width.x() * width.y()));
  return layout.domain().origin() +
         layout.domain().dx() * ((layout.first_cell(block) + in_block).cast<double>() + Vec3::Constant(0.5));
}

bool is_near(const Shape& shape, const BlockLayout& layout, LocalIndex block) {
  const Vec3 half = 0.5 * layout.domain().dx() * layout.domain().block_cells().cast<double>();
  const Vec3 corner = layout.domain().origin() + layout.domain().dx() * layout.first_cell(block).cast<double>();
  return shape.signed_distance(corner + half) <= half.norm();
}

}  // namespace

Sinks::Sinks(const Domain& domain, int per_axis, const std::vector<SinkParameters>& sinks, ShapeMaker& make_shape)
    : domain_(domain), particle_volume_(domain.cell_volume() / std::pow(per_axis, domain.dimension())) {
  for (const SinkParameters& sink : sinks)
    sinks_.push_back({sink.rate, make_shape(sink.shape), Schedule(sink.schedule)});
}

std::vector<std::pair<std::string, std::shared_ptr<const Shape>>> Sinks::shapes() const {
  std::vector<std::pair<std::string, std::shared_ptr<const Shape>>> shapes;
  for (const Sink& sink : sinks_) shapes.emplace_back("sink." + std::to_string(shapes.size()), sink.shape);
  return shapes;
}

bool Sinks::draws(double t, double dt) const {
  return std::any_of(sinks_.begin(), sinks_.end(),
                     [&](const Sink& sink) { return sink.rate > 0.0 && is_on(sink, t, dt); });
}

void Sinks::prescribe(const LabelField& labels, double t, double dt, CellField<double>& inflow) const {
  const BlockLayout& layout = labels.layout();
  for (const Sink& sink : sinks_) {
    if (sink.rate == 0.0 || !is_on(sink, t, dt)) continue;
    struct Cell {
      LocalIndex block;
      int cell;
    };
    std::vector<Cell> drained;
    for (LocalIndex b = 0; b < layout.n_owned(); ++b) {
      if (!is_near(*sink.shape, layout, b)) continue;
      for (int c = 0; c < layout.cells_per_block(); ++c)
        if (labels.block(b)[c] == Label::liquid && sink.shape->signed_distance(center_of_cell(layout, b, c)) < 0.0)
          drained.push_back({b, c});
    }
    const auto n_drained = static_cast<double>(layout.comm().sum(static_cast<GlobalIndex>(drained.size())));
    const double on = (sink.schedule.time_on(t + dt) - sink.schedule.time_on(t)) / dt;
    for (const Cell& at : drained)
      inflow.block(at.block)[at.cell] -= on * sink.rate / (n_drained * domain_.dx() * domain_.dx());
  }
}

void Sinks::take_inside(const Sink& sink, const BlockLayout& layout, LocalIndex block, const ParticleStore& particles,
                        std::vector<std::uint8_t>& taken) const {
  const Vec3 corner = domain_.origin() + domain_.dx() * layout.first_cell(block).cast<double>();
  const auto b = static_cast<std::size_t>(block);
  for (ParticleIndex p = particles.block_begin()[b]; p < particles.block_begin()[b + 1]; ++p) {
    const ParticleReal* x = particles.position() + 3 * p;
    if (sink.shape->signed_distance(corner + domain_.dx() * Vec3(x[0], x[1], x[2])) < 0.0)
      taken[static_cast<std::size_t>(p)] = 1;
  }
}

/// Give each particle of the sink a key. Its highest bits fall with the particle's place among those of its cell, in
/// ascending order of id, so that the surplus particles of crowded cells have smaller keys than all others.
void Sinks::find_candidates(const Sink& sink, const BlockLayout& layout, LocalIndex block,
                            const ParticleStore& particles, std::vector<Candidate>& candidates) const {
  constexpr std::size_t most_in_cell = (1U << 11U) - 1;  // the lower 53 bits order particles of equal place
  const CellRandom numbers(0x51f7, Vec3i::Zero());
  const int n_cells = layout.cells_per_block();
  const std::uint32_t* const begin =
      particles.cell_begin().data() + static_cast<std::ptrdiff_t>(block) * static_cast<std::ptrdiff_t>(n_cells);
  std::vector<ParticleIndex> of_cell;
  for (int cell = 0; cell < n_cells; ++cell) {
    if (begin[cell + 1] == begin[cell]) continue;
    of_cell.clear();
    for (ParticleIndex p = begin[cell]; p < begin[cell + 1]; ++p) of_cell.push_back(p);
    if (sink.shape->signed_distance(center_of_cell(layout, block, cell)) >= 0.0) continue;
    std::sort(of_cell.begin(), of_cell.end(),
              [&](ParticleIndex p, ParticleIndex q) { return particles.id()[p] < particles.id()[q]; });
    for (std::size_t place = 0; place < of_cell.size(); ++place) {
      const std::uint64_t after = most_in_cell - std::min(place, most_in_cell);
      candidates.push_back({of_cell[place], after << 53U | numbers.bits(particles.id()[of_cell[place]])});
    }
  }
}

GlobalIndex Sinks::n_removed_by(const Sink& sink, double time) const {
  return static_cast<GlobalIndex>(sink.rate * sink.schedule.time_on(time) / particle_volume_);
}

void Sinks::take_rate(const Sink& sink, const BlockLayout& layout, const ParticleStore& particles, double t, double dt,
                      std::vector<std::uint8_t>& taken) const {
  std::vector<Candidate> candidates;
  for (LocalIndex b = 0; b < layout.n_owned(); ++b)
    if (is_near(*sink.shape, layout, b)) find_candidates(sink, layout, b, particles, candidates);
  std::erase_if(candidates, [&](const Candidate& c) { return taken[static_cast<std::size_t>(c.particle)] != 0; });
  std::vector<std::uint64_t> keys;
  for (const Candidate& candidate : candidates) keys.push_back(candidate.key);
  const std::vector<std::uint8_t> removed =
      among_smallest(layout.comm(), keys, n_removed_by(sink, t + dt) - n_removed_by(sink, t));
  for (std::size_t c = 0; c < candidates.size(); ++c)
    if (removed[c] != 0) taken[static_cast<std::size_t>(candidates[c].particle)] = 1;
}

std::vector<std::uint8_t> Sinks::absorbed(const BlockLayout& layout, const ParticleStore& particles, double t,
                                          double dt) const {
  std::vector<std::uint8_t> taken;
  for (const Sink& sink : sinks_) {
    if (!is_on(sink, t, dt)) continue;
    taken.resize(static_cast<std::size_t>(particles.size()), 0);
    if (sink.rate > 0.0) {
      take_rate(sink, layout, particles, t, dt, taken);
      continue;
    }
    parallel_for_blocks(layout.n_owned(), [&](LocalIndex b) {
      if (is_near(*sink.shape, layout, b)) take_inside(sink, layout, b, particles, taken);
    });
  }
  return taken;
}

}  // namespace freshet
