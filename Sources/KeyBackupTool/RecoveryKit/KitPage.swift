internal import BackupFolder
internal import CSPP
internal import SecretMemory

/// What the printed pages of a recovery kit tell beside its code.
///
/// Each page has one subject and room to spare: the key slot for its owner, the
/// key slot without keybackup, the offline part. None may grow into the next.
struct KitPage {
  var namespaceID: NamespaceID
  var keyID: KeyID
  /// The name a person gave the kit.
  var label: String
  /// Unix seconds.
  var createdAt: UInt64
  /// The synced folder's own name, without its path.
  var folderName: String
  var derivation: KeyHeader.CodeDerivation
  /// The folder's freshness word when the page was made; empty: not known yet.
  var freshness = ""
  /// The offline kit's file, as it is in the folder; nil: none.
  var offline: [UInt8]?

  /// The label as it is printed: its words may be long, a page is not.
  private var shownLabel: String { PrintableText.fitting(label, columns: 64) }
  /// The folder's name as it is printed.
  private var shownFolder: String { PrintableText.fitting(folderName, columns: 40) }

  /// The number of printed pages.
  private var count: Int { offline == nil ? 2 : 3 }

  /// All pages, self-contained HTML.
  ///
  /// - Parameter code: the secret that it is about.
  /// - Returns: UTF-8.
  /// - Throws: `internal` when a QR code cannot be made.
  func html(_ code: borrowing RecoveryCode) throws(UserMessage) -> SecretBytes {
    let shown = code.grouped
    var page = PageText()
    page.append(
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n<title>keybackup recovery kit "
    )
    page.append(escaping: shownLabel)
    page.append(
      "</title>\n<meta name=\"robots\" content=\"noindex\">\n<style>\(KitStyle.css)</style></head><body>\n"
    )
    begin(&page, 1, "keybackup recovery kit")
    lead(&page)
    codeBox(&page, shown, try QRCode(shown))
    facts(&page)
    use(&page)
    begin(&page, 2, "Without keybackup")
    KitSteps(page: self).write(&page)
    if let offline {
      begin(&page, 3, "Offline part")
      try offlinePart(&page, offline)
    }
    page.append("</section></body></html>\n")
    return page.finish()
  }

  /// Starts a printed page.
  private func begin(_ page: inout PageText, _ number: Int, _ title: String) {
    if number > 1 { page.append("</section>\n") }
    page.append(
      "<section><header><h1>\(title)</h1><p>kit \(keyID.hex.prefix(8)), page \(number) of \(count)"
        + "</p></header>\n")
  }

  private func lead(_ page: inout PageText) {
    page.append("<p class=\"name\">")
    page.append(escaping: shownLabel)
    page.append("</p><p>This page opens the wallet backup in the synced folder <b>")
    page.append(escaping: shownFolder)
    page.append("</b> without a security key. Whoever has this page ")
    switch derivation.secondSecret {
    case nil: page.append("and a copy of that folder")
    case .file:
      page.append("<b>and the file that is its second secret</b> and a copy of that folder")
    case .keyring:
      page.append("<b>and the keyring that holds its second secret</b> and a copy of that folder")
    case .securityKey:
      page.append("<b>and the security key that is its second secret</b> and a copy of that folder")
    }
    page.append(
      " has the wallets. Keep it as you would keep the money: on paper, apart from your security "
        + "keys; no photo, no scan, not in any cloud.</p>\n")
  }

  private func codeBox(
    _ page: inout PageText, _ shown: borrowing SecretBytes, _ qr: borrowing QRCode
  ) {
    page.append("<div class=\"code\"><div><h2>Recovery code</h2><p class=\"digits\">")
    page.append(shown)
    page.append(
      "</p><p class=\"hint\">Capital or small letters, with or without hyphens. I, L, O and U never "
        + "appear: what looks like them is 1, 1, 0 and V. The last character checks the others: one "
        + "wrong character, or two that changed places, are always noticed.</p></div>")
    qr.draw(on: &page, title: "QR code of the recovery code")
    page.append("</div>\n")
  }

  private func facts(_ page: inout PageText) {
    page.append("<table class=\"facts\">")
    row(&page, "Opens backup", namespaceID.hex, isCode: true)
    row(&page, "Kit ID", keyID.hex, isCode: true)
    row(&page, "Made on", PrintableTime.minute(createdAt) + " UTC")
    row(
      &page, "Freshness word",
      freshness.isEmpty ? "see keybackup status" : freshness, isCode: !freshness.isEmpty)
    if offline != nil { row(&page, "Offline part", "on page \(count)") }
    switch derivation.secondSecret {
    case nil: break
    case .file: row(&page, "Second secret", "a file, kept elsewhere; where: ____________________")
    case .keyring:
      row(&page, "Second secret", "in the keyring of this computer: ____________________")
    case .securityKey: row(&page, "Second secret", "a security key; which: ____________________")
    }
    for _ in 1...3 {
      row(&page, "A newer word", "date ____________ word ________________________")
    }
    row(&page, "Tested on", "____________ · ____________ · ____________ · ____________")
    page.append("</table>\n")
  }

  private func row(
    _ page: inout PageText, _ name: String, _ value: String, isCode: Bool = false
  ) {
    page.append("<tr><th>\(name)</th><td\(isCode ? " class=\"mono\"" : "")>")
    page.append(escaping: value)
    page.append("</td></tr>")
  }

  private func use(_ page: inout PageText) {
    page.append(
      "<h2>To get the wallets back</h2><ol><li>Put the synced folder on a computer, and install "
        + "keybackup.</li><li>Run <code>keybackup restore --folder FOLDER --recovery-code")
    if derivation.secondSecret == .file { page.append(" --secret-file FILE") }
    page.append(
      " --out RESTORED</code> and type the code.</li><li><code>keybackup status --freshness WORD</code>"
        + " tells whether the folder is at least as new as a word above.</li></ol>")
    page.append("<p>Once a year: <code>keybackup recovery-kit test")
    if derivation.secondSecret == .file { page.append(" --secret-file FILE") }
    page.append(
      "</code> proves this page and changes nothing. If the page may have been seen: "
        + "<code>keybackup recovery-kit revoke</code>, and <code>keybackup rotate --master-key</code>.</p>\n"
    )
  }

  private func offlinePart(_ page: inout PageText, _ file: [UInt8]) throws(UserMessage) {
    let second = derivation.secondSecret == .file ? "--secret-file FILE " : ""
    page.append(
      "<p>The backup's key, sealed with the recovery code of the first page and useless without it. "
        + "With both, the files in <code>wallets/</code> are enough, also when everything else of the "
        + "folder is lost: save what this QR code says, or type the lines, into a file, and run "
        + "<code>keybackup restore --recovery-kit KIT \(second)--folder FOLDER --out RESTORED</code>."
        + "</p><div class=\"offline\">")
    let qr = try unsafe QRCode(SecretBytes(copying: file.span.bytes))
    qr.draw(on: &page, title: "QR code of the offline part")
    page.append(
      "</div><p class=\"hint\">Each line: its number, the text, a checksum (the first 4 hexadecimal digits "
        + "of the SHA-256 of number, space and text). Capital and small letters differ.</p>"
        + "<table class=\"lines\">")
    for line in OfflineKit.lines(of: file) {
      page.append("<tr><th>\(line.number)</th><td>")
      page.append(escaping: line.text)
      page.append("</td><td>\(line.checksum)</td></tr>")
    }
    page.append("</table>\n")
  }
}
