// SPDX-License-Identifier: Apache-2.0
#include "freshet/config/read.hpp"
#include "freshet/driver/simulation.hpp"
#include "freshet/grid/halo.hpp"
#include "freshet/io/json.hpp"
#include "freshet/parallel/environment.hpp"
#include "freshet/pressure/wall_methods.hpp"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>

/// Applies every wall method to the same states of one sticky run at two accuracies, and prints how
/// far their velocities lie apart; analysis/walls.py runs it. At chosen steps it also prints the residuals of each
/// round, of methods with one solve those of each iteration, and how the velocities at low accuracy differ from those
/// of ADMMVelSep at high accuracy, face by face.
///
/// Source: Eckert (2014), section 4.3: every fifth step of an original simulation; Figs. 4.3 to 4.5 and 4.11.
namespace freshet::test {
namespace {

struct Options {
  std::string input;
  std::vector<std::string> overrides;
  int every = 5;
  std::vector<std::int64_t> at;  ///< steps at which rounds and fields are printed, too
};

struct Accuracy {
  const char* name;
  double epsilon_cg;  ///< [1/s]
  double velocity;    ///< admm: absolute [cells/s] and relative
  double divergence;  ///< [1/s]
  int max_outer;
};
/// Thresholds of the outer loop below that of its solves, at which methods hardly converge (Fig. 4.5).
constexpr Accuracy inverted = {"inverted", 1e-3, 1e-5, 1e-5, 300};
constexpr Accuracy accuracies[] = {{"low", 1e-3, 1e-3, 1e-2, 1000}, {"high", 1e-12, 1e-9, 1e-9, 20000}};

struct Method {
  const char* name;
  std::string_view method;
  WallCondition condition;
  WallStopping stopping;
};
constexpr Method methods[] = {
    {"OrigPS", "cg", WallCondition::sticky, WallStopping::velocity},
    {"ADMMVelStick", "admm", WallCondition::sticky, WallStopping::velocity},
    {"ADMMDivStick", "admm", WallCondition::sticky, WallStopping::divergence},
    {"IOPDivStick", "iop", WallCondition::sticky, WallStopping::divergence},
    {"OrigPSSep", "cg", WallCondition::separating, WallStopping::velocity},
    {"ADMMVelSep", "admm", WallCondition::separating, WallStopping::velocity},
    {"ADMMDivSep", "admm", WallCondition::separating, WallStopping::divergence},
    {"IOPDivSep", "iop", WallCondition::separating, WallStopping::divergence},
    {"IOPDivSepBC", "iop_bc", WallCondition::separating, WallStopping::divergence},
    {"complementarity", "complementarity", WallCondition::separating, WallStopping::velocity},
};

/// What one method made of a state.
struct Solution {
  Method method;
  Accuracy accuracy;
  ProjectionReport report;
  double seconds = 0.0;  ///< of the slowest rank
  FaceField<double> velocity;
  std::vector<OuterRound> rounds;  ///< empty unless they are asked for
  std::vector<double> iterations;  ///< largest divergence that each iteration left [1/s]; empty as `rounds`
};

/// Whether solutions hold their rounds: to measure them takes time.
enum class Rounds { left_out, kept };

/// u* and labels of a simulation, on its own layout or on one of the same blocks whose walls separate.
class State {
 public:
  State(const Communicator& comm, const Simulation& simulation, const DomainOptions& domain, WallCondition condition)
      : domain_(domain),
        layout_(comm, domain_, simulation.layout().splitters(), keys_of(simulation.layout())),
        labels_(layout_, Label::solid),
        velocity_(layout_) {
    std::vector<SolidBody> bodies = simulation.solids().bodies();
    for (SolidBody& body : bodies) body.wall = condition;
    solids_.reset(layout_, bodies);
    copy(simulation.labels(), labels_);
    for (int d = 0; d < velocity_.dimension(); ++d) copy(simulation.velocity()[d], velocity_[d]);
    layout_.halo().gather(labels_, 1);
  }

