import Glibc
import HelpPages
import TestSupport
import Testing

@testable import CommandKit

/// Manual pages: they say what the program does, and are right in every reader.
@Suite struct ManPageTests {
  /// The pages.
  private static func made() throws -> [String: String] { try pages.get() }

  private static let pages = Result { try made(in: ["TZ": "Pacific/Auckland"]) }

  /// The pages, made anew.
  private static func made(in environment: [String: String]) throws -> [String: String] {
    let box = try Sandbox()
    let folder = box.root + "/man"
    let script = try FinishedProgram(
      ["/usr/bin/env", "SOURCE_DATE_EPOCH=1790000000"] + environment.map { "\($0)=\($1)" } + [
        Build.root + "/scripts/man-pages", BuiltProduct.path("all-commands"), folder,
      ])
    try #require(script.code == 0, "\(script.output)")
    var pages: [String: String] = [:]
    for file in Files.tree(folder) { pages[file] = try Files.text(folder + "/" + file) }
    return pages
  }

  /// The lines of a section.
  private static func section(_ title: String, of page: String) -> [String] {
    let lines = page.split(separator: "\n").map(String.init)
    guard let start = lines.firstIndex(of: ".SH \(title)") else { return [] }
    return Array(lines[(start + 1)...].prefix { !$0.hasPrefix(".SH ") })
  }

  private static func plain(_ line: String) -> String {
    line.replacing("\\-", with: "-").replacing("\\fB", with: "").replacing("\\fI", with: "")
      .replacing("\\fR", with: "")
  }

  /// Headings within a section, with the lines below each.
  private static func parts(_ lines: [String]) -> [String: [String]] {
    var parts: [String: [String]] = [:]
    var title = ""
    for line in lines {
      if line.hasPrefix(".SS ") {
        title = plain(String(line.dropFirst(4)))
      } else {
        parts[title, default: []].append(plain(line))
      }
    }
    return parts
  }

  /// The names of options among what entries begin with.
  private static func options(_ lines: [String]) -> Set<String> {
    let terms = zip(lines, lines.dropFirst()).compactMap { $0 == ".TP" ? $1 : nil }
    return Set(terms.flatMap { $0.matches(of: /--?[a-z][a-z0-9-]*/).map { String($0.output) } })
  }

  // MARK: What is in them

  @Test func `There is one for each noun`() throws {
    let pages = try Self.made()
    let nouns = Set(CommandLeaf.all.compactMap(\.path.first))
    #expect(
      Set(pages.keys)
        == Set(nouns.map { "keybackup-\($0).1" }).union([
          "keybackup.1", "keybackup.5", "keybackup-format.7",
        ]))
    for (file, page) in pages {
      var sections = [
        "NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXAMPLES", "FILES", "ENVIRONMENT",
        "EXIT STATUS", "SEE ALSO",
      ]
      if file.hasSuffix(".7") { sections = ["NAME", "DESCRIPTION", "FILES", "SEE ALSO"] }
      for title in sections {
        #expect(!Self.section(title, of: page).isEmpty, "\(file) has no \(title)")
      }
      if !file.hasSuffix(".7") { #expect(page.contains("Treat an unknown code as failure.")) }
      let other = page.unicodeScalars.first { !$0.isASCII }
      #expect(other == nil, "\(file)")
    }
  }

  @Test func `Every option is in the page of its command and no other`() throws {
    let pages = try Self.made()
    let list = try #require(CommandLeaf.all.first { $0.path == CommonOptionList.reference })
    let names = Set((list.command.arguments ?? []).flatMap { ($0.names ?? []).map(\.text) })
    let all = names.filter { $0.hasPrefix("--") }
    for leaf in CommandLeaf.all {
      let page = try #require(pages["keybackup-\(leaf.path[0]).1"])
      let parts = Self.parts(Self.section("OPTIONS", of: page))
      let own = try #require(parts["keybackup \(leaf.title)"], "\(leaf.title)")
      let shared = try #require(parts["Common options"])
      let line = try #require(own.first { $0.contains("It takes ") })
      let words = Set(line.matches(of: /--[a-z][a-z0-9-]*/).map { String($0.output) })
      let named = line.contains("all common options") ? all.subtracting(words) : words
      let ownNames = Self.options(own)
      #expect(named.isSubset(of: Self.options(shared)), "\(leaf.title)")
      let exist = Set(
        (leaf.command.arguments ?? []).filter { $0.kind != .positional }
          .flatMap { ($0.names ?? []).map(\.text) })
      let long = { (names: Set<String>) in names.filter { $0.hasPrefix("--") } }
      #expect(long(ownNames.union(named)) == long(exist), "\(leaf.title)")
      #expect(ownNames.isSubset(of: exist), "\(leaf.title)")
      for argument in leaf.command.arguments ?? [] where argument.kind == .positional {
        #expect(own.contains(argument.value), "\(leaf.title): \(argument.value)")
      }
    }
    // What a page shows as shared, one of its commands takes.
    for noun in Set(CommandLeaf.all.compactMap(\.path.first)) {
      let page = try #require(pages["keybackup-\(noun).1"])
      let shared = Self.options(
        Self.parts(Self.section("OPTIONS", of: page))["Common options"] ?? [])
      let taken = Set(
        CommandLeaf.all.filter { $0.path[0] == noun }.flatMap { leaf in
          (leaf.command.arguments ?? []).flatMap { ($0.names ?? []).map(\.text) }
        })
      #expect(shared.isSubset(of: taken), "\(noun)")
    }
    let program = try #require(pages["keybackup.1"])
    #expect(Self.options(Self.section("OPTIONS", of: program).map(Self.plain)) == names)
  }

