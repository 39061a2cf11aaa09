internal import BackupFolder
internal import CSPP
internal import CommandKit
internal import SecretMemory
internal import Unlocking

/// The text of a recovery kit's printed pages, beside its code.
///
/// Each page has one subject and room to spare: the backup for an heir, the
/// key slot without keybackup, the offline part. None may grow into the next.
struct KitPage {
  var namespaceID: NamespaceID
  var keyID: KeyID
  /// Whose backup it is; nil: a line to write the name on.
  var owner: String?
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

  /// The owner's name as it is printed, or a line.
  private var shownOwner: String {
    owner.map { PrintableText.fitting($0, columns: 32) } ?? String(repeating: "_", count: 20)
  }
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
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n<title>Bitcoin backup of "
    )
    page.append(escaping: shownOwner)
    page.append(
      ": keybackup recovery kit</title>\n<meta name=\"robots\" content=\"noindex\">\n<style>\(KitStyle.css)</style></head><body>\n"
    )
    begin(&page, 1, "Bitcoin backup of \(PageText.escape(shownOwner))")
    lead(&page)
    codeBox(&page, shown, try QRCode(shown))
    use(&page)
    facts(&page)
    care(&page)
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
    page.append("<p class=\"lead\">This paper opens ")
    page.append(escaping: shownOwner)
    page.append("’s bitcoin backup. Type it into no website.</p><p>Anyone who has this paper ")
    switch derivation.secondSecret {
    case nil: break
    case .file: page.append("<b>and the file that is its second secret</b> ")
    case .keyring: page.append("<b>and the keyring that holds its second secret</b> ")
    case .securityKey: page.append("<b>and the security key that is its second secret</b> ")
    }
    page.append(
      "and a copy of the synced folder has the coins. Keep it as you would keep the money: apart "
        + "from the security keys, with no photo and no scan, in no cloud.</p>\n")
  }

  private func codeBox(
    _ page: inout PageText, _ shown: borrowing SecretBytes, _ qr: borrowing QRCode
  ) {
    page.append("<div class=\"code\"><div><h2>Recovery code</h2><p class=\"digits\">")
    page.append(shown)
    page.append(
      "</p><p class=\"hint\">Capital or small letters, with or without hyphens. There is no I, L, O "
        + "or U: read 1, 1, 0 and V. The QR code holds the same code. Scan it instead of typing "
        + "only on the computer of step 1, never with a phone.</p></div>")
    qr.draw(on: &page, title: "QR code of the recovery code")
    page.append("</div>\n")
  }

  /// The steps to the coins, for somebody who has never used the program.
  private func use(_ page: inout PageText) {
    page.append(
      "<h2>To get the coins back</h2><ol><li>On a Linux computer, sign in to the cloud service "
        + "below. Let the synced folder download. Install keybackup.</li><li>Open a terminal. Run "
        + "this, with the folder’s path for FOLDER. It asks for the code.<br><code>keybackup restore "
        + "--folder FOLDER --recovery-code\(fileOption) --out RESTORED --names</code></li>"
        + "<li>RESTORED then holds one file for each wallet. Its README.txt tells how to use "
        + "them. They are not encrypted: anyone who reads them can take the coins. Ask only a "
        + "person you trust for help.</li>"
        + "<li>Move the coins to a wallet of your own. Then delete RESTORED.</li></ol>\n")
  }

  private func facts(_ page: inout PageText) {
    page.append("<table class=\"facts\">")
    blank(&page, "Cloud service", "account")
    row(&page, "Synced folder", shownFolder)
    blank(&page, "Who can help", "phone")
    blank(&page, "Get keybackup at")
    switch derivation.secondSecret {
    case nil: break
    case .file: blank(&page, "Second secret", label: "a file, kept elsewhere; where:")
    case .keyring: blank(&page, "Second secret", label: "in the keyring of the computer:")
    case .securityKey: blank(&page, "Second secret", label: "a security key; which:")
    }
    row(&page, "This kit", shownLabel)
    row(&page, "Kit ID", code: keyID.hex, " of \(PrintableTime.minute(createdAt)) UTC")
    row(
      &page, "Opens backup", code: namespaceID.hex,
      offline == nil ? "" : ", offline part on page \(count)")
    if freshness.isEmpty {
      row(&page, "Freshness word", "the one that status shows")
    } else {
      page.append(
        "<tr><th>Freshness word</th><td class=\"mono\">\(PageText.escape(freshness))</td></tr>")
    }
    for _ in 1...2 { blank(&page, "A newer word", "date") }
    blank(&page, "Tested on")
    page.append("</table>\n")
  }

  private func row(_ page: inout PageText, _ name: String, _ value: String) {
    page.append("<tr><th>\(name)</th><td>")
    page.append(escaping: value)
    page.append("</td></tr>")
  }

  private func row(_ page: inout PageText, _ name: String, code: String, _ more: String) {
    page.append("<tr><th>\(name)</th><td><span class=\"mono\">\(code)</span>\(more)</td></tr>")
  }

  /// A line to write on; with `second`, a second thing in its right half.
  private func blank(
    _ page: inout PageText, _ name: String, _ second: String? = nil, label: String = ""
  ) {
    let half = second.map { "<span class=\"half\"></span>\($0)" } ?? label
    page.append("<tr class=\"blank\"><th>\(name)</th><td>\(half)</td></tr>")
  }

  /// The steps of the owner while all is well, and when it is not.
  private func care(_ page: inout PageText) {
    page.append(
      "<h2>For the owner</h2><p>Test this page once a year: "
        + "<code>\(Self.testLine(keyID, derivation))</code><br>"
        + "Is the folder as new as a word above? <code>keybackup status --freshness WORD</code></p>"
        + "<p><b>If someone may have seen this page, move the coins first.</b> Then run: "
        + "<code>keybackup recovery-kit revoke \(keyID.hex.prefix(8))</code> "
        + "and <code>keybackup rotate --master-key</code></p>\n")
  }

  /// The command line that tests one kit.
  static func testLine(_ key: KeyID, _ derivation: KeyHeader.CodeDerivation) -> String {
    "keybackup recovery-kit test --kit-id \(key.hex.prefix(8))"
      + (derivation.secondSecret == .file ? " --secret-file FILE" : "")
  }

  private var fileOption: String { derivation.secondSecret == .file ? " --secret-file FILE" : "" }

  private func offlinePart(_ page: inout PageText, _ file: [UInt8]) throws(UserMessage) {
    page.append(
      "<p>This is the backup's key, sealed with the recovery code of page 1. It is useless without "
        + "that code. With both, the files in <code>wallets/</code> are enough, also when all else in "
        + "the folder is lost.</p><ol><li>Save what this QR code says as a file KIT, or type the lines "
        + "into one.</li><li>Run <code>keybackup restore --recovery-kit KIT\(fileOption) --folder "
        + "FOLDER --out RESTORED --names</code></li></ol><div class=\"offline\">")
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
