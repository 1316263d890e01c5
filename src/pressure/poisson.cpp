// SPDX-License-Identifier: Apache-2.0
#include "freshet/pressure/poisson.hpp"

#include "freshet/core/parallel_for.hpp"
#include "freshet/free_surface/surface_condition.hpp"
#include "freshet/grid/halo.hpp"
#include "freshet/grid/kernels/star_rows.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace freshet {

using namespace pressure;

namespace {

/// diagonal = sum of open fraction / theta over a liquid cell's faces; the cell has an unknown if the diagonal is not
/// 0. \pre diagonal and unknown are 0 in rows outside rows.any
template <class Shape>
void set_diagonal(const LabelField& labels, const FaceField<float>& open_fraction, LocalIndex block,
                  PoissonCoefficients& coefficients) {
  const Label* label = labels.block(block);
  double* diagonal = coefficients.diagonal.block(block);
  std::uint8_t* unknown = coefficients.unknown.block(block);
  std::array<std::uint8_t, Shape::rows> liquid;
  std::uint64_t liquid_rows = 0;
  for (int r = 0; r < Shape::rows; ++r) {
    liquid[r] = liquid_mask(label + block_width * r);
    liquid_rows |= std::uint64_t{liquid[r] != 0} << r;
  }
  UnknownRows& rows = coefficients.rows[static_cast<std::size_t>(block)];
  for_each_set_row(rows.any & ~liquid_rows, Shape::rows, [=](int r) {
    store_row(diagonal + block_width * r, RealRow{});
    std::fill_n(unknown + block_width * r, block_width, std::uint8_t{0});
  });
  rows = {};
  if (liquid_rows == 0) return;
  const FaceStar<float> fraction = star_of(open_fraction, block);
  const SurfaceStar surface(coefficients.surface, block);
  for_each_set_row(liquid_rows, Shape::rows, [&](int r) {
    RealRow sum{};
    RealMask is_cut{};
    for_each_axis<Shape>([&](auto axis) {
      RealRow low = load_reals(fraction[axis].self + block_width * r);
      RealRow high = on_high_faces<Shape, axis>(fraction[axis], r);
      is_cut |= (low != 1.0) | (high != 1.0);
      surface.divide_by_theta<Shape, axis>(r, low, high);
      sum += low;
      sum += high;
    });
    sum = keep_lanes(liquid[r], sum);
    store_row(diagonal + block_width * r, sum);
    const RealMask has_unknown = sum > 0.0;
    store_bytes(unknown + block_width * r, row_mask(has_unknown));
    is_cut |= sum != 2.0 * Shape::dim;
    rows.any |= std::uint64_t{row_mask(has_unknown) != 0} << r;
    rows.cut |= std::uint64_t{row_mask(has_unknown & is_cut) != 0} << r;
  });
}

/// The rows of a ghost block that hold an unknown.
std::uint64_t rows_with_unknowns(const std::uint8_t* unknown, int n_rows) {
  std::uint64_t rows = 0;
  for (int r = 0; r < n_rows; ++r) rows |= std::uint64_t{row_mask(unknown + block_width * r) != 0} << r;
  return rows;
}

/// Velocity and open fractions of faces around one block.
struct Flow {
  FaceStar<double> velocity;
  FaceStar<float> open_fraction;
  FaceStar<float> solid_velocity;
};

/// Net outflow of the cells of row r [m/s]. \param[in] is_open  all faces of the row's unknowns are fully open
template <class Shape>
RealRow net_outflow(const Flow& flow, int r, bool is_open) {
  RealRow net{};
  if (is_open) {
    for_each_axis<Shape>([&](auto axis) {
      net +=
          on_high_faces<Shape, axis>(flow.velocity[axis], r) - load_reals(flow.velocity[axis].self + block_width * r);
    });
    return net;
  }
  for_each_axis<Shape>([&](auto axis) {
    const int row = block_width * r;
    const RealRow a_low = load_reals(flow.open_fraction[axis].self + row);
    const RealRow s_low = load_reals(flow.solid_velocity[axis].self + row);
    const RealRow u_low = load_reals(flow.velocity[axis].self + row);
    const RealRow a_high = on_high_faces<Shape, axis>(flow.open_fraction[axis], r);
    const RealRow s_high = on_high_faces<Shape, axis>(flow.solid_velocity[axis], r);
    const RealRow u_high = on_high_faces<Shape, axis>(flow.velocity[axis], r);
    net += (a_high * u_high + (1.0 - a_high) * s_high) - (a_low * u_low + (1.0 - a_low) * s_low);
  });
  return net;
}

/// Call f(r, outflow, has_unknown) for the rows of a block that hold an unknown.
template <class Shape, class Function>
void for_each_outflow_row(const FaceField<double>& velocity, const FaceField<float>& open_fraction,
                          const FaceField<float>& solid_velocity, const PoissonCoefficients& coefficients,
                          LocalIndex block, Function&& f) {
  const UnknownRows rows = coefficients.rows[static_cast<std::size_t>(block)];
  if (rows.any == 0) return;
  const Flow flow{star_of(velocity, block), star_of(open_fraction, block), star_of(solid_velocity, block)};
  const std::uint8_t* unknown = coefficients.unknown.block(block);
  for_each_set_row(rows.any, Shape::rows, [&](int r) {
    const bool is_open = (rows.cut >> r & 1U) == 0;
    f(r, net_outflow<Shape>(flow, r, is_open), real_mask(row_mask(unknown + block_width * r)));
  });
}

/// Largest magnitude of the selected lanes; infinite if one is not a number.
double largest(const RealRow& values, const RealMask& selection) {
  constexpr double infinite = std::numeric_limits<double>::infinity();
  double result = 0.0;
  for (int i = 0; i < block_width; ++i) {
    const double magnitude = selection[i] != 0 ? std::abs(values[i]) : 0.0;
    result = std::max(result, magnitude <= infinite ? magnitude : infinite);
  }
  return result;
}

/// b_c += weight_f p_I / theta_f in the cells of a block.
template <class Shape>
void add_surface_pressure_in_block(const PoissonCoefficients& coefficients, LocalIndex block, double* b) {
  const SurfaceStar surface(coefficients.surface, block);
  const FaceStar<float> weight = star_of(*coefficients.weight, block);
  const std::uint8_t* unknown = coefficients.unknown.block(block);
  for_each_set_row(coefficients.rows[static_cast<std::size_t>(block)].any, Shape::rows, [&](int r) {
    const std::uint8_t mask = row_mask(unknown + block_width * r);
    RealRow sum{};
    for_each_axis<Shape>([&](auto axis) {
      sum += surface.pressure_below<Shape, axis>(r, load_reals(weight[axis].self + block_width * r));
      sum += surface.pressure_above<Shape, axis>(r, on_high_faces<Shape, axis>(weight[axis], r));
    });
    store_row(b + block_width * r, load_reals(b + block_width * r) + keep_lanes(mask, sum));
  });
}

/// u_f -= p_c - p_n on the low faces along one axis of rows whose unknowns have fully open faces without theta.
template <class Shape, int axis>
void subtract_in_open_rows(const Star<double>& p, std::uint64_t rows, double* u) {
  for_each_set_row(rows, Shape::rows, [&](int r) {
    const int row = block_width * r;
    store_row(u + row, load_reals(u + row) - (load_reals(p.self + row) - lower_cells<Shape, axis>(p, r)));
  });
}

/// u_f -= weight_f / a_f (p_c - p_n) / theta_f on the low faces along one axis of some rows of a block.
/// \param[in] weight  null: weights equal the open fractions
template <class Shape, int axis>
void subtract_in_rows(const Star<double>& p, std::uint64_t rows, const float* weight, const float* open_fraction,
                      const SurfaceStar& surface, double* u) {
  for_each_set_row(rows, Shape::rows, [&](int r) {
    const int row = block_width * r;
    const RealRow a = load_reals(open_fraction + row);
    RealRow change = load_reals(p.self + row) - lower_cells<Shape, axis>(p, r);
    surface.complete_difference<Shape, axis>(r, a, change);
    if (weight != nullptr)
      change *= load_reals(weight + row) / select(a > 0.0, a, RealRow::all(1.0));  // so that no lane divides by 0
    store_row(u + row, load_reals(u + row) - select(a > 0.0, change, RealRow{}));
  });
}

}  // namespace

