/// An event for a program that runs this command, as it happens: docs/events.md.
///
/// No event ever holds a secret.
package enum Event: Sendable {
  /// A security key must be plugged in or held to the reader.
  case insert(Insert)
  /// A person must choose among several keys by touching one.
  case select(candidates: [ShownKey], why: String, secondsLeft: Int)
  /// A PIN is about to be read.
  case pin(PINRequest)
  /// A key waits for its touch, or its fingerprint.
  case touch(ShownKey, why: String?, secondsLeft: Int)
  /// A PIN for guards is about to be read.
  case guardPIN(hosts: [String], triesLeft: Int, source: String)
  /// Guards are asked: the path of the call, and how many; and the hosts that let a run wait.
  case guards(call: String, count: Int, waiting: [String])
  /// A person must log in at this address.
  case login(issuer: String, url: String, secondsLeft: Int)
  /// Files are waited for that are not synchronised, or one of a path.
  case sync(files: Int, path: String?, secondsLeft: Int?)
  /// How far a long run has come.
  case progress(what: String, done: Int, total: Int)
  /// Something became of a watched file: `saved`, `unchanged`, `missing`, `failed`.
  case file(path: String, outcome: String, message: UserMessage?)
  /// The command has ended.
  case done(ExitReason, UserMessage?)

  /// A wait for a key.
  package struct Insert: Sendable {
    /// Labels of the keys that would do; none: any, or their names are unknown.
    package var accepting: [String] = []
    /// The other ways in, such as "the recovery kit".
    package var otherKeySlots: [String] = []
    /// The options that use them.
    package var otherOptions: [String] = []
    /// The device file that was asked for.
    package var path: String?
    /// How long it is waited for.
    package var seconds: Int
    /// How many keys are plugged in that will not do.
    package var unsuitable = 0
    /// The purpose of the key: why the others will not do.
    package var purpose = KeyPurpose.opening

    package init(
      accepting: [String] = [], otherKeySlots: [String] = [], otherOptions: [String] = [],
      path: String? = nil, seconds: Int, unsuitable: Int = 0,
      purpose: KeyPurpose = KeyPurpose.opening
    ) {
      self.accepting = accepting
      self.otherKeySlots = otherKeySlots
      self.otherOptions = otherOptions
      self.path = path
      self.seconds = seconds
      self.unsuitable = unsuitable
      self.purpose = purpose
    }

    /// The request to a person.
    package var text: String {
      if purpose == .enrolling {
        switch unsuitable {
        case 0: return "Insert the security key to enrol."
        case 1:
          return "This is the key you already have. Now insert the new one. "
            + "With one USB port, take this one out first."
        default: return "These are keys you already have. Now insert the new one."
        }
      }
      let names = accepting.map { "\"\(PrintableText.name($0, limit: 40))\"" }
      var text = unsuitable == 0 ? "" : purpose.misfit(unsuitable) + " "
      switch names.count {
      case 0: text += unsuitable == 0 ? "Insert your security key." : "Insert the right one."
      case 1: text += "Insert your security key \(names[0])."
      default:
        text += "Insert one of your security keys: " + names.joined(separator: ", ") + "."
      }
      if !otherKeySlots.isEmpty {
        let slots = otherKeySlots.map { PrintableText.name($0, limit: 40) }
        text += " Other ways in: " + slots.joined(separator: ", ")
        text +=
          otherOptions.isEmpty ? "." : ", with " + otherOptions.joined(separator: " or ") + "."
      }
      return text
    }
  }

  /// The purpose of a security key that is waited for.
  package enum KeyPurpose: Sendable {
    /// It opens the backup.
    case opening
    /// It opens the backup by one of some key slots: a key that opens it by another
    /// one will not do.
    case openingByCertainKeySlots
    /// It opens the backup in which a key slot is to be removed, by another one.
    case removing
    /// It is to become a key slot.
    case enrolling

    /// That security keys will not do, one sentence with its full stop.
    func misfit(_ count: Int) -> String {
      switch self {
      case .opening, .enrolling:
        count == 1
          ? "The security key that is plugged in does not open this backup."
          : "None of the security keys that are plugged in opens this backup."
      case .openingByCertainKeySlots:
        count == 1
          ? "The security key that is plugged in is not the one that is needed now."
          : "None of the security keys that are plugged in is the one that is needed now."
      case .removing:
        count == 1
          ? "The security key that is plugged in is the one to be removed, or does not open this backup."
          : "The security keys that are plugged in are to be removed, or do not open this backup."
      }
    }

    /// The word in an event's `why`.
    package var word: String? { self == .enrolling ? "to enrol" : nil }
  }

  /// Whether the stream may lose it when its reader is slow; the end of a run is never lost.
  var isOptional: Bool {
    if case .progress(_, let done, let total) = self { done < total } else { false }
  }

  /// The object that is written as one line.
  package var json: JSONOutput {
    var object = fields
    object["schema"] = 1
    return object
  }

  private var fields: JSONOutput {
    switch self {
    case .insert(let insert):
      [
        "event": "insert", "accepts": .array(insert.accepting.map(JSONOutput.string)),
        "other_ways": .array(insert.otherKeySlots.map(JSONOutput.string)),
        "unsuitable": .number(insert.unsuitable), "path": .optional(insert.path),
        "why": .optional(insert.purpose.word),
        "seconds_left": .number(insert.seconds),
      ]
    case .select(let candidates, let why, let secondsLeft):
      [
        "event": "select", "candidates": .array(candidates.map(\.json)), "why": .string(why),
        "seconds_left": .number(secondsLeft),
      ]
    case .pin(let request):
      [
        "event": "pin", "key": .string(request.key.name), "path": .string(request.key.path),
        "retries": .number(request.retries),
        "minimum_length": .number(request.minimumLength),
        "reason": .string(request.reason.rawValue), "source": .string(request.source),
      ]
    case .touch(let key, let why, let secondsLeft):
      [
        "event": "touch", "key": .string(key.name), "path": .string(key.path),
        "transport": .string(key.transport), "why": .optional(why),
        "seconds_left": .number(secondsLeft),
      ]
    case .guardPIN(let hosts, let triesLeft, let source):
      [
        "event": "guard_pin", "guards": .array(hosts.map(JSONOutput.string)),
        "tries_left": .number(triesLeft), "source": .string(source),
      ]
    case .guards(let call, let count, let waiting):
      [
        "event": "guards", "call": .string(call), "count": .number(count),
        "waiting": .array(waiting.map(JSONOutput.string)),
      ]
    case .login(let issuer, let url, let secondsLeft):
      [
        "event": "login", "issuer": .string(issuer), "url": .string(url),
        "seconds_left": .number(secondsLeft),
      ]
    case .sync(let files, let path, let secondsLeft):
      [
        "event": "sync", "files": .number(files), "path": .optional(path),
        "seconds_left": .optional(secondsLeft),
      ]
    case .progress(let what, let done, let total):
      [
        "event": "progress", "what": .string(what), "done": .number(done),
        "total": .number(total),
      ]
    case .file(let path, let outcome, let message):
      [
        "event": "file", "path": .string(path), "outcome": .string(outcome),
        "word": .optional(message?.word), "message": .optional(message?.message),
        "hint": .optional(message?.hint),
      ]
    case .done(let code, let message):
      [
        "event": "done", "code": .number(Int(code.rawValue)),
        "word": .string(message?.word ?? code.word), "message": .optional(message?.message),
        "hint": .optional(message?.hint),
      ]
    }
  }
}

