// SPDX-License-Identifier: Apache-2.0
#include "freshet/fluid/one_sided_faces.hpp"

#include "find_cells.hpp"
#include "freshet/core/parallel_for.hpp"
#include "freshet/grid/halo.hpp"
#include "freshet/grid/padded.hpp"

#include <algorithm>
#include <cmath>

namespace freshet {
namespace {

constexpr float deepest = -0.95F;       ///< phi of faces beyond which c is less than 0.0013
constexpr float highest = 0.75F;        ///< phi of faces of liquid is less
constexpr float found_within = 1.5F;    ///< |phi| of cells near the surface is less
constexpr double least_gradient = 0.3;  ///< |grad phi| that shows where the liquid lies
constexpr double largest_factor = 1.0;  ///< of (2)
constexpr double steepest = 2.0;        ///< times the difference between the next faces inwards

/// c(phi) of (1).
double depth_of_mean(double phi) {
  const double p = std::min(std::abs(phi), 1.0);
  const double moment = 1.0 / 6.0 - 0.5 * p * p + p * p * p / 3.0;
  const double outside = 0.5 * (1.0 - p) * (1.0 - p);
  const double content = phi >= 0.0 ? outside : 1.0 - outside;
  return content > 1e-6 ? moment / content : 1.0;
}

/// The factor of (2).
double factor(double phi) {
  const double c = depth_of_mean(phi);
  return std::min(largest_factor, c / (1.0 - c + depth_of_mean(phi - 1.0)));
}

/// The difference to the next face inwards, as far as that between the next two bears it out.
double limited(double difference, double next) {
  if (difference * next <= 0.0) return 0.0;
  return std::abs(difference) < steepest * std::abs(next) ? difference : steepest * next;
}

/// What the faces of a block are judged by, padded by 1, but for the velocity by 2.
template <class Shape>
struct Neighbourhood {
  static constexpr int width = Shape::nx + 2;
  static constexpr int wide_width = Shape::nx + 4;
  static constexpr int size = width * width * (Shape::dim == 3 ? width : 1);
  static constexpr int wide_size = wide_width * wide_width * (Shape::dim == 3 ? wide_width : 1);
  static constexpr int stride[3] = {1, width, width* width};
  static constexpr int wide_stride[3] = {1, wide_width, wide_width* wide_width};

  PaddedExtents<Shape> extents{1};
  PaddedExtents<Shape> wide{2};
  float phi[size];
  Label label[size];
  double weight[size];
  double u[wide_size];

  /// Low faces along an axis at liquid, not at a solid, where the correction may count.
  int find_faces(int axis, int* cells) const {
    const auto test = [this, s = stride[axis]](int at, int) {
      const float sum = phi[at] + phi[at - s];
      return (sum > 2.0F * deepest) & (sum < 2.0F * highest) & is_liquid_face(label + at, s);
    };
    return find_cells(extents, test, cells);
  }
  /// sum_a |n_a| (u_f - u_a) of (2), limited; 0 where phi's gradient does not show where the liquid lies.
  double difference_inwards(int at, int wide_at, int axis) const {
    const int below = at - stride[axis];
    double gradient[3];
    double square = 0.0;
    for (int a = 0; a < Shape::dim; ++a) {
      const int s = stride[a];
      gradient[a] =
          a == axis ? phi[at] - phi[below] : 0.25F * (phi[at + s] - phi[at - s] + phi[below + s] - phi[below - s]);
      square += gradient[a] * gradient[a];
    }
    if (square < least_gradient * least_gradient) return 0.0;
    double sum = 0.0;
    for (int a = 0; a < Shape::dim; ++a) {
      const int inwards = gradient[a] > 0.0 ? -1 : 1;
      const int next = at + inwards * stride[a];
      if (!(weight[next] > 0.0) || touches_solid(next, axis, a)) continue;
      const double* here = u + wide_at;
      const int step = inwards * wide_stride[a];
      sum += std::abs(gradient[a]) * limited(here[0] - here[step], here[step] - here[2 * step]);
    }
    return sum / std::sqrt(square);
  }

 private:
  /// Whether a solid lies at the next face along an axis. A cell two cells from the first face is not asked.
  bool touches_solid(int next, int axis, int along) const {
    return label[next] == Label::solid || (along != axis && label[next - stride[axis]] == Label::solid);
  }
};

}  // namespace

template <class Shape>
void OneSidedFaces::find(const CellField<float>& phi, const LabelField& labels, const FaceField<double>& weight,
                         const FaceField<double>& velocity, LocalIndex b) {
  std::vector<Update>& updates = updates_[static_cast<std::size_t>(b)];
  updates.clear();
  Neighbourhood<Shape> around;
  const float* own = phi.block(b);
  const auto is_far = [own](float value) { return value == own[0] && std::abs(value) >= found_within; };
  if (std::all_of(own, own + Shape::cells, is_far)) return;
  fill_padded(phi, b, around.extents, around.phi);
  fill_padded(labels, b, around.extents, around.label);
  int cells[Shape::cells];
  for (int d = 0; d < Shape::dim; ++d) {
    const int n = around.find_faces(d, cells);
    if (n == 0) continue;
    fill_padded(weight[d], b, around.extents, around.weight);
    fill_padded(velocity[d], b, around.wide, around.u);
    for (const int* c = cells; c < cells + n; ++c) {
      const int i = *c % Shape::nx, j = *c / Shape::nx % Shape::ny, k = *c / (Shape::nx * Shape::ny);
      const int at = around.extents.at(i, j, k);
      if (!(around.weight[at] > 0.0)) continue;
      const int wide_at = around.wide.at(i, j, k);
      const double difference = around.difference_inwards(at, wide_at, d);
      if (difference == 0.0) continue;
      const double of_face = 0.5 * (around.phi[at] + around.phi[at - Neighbourhood<Shape>::stride[d]]);
      updates.push_back({d, *c, around.u[wide_at] + factor(of_face) * difference});
    }
  }
}

void OneSidedFaces::operator()(const CellField<float>& phi, const LabelField& labels, const FaceField<double>& weight,
                               FaceField<double>& velocity) {
  const BlockLayout& layout = labels.layout();
  const LocalIndex n_owned = layout.n_owned();
  layout.halo().gather(velocity, 2);
  updates_.resize(static_cast<std::size_t>(n_owned));
  with_shape(layout.domain().dimension(), [&](auto shape) {
    parallel_for_blocks(n_owned, [&](LocalIndex b) { find<decltype(shape)>(phi, labels, weight, velocity, b); });
  });
  parallel_for_blocks(n_owned, [&](LocalIndex b) {
    for (const Update& update : updates_[static_cast<std::size_t>(b)])
      velocity[update.axis].block(b)[update.face] = update.value;
  });
}

}  // namespace freshet
