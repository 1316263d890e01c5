// SPDX-License-Identifier: Apache-2.0
#include "cases.hpp"

namespace freshet::test {
namespace {

std::string table(const std::string& line) {
  return minimal_case + "[pressure.petsc]\n" + line + "\n";
}

std::string option(const std::string& name, const std::string& value) {
  return parse(table(name + " = " + value)).pressure.petsc.at(name);
}

TEST(SolverOptions, numbers_flags_and_types_pass) {
  EXPECT_EQ(option("ksp_type", "\"fcg\""), "fcg");
  EXPECT_EQ(option("ksp_max_it", "50"), "50");
  EXPECT_EQ(option("ksp_rtol", "1e-08"), "1e-08");
  EXPECT_EQ(option("ksp_chebyshev_esteig", "\"0,0.1,0,1.1\""), "0,0.1,0,1.1");
  EXPECT_EQ(option("ksp_error_if_not_converged", "true"), "true");
  EXPECT_EQ(option("ksp_pc_side", "\"symmetric\""), "symmetric");
  EXPECT_EQ(option("pc_mg_galerkin", "\"both\""), "both");
  EXPECT_EQ(option("pc_factor_mat_solver_type", "\"mumps\""), "mumps");
  EXPECT_EQ(option("pc_hypre_boomeramg_agg_num_paths", "2"), "2");
  EXPECT_EQ(option("pc_hypre_boomeramg_interp_type", "\"ext+i\""), "ext+i");
  EXPECT_EQ(option("pc_hypre_boomeramg_relax_type_all", "\"symmetric-SOR/Jacobi\""), "symmetric-SOR/Jacobi");
  EXPECT_EQ(option("mg_levels_2_ksp_type", "\"chebyshev\""), "chebyshev");
  EXPECT_EQ(option("sub_pc_factor_levels", "1"), "1");
}

TEST(SolverOptions, monitors_are_switches) {
  for (const std::string name : {"ksp_monitor", "ksp_view", "ksp_converged_reason", "ksp_monitor_true_residual"}) {
    EXPECT_EQ(option(name, "true"), "");
    EXPECT_EQ(option(name, "\"\""), "");
    EXPECT_TRUE(parse(table(name + " = false")).pressure.petsc.empty());
  }
}

TEST(SolverOptions, what_could_name_a_file_belongs_on_the_command_line) {
  for (const char* line : {"ksp_view = \"ascii:/etc/x\"",
                           "ksp_monitor = \":../x:ascii_info:append\"",
                           "ksp_monitor = \"binary\"",
                           "ksp_monitor = 1",
                           "ksp_converged_reason = \"ascii:x\"",
                           "ksp_converged_rate = \"ascii:x\"",
                           "ksp_view_mat = \"\"",
                           "ksp_view_solution = true",
                           "mg_levels_ksp_monitor = true",
                           "mg_coarse_ksp_view = \"draw\"",
                           "ksp_monitor_python = true",
                           "ksp_plot_eigenvalues = true",
                           "pc_mg_dump_matlab = true",
                           "pc_mg_log = true",
                           "pc_hypre_boomeramg_print_statistics = true",
                           "pc_hypre_boomeramg_print_debug = true",
                           "pc_ml_PrintLevel = 3",
                           "pc_python_type = \"mine\"",
                           "pc_type = \"python\"",
                           "ksp_type = \"python\"",
                           "pc_type = \"shell\"",
                           "pc_type = \"/tmp/mine\"",
                           "pc_type = \"mine.so\"",
                           "pc_type = \"a b\"",
                           "options_file = \"/etc/x\"",
                           "ksp_options_file = 1",
                           "mat_mumps_icntl_1 = 99",
                           "sub_mat_mumps_icntl_22 = 1",
                           "ksp_mat_mumps_icntl_1 = 99",
                           "log_view = \":x\"",
                           "ksp_rtol = \"../x\"",
                           "ksp_rtol = \"x\"",
                           "pc_gamg_threshold = \"-\"",
                           "ksp_type = \"a\\u0000b\"",
                           "info = \"/tmp/x\"",
                           "malloc_dump = true"}) {
    const std::string message = error_of(table(line));
    EXPECT_TRUE(contains(message, "is not for a case file")) << line << ": " << message;
    EXPECT_TRUE(contains(message, "on the command line, after --, as -pressure_")) << message;
  }
}

TEST(SolverOptions, an_override_reaches_no_farther_than_a_case_file) {
  EXPECT_TRUE(contains(error_of(minimal_case, {"pressure.petsc.ksp_view=ascii:/etc/x"}), "is not for a case file"));
}

TEST(SolverOptions, a_line_of_text_has_no_control_characters) {
  for (const char* text : {"a\\u0000b", "a\\nb", "a\\rb", "a\\tb", "\\u001b[2J", "\\u007f", "\\u009b2J"}) {
    for (const char* key : {"title", "reference"}) {
      const std::string message = error_of(std::string(key) + " = \"" + text + "\"\n" + minimal_case);
      EXPECT_TRUE(contains(message, "is not a line of plain text")) << message;
    }
  }
  EXPECT_EQ(parse("title = \"Wasser é 水 \\u00a0\"\n" + minimal_case).title, "Wasser é 水 \xc2\xa0");
}

TEST(SolverOptions, messages_show_no_control_characters) {
  for (const char* key : {"\"\\u001b[2J\"", "\"a\\nb\"", "\"\\u009b2J\""}) {
    const std::string message = error_of(minimal_case + std::string(key) + " = 1\n");
    EXPECT_TRUE(contains(message, "?")) << message;
    EXPECT_EQ(message.find_first_of("\x1b\n\x9b"), std::string::npos) << message;
  }
}

TEST(SolverOptions, long_text_is_cut_between_characters) {
  const std::string message = error_of(minimal_case, {"motion.scheme=" + std::string("a") + [] {
                                         std::string text;
                                         for (int i = 0; i < 100; ++i) text += "é";
                                         return text;
                                       }()});
  EXPECT_TRUE(contains(message, "é...")) << message;
}

}  // namespace
}  // namespace freshet::test
