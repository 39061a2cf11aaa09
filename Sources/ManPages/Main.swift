// This program makes the manual pages and the shells' completions. It is not installed. It knows the
// commands only by what the parser says of them, and by HelpPages.

internal import ArgumentParser
internal import CommandSupport
internal import FoundationEssentials
internal import Glibc
internal import HelpPages

/// Writes every page into a folder, or prints completions: `make man` and `make build` call it.
@main
enum ManPages {
  static func main() {
    let words = Array(CommandLine.arguments.dropFirst())
    switch words.first {
    case "definitions" where words.count == 1: print(AllCommands._dumpHelp())
    case "completions" where words.count == 2:
      guard let shell = CompletionShell(rawValue: words[1]) else {
        fail("\(words[1]) is none of bash, zsh and fish")
      }
      print(AllCommands.completionScript(for: shell))
    case "pages" where words.count == 4: writePages(words[1], day: words[2], into: words[3])
    default:
      fail(
        "usage: man-pages pages docs/format.md DATE FOLDER, man-pages completions SHELL, or "
          + "man-pages definitions")
    }
  }

  private static func writePages(_ format: String, day: String, into folder: String) {
    let release = Release(version: Version.current, date: day)
    guard let root = DefinedCommand.reading(dump: AllCommands._dumpHelp()),
      let commands = CommandManual(root, release)
    else { fail("the parser's definitions are of another form") }
    let pages =
      commands.pages + [
        ("keybackup.5", SettingsManual.page(release)),
        ("keybackup-format.7", FormatManual.page(text(format), release)),
      ]
    for (file, page) in pages {
      let path = folder + "/" + file
      let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
      guard descriptor >= 0, write(page, to: descriptor), close(descriptor) == 0 else {
        fail("\(path) cannot be written")
      }
    }
  }

  private static func text(_ path: String) -> String {
    guard let data = try? Data(contentsOf: URL(filePath: path)) else {
      fail("\(path) cannot be read")
    }
    return String(decoding: data, as: UTF8.self)
  }

  private static func fail(_ why: String) -> Never {
    _ = write("man-pages: \(why)\n", to: STDERR_FILENO)
    exit(1)
  }

  /// Writes all of a text.
  private static func write(_ text: String, to descriptor: Int32) -> Bool {
    var left = Array(text.utf8)[...]
    while !left.isEmpty {
      let count = unsafe left.withUnsafeBytes { bytes in
        unsafe Glibc.write(descriptor, bytes.baseAddress, bytes.count)
      }
      guard count > 0 else { return false }
      left = left.dropFirst(count)
    }
    return true
  }
}
