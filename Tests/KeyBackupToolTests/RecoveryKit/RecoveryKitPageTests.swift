import CSPP
import SecretMemory
import Testing

@testable import BackupCommands
@testable import CommandKit

/// The printed page in a real browser: its appearance is tested.
@Suite struct RecoveryKitPageTests {
  /// No part of a label may become markup, and none may break the page.
  static let label = #"<script>alert(1)</script>" onload='x' & 🔑 \u{202E}evil"#

  @Test(arguments: ["A4", "letter"])
  func `The rendered page restores everything`(paper: String) async throws {
    let kit = try await PreparedKit(label: Self.label)
    let rendered = try await Self.render(kit, paper)
    #expect(rendered.pages.count == 3, "the code, the steps, and the offline part")
    #expect(rendered.size.lowercased().contains(paper.lowercased()))
    // Read as a person reads it: the code and the steps are complete.
    #expect(rendered.text.contains(kit.code))
    for words in [
      "<script>alert(1)</script>", "memory 65536 KiB, passes 3, lanes 1",
      "keybackup:v1:wrap:" + kit.keyID, "metadata.name and secret are the wallet",
      "cspp-namespaces/" + kit.backup.namespaceID, "Freshness word", "recovery-kit test",
    ] {
      let plain = rendered.text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
      #expect(plain.contains(words) || plain.replacing(" ", with: "").contains(words), "\(words)")
    }
    #expect(!rendered.text.contains("…"), "something was cut off")
    // Read back from the picture.
    #expect(rendered.codes.first == kit.code)
    #expect(try rendered.codes.last == Files.text(kit.offline))
    try Files.write(try #require(rendered.codes.first), to: kit.codeFile, mode: 0o600)
    let scanned = kit.box.root + "/scanned.json"
    try Files.write(try #require(rendered.codes.last), to: scanned)
    try kit.loseAllButWallets()
    let out = kit.box.root + "/out"
    let restored = try await kit.alone(
      ["restore", "--out", out, "--recovery-kit", scanned] + kit.opening, expecting: nil)
    #expect(restored.out.contains("Restored 3 wallets"), "\(restored.text)")
    try kit.expectAllRestored(out)
  }

  @Test func `The page is one file that asks for nothing`() async throws {
    let kit = try await PreparedKit(label: Self.label)
    let html = try Files.text(kit.page)
    for outside in ["http:", "https:", "src=", "href=", "@import", "url(", "<script", "onload='"] {
      #expect(!html.contains(outside), "\(outside)")
    }
    // Nothing on it may be taken for the words of a wallet.
    for words in ["seed", "mnemonic", "passphrase", "12 words", "24 words"] {
      #expect(!html.lowercased().contains(words), "\(words)")
    }
    #expect(!html.contains("\u{202E}"))
  }

  /// An heir reads it: no sentence is long, whatever the second secret is.
  @Test(
    arguments: [
      nil, .file, .keyring,
      .securityKey(
        rpID: "keybackup-derive:", credentialID: Array(repeating: 7, count: 32),
        prfSalt: Array(repeating: 9, count: 32)),
    ] as [KeyHeader.SecondSecret?])
  func `No sentence of the page is long`(second: KeyHeader.SecondSecret?) throws {
    let page = KitPage(
      namespaceID: .random(), keyID: .random(), owner: nil, label: "Kit",
      createdAt: 1_800_000_000, folderName: "wallets",
      derivation: try KeyHeader.CodeDerivation(
        cost: KeyHeader.CodeDerivation.standardCost, secondSecret: second))
    let html = try page.html(.random()).withBytes { bytes in
      unsafe bytes.withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) }
    }
    // Each paragraph, item and cell is a text of its own; a command counts as a word.
    let body = try #require(html.split(separator: "<body>").last)
      .replacing(/<code>[^<]*<\/code>/, with: "CODE")
    let blocks = body.split(
      separator: /<\/?(?:p|li|ol|br|h1|h2|td|th|tr|table|div|section|header)\b[^>]*>/)
    for block in blocks {
      for sentence in block.replacing(/<[^>]*>/, with: " ").split(separator: /[.!?]\s+/) {
        let words = sentence.split(separator: /\s+/).filter { word in
          word.contains { $0.isLetter || $0.isNumber }
        }
        #expect(words.count <= 25, "\(words.joined(separator: " "))")
      }
    }
    #expect(blocks.count > 50)
  }

  @Test func `The owner's name is printed with its emoji, and is one`() async throws {
    let backup = try await PreparedBackup()
    for owner in ["", "   ", "\u{A0}\t"] {
      let told = try await backup.box.keybackup(
        ["recovery-kit", "create", "--reveal", "--owner", owner], key: nil, pin: .none,
        expecting: nil)
      expectFailure(told, 64, says: "an owner's name")
    }
    let page = backup.box.root + "/kit.html"
    let owner = "👩🏽\u{200D}💻 Alice & 👨\u{200D}👩\u{200D}👧"
    try await backup.box.keybackup(
      ["recovery-kit", "create", "--out", page, "--owner", owner])
    #expect(try Files.text(page).contains(owner.replacing("&", with: "&amp;")))
    // Nothing else is joined.
    for text in ["a\u{200D}b", "\u{200D}💻", "👩\u{200D}", "👩\u{200D}a", "1\u{200D}2"] {
      #expect(PrintableText.clean(text).contains("\u{FFFD}"), "\(text)")
    }
    #expect(PrintableText.cleanLines("👁️\u{200D}🗨️\n") == "👁️\u{200D}🗨️\n")
  }

