// The kinds of work that SQLite is trained with, one function each; the file of the same name in
// work/ has its SQL.
#pragma once

#include "session.hpp"
#include "words.hpp"

#include <string>

namespace train {

/// What a kind gets: its SQL, its random data, and an empty folder for files.
struct task {
    const work_file& work;
    words& random;
    std::string folder;
};

void shop(const task& given);
void weather(const task& given);
void mail(const task& given);
void places(const task& given);
void staff(const task& given);
void documents(const task& given);
void library(const task& given);
void files(const task& given);

}  // namespace train
