// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/grid/field.hpp"
#include "freshet/grid/kernels/label_planes.hpp"
#include "freshet/particles/neighbours.hpp"
#include "freshet/particles/particle_store.hpp"
#include "freshet/solids/solids.hpp"

namespace freshet {

/// Label cells: solid as `solids` says, liquid if the cell holds a particle, else air.
///
/// A cell whose centre lies in a body of open fractions has little room for particles. Without a particle it is liquid
/// if its neighbour in the direction of the body's outward normal is (as Bridson 2015, section 5.5, extends liquid into
/// solids). A cell whose particles are all beyond a thin wall through it is air.
///
/// \param[in]  particles  sorted state of the labels' layout
/// \param[out] labels     owned cells, ghosts refreshed to width `ghosts`; background solid
/// \param[in]  ghosts     0: ghosts are not refreshed
/// \param[in]  bulk       not 0 in owned cells that are liquid whatever particles they hold, as NarrowBand keeps them;
///                        null: none
/// \return number of liquid cells on this rank. Parallel: collective (one gather, two with such bodies); OpenMP
/// Source: Zhu & Bridson 2005, section 4
GlobalIndex label_cells(const ParticleStore& particles, const SolidFields& solids, LabelField& labels, int ghosts = 1,
                        const CellField<std::uint8_t>* bulk = nullptr);

/// Label cells by the density of their particles: liquid where  alpha N_0 - sum_p rho_p <= 0.
///
///   rho_p = sum_q W_loose(|x_p - x_q|^2, 1) / rho_0      p in the cell, q anywhere within a cell's width of p
///
/// N_0 is the number of particles in a full cell, and rho_0 the sum's value for a particle of the seeding lattice.
/// Cells with lone particles or spray are air, so that pressure does not act on these particles.
/// \param[in]  neighbours  the neighbours of these particles
/// \param[in]  per_axis    number of particles along an axis of a full cell
/// \param[out] labels      as above. \return number of liquid cells here. Parallel: collective (one gather); OpenMP
/// Source: Ando, Thuerey & Tsuruno 2012, equation for phi_L, with squared distances in the kernel
GlobalIndex label_cells_by_density(const ParticleStore& particles, const ParticleNeighbours& neighbours,
                                   const SolidFields& solids, double alpha, int per_axis, LabelField& labels);

/// Label cells by the signed distance to the surface: liquid where phi < 0.
///
/// \param[in]     phi       level set from SurfaceDistance, ghosts valid to width 1
/// \param[in,out] occupied  owned: liquid in cells with a particle. On return liquid where `labels` is, and in cells of
///                          spray, which have a particle and no liquid cell among their 26 neighbours (8 in 2-D)
/// \param[out]    labels    owned cells, ghosts valid to width 1; background solid
/// \param[out]    planes    planes of `labels`
/// \return liquid cells on this rank. Parallel: local; OpenMP
GlobalIndex label_cells_by_distance(const CellField<float>& phi, const SolidFields& solids, LabelField& occupied,
                                    LabelField& labels, LabelPlanes& planes);

}  // namespace freshet
