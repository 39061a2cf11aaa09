// This program makes the manual pages. It is not installed. It knows keybackup only by the
// definitions that the program prints, and by HelpPages.

internal import FoundationEssentials
internal import Glibc
internal import HelpPages

/// Writes every page into a folder: `make man` calls it.
@main
enum ManPages {
  static func main() {
    let words = Array(CommandLine.arguments.dropFirst())
    guard words.count == 5 else {
      fail("usage: man-pages DEFINITIONS.json docs/format.md VERSION DATE FOLDER")
    }
    let release = Release(version: words[2], date: words[3])
    guard
      let root = DefinedCommand.reading(dump: text(words[0])),
      let commands = CommandManual(root, release)
    else { fail("\(words[0]) does not describe keybackup") }
    let pages =
      commands.pages + [
        ("keybackup.5", SettingsManual.page(release)),
        ("keybackup-format.7", FormatManual.page(text(words[1]), release)),
      ]
    for (file, page) in pages {
      let path = words[4] + "/" + file
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
