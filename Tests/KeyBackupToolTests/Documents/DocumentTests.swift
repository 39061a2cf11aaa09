import Testing

/// Every command that README.md and docs/*.md show is run, and prints what the page says.
///
/// Or a mark beside it says why it is not run. The Swift code of the .docc articles stands in Examples.
///
/// scripts/try-documents does it, and explains the marks at its top.
@Suite struct DocumentTests {
  static let pages =
    ["README.md"]
    + Files.tree(Build.root + "/docs").filter { $0.hasSuffix(".md") }.map { "docs/" + $0 }
    + Files.tree(Build.root + "/Sources").filter { $0.contains(".docc/") && $0.hasSuffix(".md") }
    .map { "Sources/" + $0 }

  @Test(arguments: pages)
  func `Every fenced command of a page is run, or a mark says why not`(_ name: String) async throws
  {
    let outcome = try await tried(Build.root + "/" + name)
    #expect(outcome.code == 0, "\(outcome.text)")
  }

  /// What a checker must find: without these, a page would be fine because nobody looks.
  static let faults: [(fault: String, page: String, says: String)] = [
    ("wrong output", console("$ keybackup devices", "/dev/hidraw0  Another Key"), "The page says:"),
    ("a word too few", console("$ echo one two", "one"), "The page says:"),
    ("a failing command", console("$ keybackup wallet list"), "ended with 78, not 0"),
    ("a failing part of a pipe", console("$ keybackup wallet list | cat"), "ended with 78"),
    (
      "another exit code", "<!-- exits: 67 -->\n" + console("$ keybackup wallet list"), "not 67"
    ),
    ("two IDs that are one", console("$ echo 12345678 12345678", "aaaaaaa1 bbbbbbb2"), "The page"),
    ("an unmarked program", fence("sh", "keybackup devices"), "must be marked"),
    ("an unmarked Swift program", fence("swift", "import CSPP"), "must be marked"),
    ("a command shown as text", fence("text", "$ keybackup devices"), "make it console"),
    ("a command without a language", fence("", "keybackup devices"), "make it console"),
    ("an indented command", "\n    keybackup devices\n", "indented block"),
    ("no reason", "<!-- not run: no -->\n" + fence("sh", "true"), "Give a reason"),
    ("a copy of nothing", "<!-- from: Makefile -->\n" + fence("sh", "maek test"), "do not stand"),
    ("no such command", "`keybackup purse list`", "no command keybackup purse"),
    ("no such option", "`keybackup devices --purse`", "no option --purse"),
    (
      "no such option where nothing is run",
      "<!-- not run: it needs a disk -->\n" + console("$ keybackup devices --purse"), "no option"
    ),
    ("no such target", "`make purse`", "no target purse"),
    (
      "an answer that nobody asked for",
      "<!-- typed: yes -->\n" + console("$ keybackup devices"), "nobody asked"
    ),
  ]

  @Test(arguments: faults.indices)
  func `A page that says something untrue is found out`(_ index: Int) async throws {
    let (fault, page, says) = Self.faults[index]
    let outcome = try await tried(text: page)
    #expect(outcome.code == 1 && outcome.out.contains(says), "\(fault): \(outcome.text)")
  }

  @Test
  func `What a page may say: prompts, IDs that later commands know, any text, another computer`()
    async throws
  {
    let page = """
      <!-- scene: backup, spare, kit -->
      \(Self.console(
        "$ keybackup wallet list", "PIN for Virtual Key \"blue key\" (8 tries left):", "…",
        "NAME NETWORK KIND FINGERPRINT UPDATED STATE ID", "… Shop … 41b6f0003b0dfaa6…"))
      <!-- exits: 88 -->
      \(Self.console("$ (exit 88)"))
      <!-- before:
      echo hidden >file
      -->
      \(Self.console("$ cat file", "hidden", "$ cat \\", "> file", "hidden"))
      <!-- keys: green -->
      <!-- computer: new -->
      \(Self.console("$ pwd; ls", "/home/alice", "Nextcloud", "$ keybackup verify --deep"))
      <!-- keys: none -->
      \(Self.console("$ keybackup restore --recovery-code", "… Recovery code: … Savings …"))
      <!-- not run: there is no package yet -->
      \(Self.fence("sh", "apt install ./keybackup.deb"))
      """
    let outcome = try await tried(text: page)
    #expect(outcome.code == 0, "\(outcome.text)")
    #expect(outcome.out.contains("7 commands run, 1 fences not run, 0 problems"))
  }

  @Test
  func `What is printed can be written into the page, which is true then`() async throws {
    let box = try Sandbox()
    let page = box.root + "/page.md"
    try Files.write("Before.\n\n\(Self.console("$ echo one two", "three"))After.\n", to: page)
    let updated = try await tried(page, options: ["--update"])
    #expect(updated.code == 0, "\(updated.text)")
    let text = try Files.text(page)
    #expect(text == "Before.\n\n\(Self.console("$ echo one two", "one two"))After.\n")
  }

  private static func fence(_ language: String, _ lines: String...) -> String {
    "```\(language)\n" + lines.joined(separator: "\n") + "\n```\n"
  }

  private static func console(_ lines: String...) -> String {
    "```console\n" + lines.joined(separator: "\n") + "\n```\n"
  }

  private func tried(text: String) async throws -> Outcome {
    let box = try Sandbox()
    try Files.write(text, to: box.root + "/page.md")
    return try await tried(box.root + "/page.md")
  }

  private func tried(_ page: String, options: [String] = []) async throws -> Outcome {
    let box = try Sandbox()
    let programs = ["--keybackup", Build.keybackup, "--virtual-key", Build.virtualKey]
    return try await box.run(
      [Build.root + "/scripts/try-documents"] + programs + options + [page], key: nil)
  }
}
