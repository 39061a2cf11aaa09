import Testing

/// The printed page in a real browser: what it looks like is what counts.
@Suite struct RecoveryKitPageTests {
  /// Nothing that a label says may become markup, and none may break the page.
  static let label = #"<script>alert(1)</script>" onload='x' & 🔑 \u{202E}evil"#

  @Test(arguments: ["A4", "letter"])
  func theRenderedPageRestoresEverything(paper: String) async throws {
    let kit = try await PreparedKit(label: Self.label)
    let rendered = try await Self.render(kit, paper)
    #expect(rendered.pages == 2, "the code on one page, the offline part on the other")
    #expect(rendered.size.lowercased().contains(paper.lowercased()))
    // Read as a person reads it: the code and the steps are whole.
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
    try Files.write(rendered.codes[0], to: kit.codeFile, mode: 0o600)
    let scanned = kit.box.root + "/scanned.json"
    try Files.write(try #require(rendered.codes.last), to: scanned)
    try kit.loseAllButWallets()
    let out = kit.box.root + "/out"
    let restored = try await kit.alone(
      ["restore", "--out", out, "--recovery-kit", scanned] + kit.opening, expecting: nil)
    #expect(restored.out.contains("Restored 3 wallets"), "\(restored.text)")
    try kit.expectAllRestored(out)
  }

  @Test func thePageIsOneFileThatAsksForNothing() async throws {
    let kit = try await PreparedKit(label: Self.label)
    let html = try Files.text(kit.page)
    for outside in ["http:", "https:", "src=", "href=", "@import", "url(", "<script", "onload='"] {
      #expect(!html.contains(outside), "\(outside)")
    }
    // Nothing that could be taken for the words of a wallet.
    for words in ["seed", "mnemonic", "passphrase", "12 words", "24 words"] {
      #expect(!html.lowercased().contains(words), "\(words)")
    }
    #expect(!html.contains("\u{202E}"))
  }

  struct Rendered {
    var pages = 0
    var size = ""
    var text = ""
    /// What the QR codes of all pages say.
    var codes: [String] = []
  }

  /// Prints the page to PDF with Chromium, and reads the PDF's pictures.
  private static func render(_ kit: PreparedKit, _ paper: String) async throws -> Rendered {
    let box = kit.box
    let html = try Files.text(kit.page)
      .replacing("@page{margin", with: "@page{size:\(paper);margin")
    try Files.write(html, to: box.root + "/print.html")
    let pdf = box.root + "/page.pdf"
    func run(_ command: [String]) async throws -> Outcome {
      let outcome = try await box.run(command, key: nil)
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
    rendered.pages = info.firstMatch(of: /Pages: +(\d+)/).flatMap { Int($0.1) } ?? 0
    rendered.size = info.firstMatch(of: /Page size: +(.*)/).map { String($0.1) } ?? ""
    rendered.text = try await run(["pdftotext", "-layout", pdf, "-"]).out
    _ = try await run(["pdftoppm", "-r", "150", "-png", pdf, box.root + "/picture"])
    for page in 1...max(rendered.pages, 1) {
      let read = try await run(["zbarimg", "--raw", "-q", "\(box.root)/picture-\(page).png"])
      rendered.codes += read.out.split(separator: "\n").map(String.init)
    }
    return rendered
  }
}