void PoissonCoefficients::reset(const BlockLayout& layout) {
  diagonal.reset(layout, 0.0);
  unknown.reset(layout, std::uint8_t{0});
  if (layout_id == layout.id()) return;
  layout_id = layout.id();
  rows.assign(static_cast<std::size_t>(layout.n_slots()), {});
  unknown.fill(0);
  parallel_for_blocks(layout.n_owned(),
                      [&](LocalIndex block) { std::fill_n(diagonal.block(block), layout.cells_per_block(), 0.0); });
}

void build_coefficients(const LabelField& labels, const FaceField<float>& open_fraction,
                        PoissonCoefficients& coefficients, const SurfaceCondition& surface,
                        FaceField<double>* velocity) {
  const BlockLayout& layout = labels.layout();
  FRESHET_EXPECT(open_fraction[0].is_bound_to(layout));
  FRESHET_EXPECT(surface.place.is_bound_to(layout));
  coefficients.reset(layout);
  coefficients.surface = surface;
  coefficients.weight = &open_fraction;
  coefficients.joined = nullptr;
  with_shape(layout.domain().dimension(), [&](auto shape) {
    parallel_for_blocks(layout.n_owned(), [&](LocalIndex block) {
      set_diagonal<decltype(shape)>(labels, open_fraction, block, coefficients);
    });
  });
  share_unknowns(coefficients, velocity);
}

