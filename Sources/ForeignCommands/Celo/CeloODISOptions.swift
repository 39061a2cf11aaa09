internal import ArgumentParser
internal import CommandKit
internal import CommandSupport
internal import ForeignBackups
internal import SecretMemory

/// Where the output of ODIS comes from: by hand, or from a program that asks a service of the
/// person's own.
struct CeloODISOptions: ParsableArguments {
  @Option(help: ArgumentHelp("Read the output of ODIS from this descriptor.", valueName: "n"))
  var odisOutputFd: Int32?

  @Option(
    help: ArgumentHelp(
      "Read it from this file: 64 hex digits, or base64.", valueName: "path"))
  var odisOutputFile: String?

  @Option(
    help: ArgumentHelp(
      "Run this program for the output of ODIS.",
      valueName: "program"))
  var odisProgram: String?

  mutating func validate() throws {
    try DescriptorCheck.check(odisOutputFd, "--odis-output-fd")
    let given = [odisOutputFd != nil, odisOutputFile != nil, odisProgram != nil].count { $0 }
    if given > 1 { throw ValidationError("the output of ODIS comes from one place") }
  }

  /// Whether an option names a place.
  var isGiven: Bool { odisOutputFd != nil || odisOutputFile != nil || odisProgram != nil }

  /// `-` when it comes from standard input.
  var input: String? { odisOutputFd == 0 ? "-" : odisOutputFile }

  private static let secret = EncodedSecret(
    what: "output of ODIS", size: CeloBackup.odisOutputSize, takesBase64: true)

  /// The output; empty where the file needs none.
  ///
  /// - Parameters:
  ///   - backup: the file.
  ///   - opening: the file with its password, whose key a program is asked about.
  ///   - prompter: the person.
  /// - Returns: the output, 32 bytes, or none.
  /// - Throws: `usage` where one is given and the file needs none, `config` where nobody can be
  ///   asked, `denied` where the program gives none, `data-invalid`.
  func read(
    _ backup: CeloBackup, _ opening: borrowing CeloOpening, _ prompter: Prompter
  ) throws(UserMessage) -> SecretBytes {
    guard let domain = backup.odisDomain else { return SecretBytes(zeroed: 0) }
    if let odisProgram { return try answer(odisProgram, domain, opening.message()) }
    return try Self.secret.read(
      descriptor: odisOutputFd, file: odisOutputFile, option: "--odis-output-file", prompter,
      nobody: "give it with --odis-output-file, or name a program with --odis-program. "
        + CeloReport.serviceGone)
  }

  /// Refuses options that do not go with a file, and a file that cannot be opened with them.
  ///
  /// Nothing is asked before. Where the output will be asked for, it says that the service is gone.
  ///
  /// - Throws: `usage`, `config`, `no-input`, `permission-denied`.
  func check(_ backup: CeloBackup, _ prompter: Prompter) throws(UserMessage) {
    if backup.odisDomain == nil, isGiven {
      throw UserMessage(
        .usage, "this file has no odisDomain, so no output of ODIS opens it",
        hint: "leave the output out; if you know that there was one, the file was changed")
    }
    if backup.odisDomain != nil, !isGiven, !prompter.canAsk {
      throw UserMessage(
        .config, "the \(Self.secret.what) is needed and nobody can be asked",
        hint: "give it with --odis-output-file, or name a program with --odis-program. "
          + CeloReport.serviceGone)
    }
    try SecretLine.requireUsable(
      odisOutputFile, what: Self.secret.what, option: "--odis-output-file")
    if backup.odisDomain != nil, !isGiven {
      prompter.tell(CeloReport.serviceGone + ". Without its output this file does not open.")
    }
  }

  private func answer(
    _ program: String, _ domain: SequentialDelayDomain, _ message: consuming SecretBytes
  ) throws(UserMessage) -> SecretBytes {
    var helper = try HelperProgram(
      program, [], for: Self.secret.what, namedBy: "--odis-program", patience: Self.patience,
      isShown: true)
    var question = SecretText()
    question.append("{\"domain_hash\":\"\(Hex.string(domain.hash))\",\"message\":\"")
    question.append(hex: message)
    question.append("\",\"schema\":1}\n")
    helper.send(last: question.finish())
    var output = SecretBytes(zeroed: 1024)
    var filled = 0
    reading: while filled < output.count {
      guard case .bytes(let count) = try helper.receive(into: &output, from: filled) else {
        break reading
      }
      filled += count
    }
    guard try helper.succeeded() else {
      throw UserMessage.notGiven(
        Self.secret.what, "by \(ShellWord.quoted(program)): it failed, or it wrote too much")
    }
    let size = output.withBytes { bytes in
      (0..<filled).first { Self.endsLine(bytes, $0) } ?? filled
    }
    output.resize(to: size)
    return try Self.secret.decode(output)
  }

  private static func endsLine(_ bytes: RawSpan, _ place: Int) -> Bool {
    let byte = unsafe bytes.unsafeLoad(fromByteOffset: place, as: UInt8.self)
    return byte == 10 || byte == 13
  }

  /// The seconds that a program has: it asks several servers.
  private static let patience = 300
}
