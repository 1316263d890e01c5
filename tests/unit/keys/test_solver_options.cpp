// SPDX-License-Identifier: Apache-2.0
#include "values.hpp"

#include <map>

namespace freshet::test {
namespace {

std::map<std::string, std::string> read(const std::string& name, const Value& value) {
  return keys::read_solver_options(table({{name, value}}), "pressure.petsc");
}

std::string option(const std::string& name, const Value& value) {
  return read(name, value).at(name);
}

TEST(SolverOptions, numbers_flags_and_types_pass) {
  EXPECT_EQ(option("ksp_type", text("fcg")), "fcg");
  EXPECT_EQ(option("ksp_max_it", integer(50)), "50");
  EXPECT_EQ(option("ksp_rtol", real(1e-08)), "1e-08");
  EXPECT_EQ(option("ksp_chebyshev_esteig", text("0,0.1,0,1.1")), "0,0.1,0,1.1");
  EXPECT_EQ(option("ksp_error_if_not_converged", boolean(true)), "true");
  EXPECT_EQ(option("ksp_pc_side", text("symmetric")), "symmetric");
  EXPECT_EQ(option("pc_mg_galerkin", text("both")), "both");
  EXPECT_EQ(option("pc_factor_mat_solver_type", text("mumps")), "mumps");
  EXPECT_EQ(option("pc_hypre_boomeramg_agg_num_paths", integer(2)), "2");
  EXPECT_EQ(option("pc_hypre_boomeramg_interp_type", text("ext+i")), "ext+i");
  EXPECT_EQ(option("pc_hypre_boomeramg_relax_type_all", text("symmetric-SOR/Jacobi")), "symmetric-SOR/Jacobi");
  EXPECT_EQ(option("mg_levels_2_ksp_type", text("chebyshev")), "chebyshev");
  EXPECT_EQ(option("sub_pc_factor_levels", integer(1)), "1");
}

TEST(SolverOptions, monitors_are_switches) {
  for (const std::string name : {"ksp_monitor", "ksp_view", "ksp_converged_reason", "ksp_monitor_true_residual"}) {
    EXPECT_EQ(option(name, boolean(true)), "");
    EXPECT_EQ(option(name, text("")), "");
    EXPECT_TRUE(read(name, boolean(false)).empty());
  }
}

TEST(SolverOptions, what_could_name_a_file_belongs_on_the_command_line) {
  const std::vector<std::pair<std::string, Value>> options = {{"ksp_view", text("ascii:/etc/x")},
                                                              {"ksp_monitor", text(":../x:ascii_info:append")},
                                                              {"ksp_monitor", text("binary")},
                                                              {"ksp_monitor", integer(1)},
                                                              {"ksp_converged_reason", text("ascii:x")},
                                                              {"ksp_converged_rate", text("ascii:x")},
                                                              {"ksp_view_mat", text("")},
                                                              {"ksp_view_solution", boolean(true)},
                                                              {"mg_levels_ksp_monitor", boolean(true)},
                                                              {"mg_coarse_ksp_view", text("draw")},
                                                              {"ksp_monitor_python", boolean(true)},
                                                              {"ksp_plot_eigenvalues", boolean(true)},
                                                              {"pc_mg_dump_matlab", boolean(true)},
                                                              {"pc_mg_log", boolean(true)},
                                                              {"pc_hypre_boomeramg_print_statistics", boolean(true)},
                                                              {"pc_hypre_boomeramg_print_debug", boolean(true)},
                                                              {"pc_ml_PrintLevel", integer(3)},
                                                              {"pc_python_type", text("mine")},
                                                              {"pc_type", text("python")},
                                                              {"ksp_type", text("python")},
                                                              {"pc_type", text("shell")},
                                                              {"pc_type", text("/tmp/mine")},
                                                              {"pc_type", text("mine.so")},
                                                              {"pc_type", text("a b")},
                                                              {"options_file", text("/etc/x")},
                                                              {"ksp_options_file", integer(1)},
                                                              {"mat_mumps_icntl_1", integer(99)},
                                                              {"sub_mat_mumps_icntl_22", integer(1)},
                                                              {"ksp_mat_mumps_icntl_1", integer(99)},
                                                              {"log_view", text(":x")},
                                                              {"ksp_rtol", text("../x")},
                                                              {"ksp_rtol", text("x")},
                                                              {"pc_gamg_threshold", text("-")},
                                                              {"ksp_type", text(std::string("a\0b", 3))},
                                                              {"info", text("/tmp/x")},
                                                              {"malloc_dump", boolean(true)}};
  for (const auto& [name, value] : options) {
    const std::string message = error_of([&, option = name, given = value] { read(option, given); });
    EXPECT_NE(message.find("is not for a case file"), std::string::npos) << name << ": " << message;
    EXPECT_NE(message.find("on the command line, after --, as -pressure_"), std::string::npos) << message;
  }
}

}  // namespace
}  // namespace freshet::test
