// SPDX-License-Identifier: Apache-2.0
#include "cases.hpp"

namespace freshet::test {
namespace {

/// What a message says after "unknown key".
std::string answer_to(const std::string& override) {
  return error_of(minimal_case, {override});
}

TEST(UnknownKeys, the_message_names_the_place_the_key_and_the_nearest_key) {
  EXPECT_EQ(error_of(minimal_case + "[time]\nclf = 0.5\n"),
            "case.toml:12: unknown key 'time.clf' (not a key of this program). Did you mean 'time.cfl'?");
  EXPECT_EQ(answer_to("time.clf=2"),
            "override 'time.clf=2': unknown key 'time.clf' (not a key of this program). Did you mean 'time.cfl'?");
}

TEST(UnknownKeys, a_slip_in_a_name_is_answered_from_the_same_table) {
  EXPECT_TRUE(contains(answer_to("run.end_tme=1"), "'run.end_time'?"));
  EXPECT_TRUE(contains(answer_to("run.sede=1"), "'run.seed'?"));
  EXPECT_TRUE(contains(answer_to("pressure.mic0_sigam=1"), "'pressure.mic0_sigma'?"));
  EXPECT_TRUE(contains(answer_to("domain.boundary.x_hihg=open"), "'domain.boundary.x_high'?"));
  EXPECT_TRUE(contains(answer_to("liquid.0.tga=1"), "'liquid.0.tag'?"));
}

TEST(UnknownKeys, a_key_in_the_wrong_table_is_answered_from_the_right_one) {
  EXPECT_TRUE(contains(answer_to("cfl=1"), "'time.cfl'?"));
  EXPECT_TRUE(contains(answer_to("run.cfl=1"), "'time.cfl'?"));
  EXPECT_TRUE(contains(answer_to("domain.x_low=open"), "'domain.boundary.x_low'?"));
}

TEST(UnknownKeys, a_slip_in_a_table_is_answered_with_a_table) {
  EXPECT_TRUE(contains(answer_to("tiem.cfl=1"), "unknown key 'tiem'"));
  EXPECT_TRUE(contains(answer_to("tiem.cfl=1"), "'time'?"));
  EXPECT_TRUE(contains(answer_to("domain.bondary.x_low=open"), "'domain.boundary'?"));
  EXPECT_TRUE(contains(error_of(minimal_case + "[[liqid]]\ntag = 1\n"), "'liquid'?"));
}

TEST(UnknownKeys, a_word_like_no_key_still_names_the_nearest_and_the_list) {
  const std::string message = answer_to("viscoelasticity=1");
  EXPECT_TRUE(contains(message, "The nearest known key is '")) << message;
  EXPECT_TRUE(contains(message, "`freshet schema` lists them all")) << message;
  const std::string of_no_word = answer_to(std::string(3000, 'v') + "=1");
  EXPECT_FALSE(contains(of_no_word, "nearest")) << of_no_word;
  EXPECT_TRUE(contains(of_no_word, "`freshet schema` lists all keys")) << of_no_word;
}

TEST(UnknownKeys, a_name_with_a_dot_in_it_is_no_dotted_key) {
  EXPECT_TRUE(contains(error_of(minimal_case + "[time]\n\"x.cfl\" = 1.0\n"), "unknown key 'time.x.cfl'"));
  EXPECT_TRUE(contains(error_of("\"time.cfl\" = 1.0\n" + minimal_case), "unknown key 'time.cfl'"));
}

TEST(UnknownKeys, they_are_reported_before_what_is_missing) {
  const std::string message = error_of("[run]\nend_tme = 1.0\n");
  EXPECT_TRUE(contains(message, "case.toml:2: unknown key 'run.end_tme'")) << message;
}

TEST(UnknownKeys, the_first_in_the_file_is_reported) {
  const std::string message = error_of(minimal_case + "[time]\nzzz = 1\naaa = 1\n");
  EXPECT_TRUE(contains(message, "case.toml:12: unknown key 'time.zzz'")) << message;
}

TEST(UnknownKeys, endless_names_are_cut_short) {
  EXPECT_LT(error_of(std::string(100000, 'x') + " = 1\n" + minimal_case).size(), 400u);
  EXPECT_LT(error_of(minimal_case + "[time]\n" + std::string(100000, 'x') + " = 1\n").size(), 400u);
}

}  // namespace
}  // namespace freshet::test
