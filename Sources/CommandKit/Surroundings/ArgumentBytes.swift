package import CommandSupport

/// The bytes of the command line, as the caller gave them.
///
/// Swift repairs what is not UTF-8. Repaired words may name another file than the caller meant, so
/// such a command line is refused.
package enum ArgumentBytes {
  /// Why nothing is done with the process's command line; nil: it is UTF-8 as it is.
  package static var refusal: UserMessage? {
    for place in 1..<max(1, Int(CommandLine.argc)) {
      guard let argument = unsafe CommandLine.unsafeArgv[place] else { break }
      guard unsafe String(validatingCString: argument) == nil else { continue }
      return UserMessage(
        .usage, "argument \(place) is not UTF-8; nothing was done",
        hint: "rename the file, or give its contents on standard input: keybackup file add - "
          + "--name NAME")
    }
    return nil
  }
}

extension ProcessVariables {
  /// Why nothing is done with these variables; nil: those that are read are UTF-8.
  package var refusal: UserMessage? {
    refused.map { name in
      UserMessage(
        .usage, "the variable \(name) is not UTF-8; nothing was done",
        hint: "rename what it names, or set the variable to another path")
    }
  }
}
