internal import ArgumentParser
internal import GuardClient

/// `keybackup-guard ask`: the program that `keybackup` starts to reach guards and issuers.
struct AskCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "ask",
    abstract: "Ask guards for keybackup (started by it).",
    discussion: """
      Reads one JSON object a line from standard input and writes answers to standard output. It \
      ends with its standard input. It has no PIN, no key and no folder.
      """)

  @Option(
    name: .customLong("ca"), parsing: .singleValue,
    help: ArgumentHelp("Trust the certificates in this PEM file, too.", valueName: "file"))
  var certificateFiles: [String] = []

  func run() async throws {
    do throws(AskProgram.NoCertificate) {
      try await AskProgram.run(trusting: certificateFiles)
    } catch {
      throw GuardToolError(
        .dataInvalid, "\(error.file) holds no certificate in PEM",
        hint: "give --ca a file with the authority's certificate")
    }
  }
}
