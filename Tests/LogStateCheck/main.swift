// Reads sets of files and their meaning by Tests/fold/fold.py, line by line, and compares it with LogState.
// Tests/fold/compare.py writes the lines and describes them. With `speed WALLETS` it only measures.

import CSPP
import Foundation
import LogState

if CommandLine.arguments.count > 2, CommandLine.arguments[1] == "speed" {
  measure(wallets: Int(CommandLine.arguments[2]) ?? 1)
  exit(0)
}
let names = [
  "live", "offered", "history", "aside", "faded", "ordinary", "ended", "settled", "writers",
  "retired", "slots", "removed slots", "texts", "told", "refused", "waiting", "counting", "earlier",
  "new computer", "successors", "rivals", "must wait", "whole", "unanswered", "step", "others",
  "unbegun", "missing", "forks", "rolled back", "lacking",
]
var files = Files()
var compared = 0
var appended = 0
var duties = 0
var different = 0

@MainActor func report(_ question: Substring, _ differences: [String]) {
  different += 1
  guard different <= 5 else { return }
  print("different: \(question)")
  for text in differences { print("  \(text)") }
}

while let line = readLine() {
  if line.utf8.first == UInt8(ascii: "D") {
    let parts = line.split(separator: "|", omittingEmptySubsequences: false)
    let found = DutyQuestion(parts[0].split(separator: " "), files).answer(files)
    duties += 1
    if found != parts[1] { report(parts[0], ["explore.py \(parts[1]), LogState \(found)"]) }
    continue
  }
  guard line.utf8.first == UInt8(ascii: "Q") else {
    files.define(line.split(separator: " "))
    continue
  }
  let parts = line.split(separator: "|", omittingEmptySubsequences: false)
  let question = Question(parts[0].split(separator: " "), files)
  let expected = parts.dropFirst()
  let found = question.answers(files)
  compared += 1
  if !zip(expected, found).allSatisfy({ $0 == $1 }) || expected.count != found.count {
    report(
      parts[0],
      zip(names, zip(expected, found)).filter { $1.0 != $1.1 }.map {
        "\($0): fold.py \($1.0), LogState \($1.1)"
      })
  }
  appended += question.entries.count
  if let wrong = question.wrongAppend() {
    report(parts[0], ["the state after file \(wrong) is not that from scratch"])
  }
}
print(
  "\(compared) sets of files compared, \(appended) files appended, \(duties) duties asked, \(different) different"
)
exit(different == 0 && compared > 0 ? 0 : 1)
