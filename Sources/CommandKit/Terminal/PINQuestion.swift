/// A question for a PIN or another secret, in the parts that the means of asking need.
package struct PINQuestion: Sendable {
  /// The subject, such as "PIN for YubiKey 5".
  package var subject: String
  /// A note for the user, such as "8 tries left".
  package var note: String?
  /// The problem of the previous answer, as a full sentence.
  package var complaint: String?
  /// The secret's name in the middle of a sentence.
  package var what = PINQuestion.pin

  /// A security key's PIN in the middle of a sentence.
  package static let pin = "PIN"

  /// The secret's name at the beginning of a text.
  package var title: String { what.prefix(1).uppercased() + what.dropFirst() }
  /// The question for a terminal.
  package var prompt: String { subject + (note.map { " (\($0))" } ?? "") + ": " }
  /// The question for a program that takes one line.
  package var line: String { (complaint.map { $0 + " " } ?? "") + prompt }

  package init(
    subject: String, note: String? = nil, complaint: String? = nil, what: String = PINQuestion.pin
  ) {
    self.subject = subject
    self.note = note
    self.complaint = complaint
    self.what = what
  }
}

extension UserMessage {
  /// The error that the requested secret was not given.
  package static func notGiven(_ what: String, _ how: String) -> UserMessage {
    UserMessage(
      .denied, "no \(what) was given \(how)",
      hint: what == PINQuestion.pin ? "try again; no try was spent" : "try again")
  }
}
