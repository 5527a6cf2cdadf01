#include "client/note_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace tidemark {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

v1::Note Note(const std::string& text) {
  v1::Note note;
  note.set_text(text);
  return note;
}

v1::Job JobWith(const std::vector<std::string>& notes) {
  v1::Job job;
  for (const std::string& text : notes) *job.add_notes() = Note(text);
  return job;
}

std::vector<std::string> Texts(const std::vector<v1::Note>& notes) {
  std::vector<std::string> texts;
  for (const v1::Note& note : notes) texts.push_back(note.text());
  return texts;
}

TEST(NoteLog, AllNotesAreNewAtFirst) {
  NoteLog log;
  EXPECT_THAT(Texts(log.Merge(JobWith({"a", "b"}))), ElementsAre("a", "b"));
}

TEST(NoteLog, NotesThatCameByThemselvesAreNotNewInTheJob) {
  NoteLog log;
  log.Add(Note("a"));
  log.Add(Note("b"));
  EXPECT_THAT(Texts(log.Merge(JobWith({"a", "b"}))), IsEmpty());
}

TEST(NoteLog, NotesOfTheTimeWithoutContactAreNew) {
  NoteLog log;
  log.Merge(JobWith({"a"}));
  log.Add(Note("b"));
  EXPECT_THAT(Texts(log.Merge(JobWith({"a", "b", "c", "d"}))), ElementsAre("c", "d"));
}

TEST(NoteLog, TheSameTextAgainIsNew) {
  NoteLog log;
  log.Merge(JobWith({"a"}));
  EXPECT_THAT(Texts(log.Merge(JobWith({"a", "a"}))), ElementsAre("a"));
}

TEST(NoteLog, AJobThatForgotItsFirstNotesIsMatchedByTheOthers) {
  NoteLog log;
  std::vector<std::string> notes;
  for (int i = 0; i < 100; ++i) notes.push_back(std::to_string(i));
  log.Merge(JobWith(notes));
  const std::vector<std::string> later(notes.begin() + 2, notes.end());
  std::vector<std::string> now = later;
  now.insert(now.end(), {"100", "101"});
  EXPECT_THAT(Texts(log.Merge(JobWith(now))), ElementsAre("100", "101"));
}

}  // namespace
}  // namespace tidemark