  /// The fonts that a computer may have, each alone: Debian's files whose names begin so.
  enum Fonts: String, CaseIterable {
    case dejaVu = "dejavu/DejaVu"
    case liberation = "liberation/Liberation"
    case noto = "noto/NotoSans-,noto/NotoSansMono-"
    case wide = "liberation/Liberation,wqy/"

    /// Makes them the only fonts, by a fontconfig file.
    func install(in folder: String, _ configuration: String) throws {
      try Files.makeFolder(folder + "/fonts")
      for start in rawValue.split(separator: ",") {
        let parts = start.split(separator: "/", omittingEmptySubsequences: false)
        let place = "/usr/share/fonts/truetype/\(parts[0])/"
        let files = Files.tree(place).filter { $0.hasPrefix(parts[1]) && !$0.contains("/") }
        try #require(!files.isEmpty, "no fonts \(start): run scripts/setup")
        for file in files { try Files.link(folder + "/fonts/" + file, to: place + file) }
      }
      try Files.write(
        """
        <?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig>
        <dir>\(folder)/fonts</dir><cachedir>\(folder)/font-cache</cachedir></fontconfig>
        """, to: configuration)
    }
  }

  /// What somebody needs who has never used the program.
  @Test func `The page tells an heir what to do`() async throws {
    let kit = try await PreparedKit(second: "a file", owner: "Ann <b>&\u{202E}\u{7} O’Neill")
    let rendered = try await Self.render(kit, "A4")
    let plain = rendered.text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    let owner = "Ann <b>&\u{FFFD}\u{FFFD} O’Neill"
    for words in [
      "Bitcoin backup of \(owner) kit",
      "This paper opens \(owner)’s bitcoin backup. Type it into no website.",
      "Cloud service account",
      "Who can help phone", "Get keybackup at", "The QR code holds the same code.",
      "keybackup restore --folder FOLDER --recovery-code --secret-file FILE --out RESTORED --names",
      "recovery-kit test --kit-id \(kit.keyID.prefix(8)) --secret-file FILE",
      "If someone may have seen this page, move the coins first. Then run",
      "recovery-kit revoke \(kit.keyID.prefix(8))", "rotate --master-key",
    ] {
      #expect(plain.contains(words), "\(words): \(plain)")
    }
    let html = try Files.text(kit.page)
    #expect(
      html.contains("<title>Bitcoin backup of Ann &lt;b&gt;&amp;") && !html.contains("\u{202E}"))
    // What the page says works as it stands there.
    let out = kit.box.root + "/RESTORED"
    let restored = try await kit.alone([
      "restore", "--folder", kit.box.folder, "--recovery-code-file", kit.codeFile,
      "--secret-file", kit.second, "--out", out, "--names",
    ])
    #expect(Files.exists(out + "/README.txt"), "\(restored.text)")
    _ = try await kit.alone([
      "recovery-kit", "test", "--kit-id", String(kit.keyID.prefix(8)), "--secret-file", kit.second,
      "--recovery-code-file", kit.codeFile,
    ])
    let unnamed = try await PreparedKit()
    let line = String(repeating: "_", count: 20)
    #expect(
      try Files.text(unnamed.page).contains("<h1>Bitcoin backup of \(line)</h1>")
        && Files.text(unnamed.page).contains("This paper opens \(line)’s bitcoin backup."))
    for owner in ["", String(repeating: "x", count: 201)] {
      let refused = try await unnamed.box.keybackup(
        ["recovery-kit", "create", "--owner", owner], expecting: nil)
      expectFailure(refused, 64, says: "an owner's name has 1 to 200 bytes")
    }
  }

  @Test(arguments: Fonts.allCases)
  func `Every page keeps 15 mm free, with the longest names, on any paper, in any font`(
    fonts: Fonts
  ) async throws {
    let wide = fonts == .wide
    let kit = try await PreparedKit(
      second: "a file", label: wide ? String(repeating: "鍵", count: 66) : Self.longest(200),
      folder: wide ? String(repeating: "雲", count: 85) : Self.longest(255),
      owner: wide ? String(repeating: "名", count: 66) : Self.longest(200))
    let html = try Files.text(kit.page)
    // The widest freshness word, whatever this folder's word is.
    let longer = html.replacing(
      /(Freshness word<\/th><td class="mono">)[0-9a-z-]{19}</, maxReplacements: 1
    ) { $0.1 + "mwmw-mwmw-mwmw-mwmw<" }
    try #require(longer.contains("mwmw-mwmw-mwmw-mwmw<"))
    try Files.write(longer, to: kit.page)
    for paper in ["A4", "letter"] {
      let rendered = try await Self.render(kit, paper, fonts: fonts)
      #expect(rendered.pages.count == 3, "\(paper)")
      for (number, page) in rendered.pages.enumerated() {
        #expect(page.freeBelow >= 15, "\(paper), page \(number + 1)")
        #expect(page.freeRight >= -0.5, "\(paper), page \(number + 1)")
        #expect(rendered.text.contains("page \(number + 1) of 3"))
      }
      // What was cut says so, and much of it is there: the owner's name twice.
      #expect(rendered.text.count { $0 == "…" } == 4, "\(paper): \(rendered.text)")
      #expect(rendered.codes.first == kit.code, "\(paper)")
      #expect(try rendered.codes.last == Files.text(kit.offline), "\(paper)")
    }
  }

  /// The widest letters, with a few that HTML or JSON write in a longer way.
  private static func longest(_ count: Int) -> String {
    #"W<W&W"W"# + String(repeating: "W", count: count - 7)
  }

  @Test func `A kit without offline part has two pages`() async throws {
    let kit = try await PreparedKit()
    try await kit.box.keybackup(
      ["recovery-kit", "create", "--out", kit.box.root + "/second.html"])
    let rendered = try await Self.render(kit, "A4", page: kit.box.root + "/second.html")
    #expect(rendered.pages.count == 2)
    #expect(rendered.text.contains("page 2 of 2") && !rendered.text.contains("Offline part"))
    #expect(rendered.codes.count == 1)
  }

  struct Rendered {
    /// The distance, in millimetres, between the printed text and the margins.
    struct Page {
      var freeBelow: Double
      var freeRight: Double
    }

    var pages: [Page] = []
    var size = ""
    var text = ""
    /// The content of the QR codes on all pages.
    var codes: [String] = []
  }

  /// Prints the pages to PDF with Chromium, and reads the PDF's pictures.
  private static func render(
    _ kit: PreparedKit, _ paper: String, page: String? = nil, fonts: Fonts = .dejaVu
  ) async throws -> Rendered {
    let box = kit.box
    let html = try Files.text(page ?? kit.page)
      .replacing("@page{margin", with: "@page{size:\(paper);margin")
    try Files.write(html, to: box.root + "/print.html")
    let pdf = box.root + "/page.pdf"
    let configuration = box.root + "/fonts.conf"
    if !Files.exists(configuration) { try fonts.install(in: box.root, configuration) }
    func run(_ command: [String]) async throws -> Outcome {
      let outcome = try await box.run(
        command, key: nil, environment: ["FONTCONFIG_FILE": configuration])
      #expect(outcome.code == 0, "\(command[0]): \(outcome.text)")
      return outcome
    }
    _ = try await run([
      "chromium", "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
      "--no-first-run", "--disable-extensions", "--disable-background-networking",
      "--disable-sync", "--no-pdf-header-footer", "--user-data-dir=\(box.root)/chromium",
      "--print-to-pdf=\(pdf)", "file://\(box.root)/print.html",
    ])
    var rendered = Rendered()
    let info = try await run(["pdfinfo", pdf]).out
    let count = try #require(info.firstMatch(of: /Pages: +(\d+)/).flatMap { Int($0.1) })
    rendered.size = info.firstMatch(of: /Page size: +(.*)/).map { String($0.1) } ?? ""
    rendered.text = try await run(["pdftotext", "-layout", pdf, "-"]).out
    _ = try await run(["pdftoppm", "-r", "200", "-gray", pdf, box.root + "/picture"])
    _ = try await run(["pdftoppm", "-r", "72", "-gray", pdf, box.root + "/small"])
    for page in 1...count {
      rendered.pages.append(try space(on: "\(box.root)/small-\(page).pgm"))
      let read = try await box.run(
        ["zbarimg", "--raw", "-q", "\(box.root)/picture-\(page).pgm"], key: nil)
      rendered.codes += read.out.split(separator: "\n").map(String.init)
    }
    return rendered
  }

  /// The free space on a page beyond the dark dots, from a PGM picture with 72 dots per inch.
  private static func space(on picture: String) throws -> Rendered.Page {
    let bytes = try Files.read(picture)
    // "P5", the width, the height, 255, then a byte a dot.
    let fields = bytes.prefix(32).split(maxSplits: 4) { $0 == 10 || $0 == 32 }.prefix(4)
    let numbers = fields.map { Int(String(decoding: $0, as: UTF8.self)) ?? 0 }
    let (width, height) = (numbers[1], numbers[2])
    let dots = try #require(fields.last).endIndex + 1
    try #require(bytes.count == dots + width * height)
    let dark = (dots..<bytes.count).filter { bytes[$0] < 128 }.map { $0 - dots }
    let right = try #require(dark.lazy.map { $0 % width }.max())
    let bottom = try #require(dark.last) / width
    func millimetres(_ dots: Int) -> Double { Double(dots) * 25.4 / 72 }
    return Rendered.Page(
      freeBelow: millimetres(height - 1 - bottom) - 14,
      freeRight: millimetres(width - 1 - right) - 16)
  }
}