void share_unknowns(PoissonCoefficients& coefficients, FaceField<double>* velocity) {
  const BlockLayout& layout = coefficients.unknown.layout();
  velocity != nullptr ? layout.halo().gather_together(1, coefficients.unknown, *velocity)
                      : layout.halo().gather(coefficients.unknown, 1);
  const int n_rows = layout.cells_per_block() / block_width;
  parallel_for_blocks(layout.n_blocks() - layout.n_owned(), [&](LocalIndex n) {
    const LocalIndex ghost = layout.n_owned() + n;
    const std::uint64_t rows = rows_with_unknowns(coefficients.unknown.block(ghost), n_rows);
    coefficients.rows[static_cast<std::size_t>(ghost)] = {rows, rows};
  });
}

void outflow_right_hand_side(const FaceField<double>& velocity, const FaceField<float>& open_fraction,
                             const FaceField<float>& solid_velocity, const PoissonCoefficients& coefficients,
                             CellField<double>& right_hand_side) {
  const BlockLayout& layout = coefficients.unknown.layout();
  right_hand_side.reset(layout, 0.0);
  with_shape(layout.domain().dimension(), [&](auto shape) {
    using Shape = decltype(shape);
    parallel_for_blocks(layout.n_owned(), [&](LocalIndex block) {
      double* b = right_hand_side.block(block);
      if (std::popcount(coefficients.rows[static_cast<std::size_t>(block)].any) < Shape::rows)
        std::fill_n(b, Shape::cells, 0.0);
      for_each_outflow_row<Shape>(velocity, open_fraction, solid_velocity, coefficients, block,
                                  [b](int r, const RealRow& outflow, const RealMask& has_unknown) {
                                    store_row(b + block_width * r, select(has_unknown, -outflow, RealRow{}));
                                  });
    });
  });
}

