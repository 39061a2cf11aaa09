/// The small page that a browser shows after a redirect.
struct RedirectPage: Equatable, Sendable {
  /// HTTP's status.
  let status: Int
  /// HTML.
  let text: String

  private init(_ status: Int, _ sentence: String) {
    self.status = status
    text = """
      <!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>keybackup</title></head>\
      <body><p>\(sentence)</p></body></html>

      """
  }

  /// The page for a verdict.
  init(_ verdict: RedirectVerdict) {
    switch verdict {
    // The code is still to be exchanged.
    case .code: self.init(200, "keybackup goes on with the login. You can close this window.")
    case .failed:
      self.init(400, "The login did not succeed. You can close this window.")
    case .foreign:
      self.init(400, "keybackup waits for another login. You can close this window.")
    }
  }

  /// The page for any other path.
  static let notFound = RedirectPage(404, "There is nothing here.")
}