/// A security key as people and calling programs are told about it.
package struct ShownKey: Sendable, Equatable {
  /// The product's name, safe to show.
  package var name: String
  /// The same, told from another one of its model where there is one in reach.
  package var told: String
  /// The device file.
  package var path: String
  /// "usb" or "nfc".
  package var transport: String

  /// The name and the place, once each.
  package var placed: String { name.contains(path) ? name : "\(name) at \(path)" }

  package init(name: String, told: String, path: String, transport: String) {
    self.name = name
    self.told = told
    self.path = path
    self.transport = transport
  }

  /// The key as an object in an event.
  package var json: JSONOutput {
    ["key": .string(name), "path": .string(path), "transport": .string(transport)]
  }
}

/// A PIN that is asked for, as described to the one who gives it.
package struct PINRequest: Sendable {
  /// Why it is asked for.
  package enum Reason: String, Sendable {
    /// It was not asked for yet.
    case first
    /// The key refused the one before.
    case wrong
    /// The one before was the one that the key had just refused: not sent.
    case same
    /// The one before breaks the rules for PINs: not sent.
    case policy
    /// The one before was a one-time code of the key itself: not sent.
    case code
  }

  package var key: ShownKey
  /// Wrong PINs left until the key blocks itself.
  package var retries: Int
  /// The least number of characters.
  package var minimumLength: Int
  package var reason: Reason
  /// Where it is read from: a word of docs/events.md.
  package var source: String

  package init(key: ShownKey, retries: Int, minimumLength: Int, reason: Reason, source: String) {
    self.key = key
    self.retries = retries
    self.minimumLength = minimumLength
    self.reason = reason
    self.source = source
  }
}