void add_surface_pressure(const PoissonCoefficients& coefficients, CellField<double>& right_hand_side) {
  const CellField<float>* const curvature = coefficients.surface.tension.curvature;
  if (curvature == nullptr) return;
  const BlockLayout& layout = right_hand_side.layout();
  FRESHET_EXPECT(curvature->is_bound_to(layout));
  with_shape(layout.domain().dimension(), [&](auto shape) {
    using Shape = decltype(shape);
    parallel_for_blocks(layout.n_owned(), [&](LocalIndex block) {
      if (coefficients.rows[static_cast<std::size_t>(block)].any != 0)
        add_surface_pressure_in_block<Shape>(coefficients, block, right_hand_side.block(block));
    });
  });
}

namespace {

/// subtract_gradient() after a call of prepare(values of the faces normal to an axis) for each owned block and axis.
template <class Prepare>
void subtract_gradient_from(const CellField<double>& pressure, const PoissonCoefficients& coefficients,
                            const FaceField<float>& open_fraction, FaceField<double>& velocity, Prepare prepare) {
  const BlockLayout& layout = pressure.layout();
  const bool has_weights = coefficients.weight != &open_fraction;
  const bool is_plain = !has_weights && coefficients.surface.tension.curvature == nullptr;  // except in cut rows
  with_shape(layout.domain().dimension(), [&](auto shape) {
    using Shape = decltype(shape);
    parallel_for_blocks(layout.n_owned(), [&](LocalIndex block) {
      const StarSlots beside = star_slots(layout, block);
      const Star<double> p = star_of(pressure, block);
      const SurfaceStar surface(coefficients.surface, block);
      const UnknownRows& here = coefficients.rows[static_cast<std::size_t>(block)];
      for_each_axis<Shape>([&](auto axis) {
        const UnknownRows& low = coefficients.rows[static_cast<std::size_t>(beside.low[axis])];
        const std::uint64_t any = here.any | rows_below<Shape, axis>(here.any, low.any);
        double* u = velocity[axis].block(block);
        prepare(u);
        if (any == 0) return;
        const std::uint64_t cut = is_plain ? here.cut | rows_below<Shape, axis>(here.cut, low.cut) : any;
        subtract_in_open_rows<Shape, axis>(p, any & ~cut, u);
        subtract_in_rows<Shape, axis>(p, cut, has_weights ? (*coefficients.weight)[axis].block(block) : nullptr,
                                      open_fraction[axis].block(block), surface, u);
      });
    });
  });
}

}  // namespace

void subtract_gradient(const CellField<double>& pressure, const PoissonCoefficients& coefficients,
                       const FaceField<float>& open_fraction, FaceField<double>& velocity) {
  subtract_gradient_from(pressure, coefficients, open_fraction, velocity, [](double*) {});
}

void find_descent(const CellField<double>& potential, const PoissonCoefficients& coefficients,
                  const FaceField<float>& open_fraction, FaceField<double>& descent) {
  const int cells = potential.layout().cells_per_block();
  subtract_gradient_from(potential, coefficients, open_fraction, descent,
                         [cells](double* values) { std::fill_n(values, cells, 0.0); });
}

double max_divergence(const FaceField<double>& velocity, const FaceField<float>& open_fraction,
                      const FaceField<float>& solid_velocity, const PoissonCoefficients& coefficients) {
  const BlockLayout& layout = coefficients.unknown.layout();
  double worst = 0.0;
  with_shape(layout.domain().dimension(), [&](auto shape) {
    using Shape = decltype(shape);
    const auto largest_of = [&](LocalIndex block) {
      double found = 0.0;
      for_each_outflow_row<Shape>(velocity, open_fraction, solid_velocity, coefficients, block,
                                  [&found](int, const RealRow& outflow, const RealMask& has_unknown) {
                                    found = std::max(found, largest(outflow, has_unknown));
                                  });
      return found;
    };
    ThreadShares& shares = share_out(layout.n_owned());
#pragma omp parallel reduction(max : worst)
    shares.work(omp_get_thread_num(), [&](LocalIndex block) { worst = std::max(worst, largest_of(block)); });
  });
  return layout.comm().max(worst) / layout.domain().dx();
}

}  // namespace freshet
