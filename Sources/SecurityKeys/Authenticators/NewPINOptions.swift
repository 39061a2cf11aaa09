internal import ArgumentParser
package import CommandKit
package import PRFDevice
internal import SecretMemory

/// The source of the new PIN.
package struct NewPINOptions: ParsableArguments {
  @Option(help: ArgumentHelp("Read the new PIN from this open descriptor.", valueName: "n"))
  var newPinFd: Int32?

  @Option(
    help: ArgumentHelp(
      "Read the new PIN from this file; only you may read it.", valueName: "path"))
  var newPinFile: String?

  package init() {}

  package mutating func validate() throws { try DescriptorCheck.check(newPinFd, "--new-pin-fd") }

  /// Reads the new PIN from the options, or asks for it twice.
  ///
  /// - Parameters:
  ///   - key: the key for which it is.
  ///   - minimum: the smallest number of characters that the key accepts.
  /// - Returns: the PIN.
  /// - Throws: `config` when nobody can be asked, `data-invalid` when the PIN breaks CTAP's rules
  ///   or the key's.
  package func read(for key: OpenAuthenticator, minimum: Int) throws(UserMessage) -> PIN {
    let source: PINSource
    if let newPinFd {
      source = .descriptor(newPinFd)
    } else if let newPinFile {
      source = .setting(
        Setting(name: .pinFile, value: newPinFile, origin: .option("--new-pin-file")))
    } else {
      return try Self.ask(for: key, minimum: minimum)
    }
    return try Self.check(source.read(key.finder.prompter.output.run), minimum: minimum)
  }

  /// Asks the user, twice each time, until the key can accept the PIN.
  ///
  /// - Throws: `config` when nobody can be asked, `denied`, `data-invalid` when a program gives
  ///   useless answers.
  package static func ask(for key: OpenAuthenticator, minimum: Int) throws(UserMessage) -> PIN {
    let finder = key.finder
    var first = PINQuestion(subject: "New PIN")
    let second = PINQuestion(subject: "The same PIN again")
    if finder.asker.isProgram { first.subject += " for \(key.name)" }
    var rounds = 0
    while true {
      guard let typed = try finder.asker.ask(first, finder.prompter),
        let again = try finder.asker.ask(second, finder.prompter)
      else {
        throw UserMessage(
          .config, "a new PIN is needed and nobody can be asked",
          hint: "give it with --new-pin-fd or --new-pin-file")
      }
      rounds += 1
      do throws(UserMessage) {
        guard typed.isEqual(to: again) else { throw .differentPINs }
        return try check(typed, minimum: minimum)
      } catch {
        if finder.asker.isProgram, rounds == maximumRounds { throw error }
        first.complaint = error.sentence
      }
    }
  }

  /// How often a program, which may be a script, is asked.
  private static let maximumRounds = 5

  private static func check(
    _ typed: borrowing SecretBytes, minimum: Int
  ) throws(UserMessage) -> PIN {
    // A one-time code would be different each time.
    if OneTimeCode.matches(typed) { throw .oneTimeCode }
    let pin: PIN
    do throws(PRFDeviceError) {
      pin = try PIN(typed)
    } catch {
      throw UserMessage(error)
    }
    guard pin.codePointCount >= minimum else { throw .tooShort(minimum: minimum) }
    return pin
  }
}

extension UserMessage {
  fileprivate static let differentPINs = UserMessage(
    .dataInvalid, "The two are not the same", hint: "give the same PIN twice")
}