  /// One method on u*, from zero pressure. Collective.
  Solution solve(const Communicator& comm, PressureOptions parameters, const Method& method, const Accuracy& accuracy,
                 Rounds rounds) const {
    parameters.warm_start = true;  // the later solves of a step start from the earlier ones
    parameters.tolerance = 0.1 * accuracy.epsilon_cg;
    parameters.max_divergence = accuracy.epsilon_cg;
    WallOptions& walls = parameters.walls;
    walls.method = wall_method_named(method.method);
    walls.condition = method.condition;
    walls.stopping = method.stopping;
    walls.epsilon_cg = accuracy.epsilon_cg;
    walls.epsilon_aabs = accuracy.velocity * domain_.dx();
    walls.epsilon_arel = accuracy.velocity;
    walls.epsilon_adiv = walls.epsilon_idiv = accuracy.divergence;
    walls.max_outer = accuracy.max_outer;
    Projection projection(comm, parameters);
    Solution solution{method, accuracy, {}, 0.0, velocity_, {}, {}};
    if (rounds == Rounds::kept) {
      projection.watch([&](const OuterRound& round) { solution.rounds.push_back(round); });
      if (method.method == "cg")
        projection.watch_iterations([&](double divergence) { solution.iterations.push_back(divergence); });
    }
    CellField<double> pressure(layout_, 0.0);
    pressure.fill(0.0);
    const auto start = std::chrono::steady_clock::now();
    solution.report = projection(labels_, solids_, solution.velocity, pressure);
    solution.seconds = comm.max(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    return solution;
  }

 private:
  static std::vector<BlockKey> keys_of(const BlockLayout& layout) {
    return {layout.owned_keys().begin(), layout.owned_keys().end()};
  }
  template <class T>
  static void copy(const CellField<T>& from, CellField<T>& to) {
    const BlockLayout& layout = to.layout();
    for (LocalIndex b = 0; b < layout.n_owned(); ++b) std::copy_n(from.block(b), layout.cells_per_block(), to.block(b));
  }

  Domain domain_;
  BlockLayout layout_;
  SolidFields solids_;
  LabelField labels_;
  FaceField<double> velocity_;
};

/// max |u_a - u_b| over owned faces of all ranks [m/s].
double difference(const Communicator& comm, const FaceField<double>& a, const FaceField<double>& b) {
  double largest = 0.0;
  for (int d = 0; d < a.dimension(); ++d)
    for (LocalIndex block = 0; block < a.layout().n_owned(); ++block)
      for (int c = 0; c < a.layout().cells_per_block(); ++c)
        largest = std::max(largest, std::abs(a[d].block(block)[c] - b[d].block(block)[c]));
  return comm.max(largest);
}

Json record_of(const Solution& solution) {
  const ProjectionReport& report = solution.report;
  Json record = {{"method", solution.method.name},
                 {"accuracy", solution.accuracy.name},
                 {"cg_iterations", report.solve.iterations},
                 {"outer_iterations", report.outer_iterations},
                 {"seconds", solution.seconds},
                 {"max_divergence", report.max_divergence},
                 {"complementarity_residual", report.complementarity},
                 {"separated_faces", report.separated_faces},
                 {"converged", report.outer_converged}};
  if (!solution.iterations.empty()) record["iterations"] = solution.iterations;
  if (solution.rounds.empty()) return record;
  record["rounds"] = {{"divergence", Json::array()}, {"difference", Json::array()}};
  for (const OuterRound& round : solution.rounds) {
    record["rounds"]["divergence"].push_back(round.divergence);
    record["rounds"]["difference"].push_back(round.difference);
  }
  return record;
}

/// u_a - u_b on the low faces of the domain's cells along one axis and on the faces of its high sides, as rows, for 2-D
/// on one rank. [m/s]
Json field_of_difference(const CellField<double>& a, const CellField<double>& b) {
  const BlockLayout& layout = a.layout();
  const Vec3i places = layout.domain().cells() + Vec3i::Ones();
  std::vector<std::vector<double>> rows(static_cast<std::size_t>(places[1]),
                                        std::vector<double>(static_cast<std::size_t>(places[0]), 0.0));
  for (LocalIndex block = 0; block < layout.n_owned(); ++block) {
    const Vec3i first = layout.first_cell(block);
    for (int c = 0; c < layout.cells_per_block(); ++c) {
      const int i = first[0] + c % 8, j = first[1] + c / 8;
      if (i < places[0] && j < places[1])
        rows[static_cast<std::size_t>(j)][static_cast<std::size_t>(i)] = a.block(block)[c] - b.block(block)[c];
    }
  }
  return rows;
}

/// How far the solutions of the iterations at low accuracy lie from that of ADMMVelSep at high accuracy, by method.
Json fields_of(const std::vector<Solution>& solutions) {
  const auto is = [](const Solution& solution, const std::string& method, const std::string& accuracy) {
    return solution.method.name == method && solution.accuracy.name == accuracy;
  };
  const auto exact = std::ranges::find_if(solutions, [&](const Solution& s) { return is(s, "ADMMVelSep", "high"); });
  Json fields;
  for (const Solution& solution : solutions)
    for (const char* method : {"ADMMVelSep", "ADMMDivSep", "IOPDivSep"})
      if (is(solution, method, "low"))
        for (int d = 0; d < 2; ++d)
          fields[method].push_back(field_of_difference(solution.velocity[d], exact->velocity[d]));
  return fields;
}

/// Solutions of all methods; with rounds, also those of the iterations at thresholds that hardly converge.
std::vector<Solution> solutions_of(const Communicator& comm, const PressureOptions& options, const State& closed,
                                   const State& parting, Rounds rounds) {
  std::vector<Solution> solutions;
  for (const Accuracy& accuracy : accuracies)
    for (const Method& method : methods)
      solutions.push_back((method.condition == WallCondition::sticky ? closed : parting)
                              .solve(comm, options, method, accuracy, rounds));
  return solutions;
}

/// One object: the step, every solution, and the matrix of their differences in the same order; with rounds, also
/// solutions at inverted thresholds and fields of differences.
Json compare(const Communicator& comm, const Simulation& simulation, const Parameters& sticky,
             const Parameters& separating, Rounds rounds) {
  const State closed(comm, simulation, sticky.domain, WallCondition::sticky);
  const State parting(comm, simulation, separating.domain, WallCondition::separating);
  const std::vector<Solution> solutions = solutions_of(comm, sticky.pressure, closed, parting, rounds);
  Json json = {{"step", simulation.step()}, {"solutions", Json::array()}, {"differences", Json::array()}};
  for (const Solution& solution : solutions) json["solutions"].push_back(record_of(solution));
  for (const Solution& a : solutions) {
    Json row = Json::array();
    for (const Solution& b : solutions) row.push_back(difference(comm, a.velocity, b.velocity));
    json["differences"].push_back(std::move(row));
  }
  if (rounds == Rounds::left_out) return json;
  for (const Method& method : methods)
    if (method.condition == WallCondition::separating && method.stopping == WallStopping::divergence)
      json["inverted"].push_back(record_of(parting.solve(comm, sticky.pressure, method, inverted, rounds)));
  json["fields"] = fields_of(solutions);
  return json;
}

/// The case with all its walls of one kind; high walls keep their faces, so that both kinds have the same lattice.
Parameters with_walls(const Options& options, const char* condition) {
  std::vector<std::string> overrides = options.overrides;
  overrides.push_back(std::string("pressure.walls.condition=") + condition);
  overrides.emplace_back("pressure.walls.method=cg");
  Parameters parameters = parse_parameters(read_text_file(options.input), options.input, overrides);
  parameters.domain.stores_walls = true;
  return parameters;
}

void run(const Options& options) {
  const Communicator comm(MPI_COMM_WORLD);
  const Parameters sticky = with_walls(options, "sticky");
  const Parameters separating = with_walls(options, "separating");
  if (!options.at.empty() && (comm.size() > 1 || sticky.domain.dimension != 2))
    throw InputError("--at prints fields (in 2-D, on one rank). Leave it out, or choose such a case");
  Simulation simulation(comm, sticky);
  Json json = Json::array();
  const std::int64_t last = sticky.run.max_steps;
  while (last > 0 ? simulation.step() < last : simulation.time() < sticky.run.end_time) {
    const double dt = simulation.largest_dt();
    if (simulation.step() > 0 && simulation.step() % options.every == 0) {
      simulation.deposit_velocity();
      simulation.label();
      simulation.apply_forces(dt);
      const bool is_chosen = std::ranges::find(options.at, simulation.step()) != options.at.end();
      json.push_back(compare(comm, simulation, sticky, separating, is_chosen ? Rounds::kept : Rounds::left_out));
    }
    simulation.advance(dt);
  }
  if (comm.is_root()) std::fputs(json_text(json).c_str(), stdout);
}

}  // namespace
}  // namespace freshet::test

int main(int argc, char** argv) {
  freshet::test::Options options;
  CLI::App app("Compare the wall methods on the states of one sticky run; prints a list of JSON records");
  app.add_option("input", options.input, "case file")->required();
  app.add_option("overrides", options.overrides, "key=value, for example run.max_steps=100");
  app.add_option("--every", options.every, "steps between the states compared")->check(CLI::PositiveNumber);
  app.add_option("--at", options.at, "of these steps, those at which rounds and fields are printed, too");
  CLI11_PARSE(app, argc, argv);
  try {
    const freshet::Environment environment(argv[0], {});
    freshet::test::run(options);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "walls_agreement: %s\n", error.what());
    return 1;
  }
  return 0;
}