  @Test func `Every exit code is listed`() throws {
    let page = try #require(Self.made()["keybackup.1"])
    let lines = Self.section("EXIT STATUS", of: page).map(Self.plain)
    let terms = zip(lines, lines.dropFirst()).compactMap { $0 == ".TP" ? $1 : nil }
    #expect(terms.count == ExitReason.allCases.count)
    for (term, code) in zip(terms, ExitReason.allCases) {
      let words = term.split { $0 == " " || $0 == "," }.map(String.init)
      #expect(words.first == "\(code.rawValue)")
      #expect(code == .success ? words.count == 1 : words.dropFirst().first == code.word, "\(term)")
    }
    // The document says more, of the same codes.
    let document = try Files.text(Build.root + "/docs/exit-codes.md")
    for term in terms.dropFirst() {
      let words = term.split { $0 == " " || $0 == "," }.map(String.init)
      let row = "| \(words[0]) | " + words.dropFirst().map { "`\($0)`" }.joined(separator: ", ")
      #expect(document.contains(row + " |"), "\(row)")
    }
  }

  /// keybackup(5) names what Sources read, and nothing else.
  @Test func `Every variable is listed`() throws {
    let page = try #require(Self.made()["keybackup.5"])
    let lines = Self.section("ENVIRONMENT", of: page).map(Self.plain)
    let listed = zip(lines, lines.dropFirst()).compactMap { $0 == ".TP" ? $1 : nil }
    var read: Set<String> = []
    for file in Files.tree(Build.root + "/Sources")
    where file.hasSuffix(".swift") {
      let text = try Files.text(Build.root + "/Sources/" + file)
      let pattern =
        #/(?:(?:variable|program|getenv|userFolder|place)\(\s*|environment\[)"([A-Z][A-Z0-9_]+)"/#
      for match in text.matches(of: pattern) {
        read.insert(String(match.1))
      }
      // Those of this program, however they are read. In CReadingProcess they are constants.
      if CommandModules.all.contains(where: { file.hasPrefix($0 + "/") }) {
        read.formUnion(text.matches(of: /KEYBACKUP_[A-Z_]+/).map { String($0.output) })
      }
    }
    #expect(read.count > 15, "\(read)")
    #expect(Set(listed) == read, "\(Set(listed).symmetricDifference(read).sorted())")
    #expect(listed.count == Set(listed).count)
  }

  /// keybackup(5) has the lines that keybackup.conf takes.
  @Test func `Every setting is listed`() throws {
    let page = try #require(Self.made()["keybackup.5"])
    let lines = Self.section("OPTIONS", of: page).map(Self.plain)
    let terms = zip(lines, lines.dropFirst()).compactMap { $0 == ".TP" ? $1 : nil }
    #expect(
      terms.compactMap { $0.split(separator: " ").first.map(String.init) }
        == SettingName.allCases.map(\.rawValue))
  }

  // MARK: How they look

  @Test func `Every reader takes them`() async throws {
    let box = try Sandbox()
    for (file, page) in try Self.made() {
      let path = box.root + "/" + file
      try Files.write(page, to: path)
      let checked = try FinishedProgram(
        [
          "/usr/bin/env", "LC_ALL=C.UTF-8", "groff", "-man", "-ww", "-z", "-Tutf8", "-rLL=78n",
          path,
        ])
      #expect(checked.code == 0 && checked.output.isEmpty, "\(file): \(checked.output)")
      for (locale, width) in [("C.UTF-8", 80), ("C", 80), ("C.UTF-8", 60)] {
        let shown = try FinishedProgram([
          "/bin/sh", "-c",
          "MANWIDTH=\(width) LC_ALL=\(locale) man --warnings -P cat -l \"$0\" 2>&1", path,
        ])
        #expect(shown.code == 0, "\(file): \(shown.output)")
        // A formula of the format may be longer than a narrow page.
        if width == 80 || !file.hasSuffix(".7") {
          #expect(!shown.output.contains("warning"), "\(file): \(shown.output)")
        }
        if width == 80 {
          for line in shown.output.split(separator: "\n") where line.count > 80 {
            Issue.record("\(file): \(line.count) columns: \(line)")
          }
        }
        // Nothing of the page's own notation is left; a command that goes on ends with one.
        for line in shown.output.split(separator: "\n") {
          #expect(!line.dropLast(2).contains("\\"), "\(file): \(line)")
        }
      }
    }
  }

  @Test func `Two runs give the same bytes`() throws {
    let pages = try Self.made()
    #expect(try Self.made(in: ["TZ": "UTC", "LC_ALL": "C"]) == pages)
    #expect(pages["keybackup.1"]?.contains(" \"1\" \"2026-09-21\" ") == true)
  }
}
