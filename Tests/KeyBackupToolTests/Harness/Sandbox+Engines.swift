/// Sync programs that are set up in a sandbox's home, but not running.
extension Sandbox {
  /// The environment of a user who has named no folder.
  var unnamed: [String: String] {
    ["KEYBACKUP_FOLDER": "", "XDG_RUNTIME_DIR": root + "/run"]
  }

  /// Writes a file below the home, with the folders around it.
  func place(_ text: String, at name: String) throws {
    let path = home + "/" + name
    try Files.makeFolder(path.split(separator: "/").dropLast().reduce("") { $0 + "/" + $1 })
    try Files.write(text, to: path)
  }

  /// Makes a folder below the home.
  func makeFolder(_ name: String) throws -> String {
    try Files.makeFolder(home + "/" + name)
    return home + "/" + name
  }

  /// Sets up Syncthing for one folder.
  func setUpSyncthing(_ path: String, type: String = "sendreceive") throws {
    try place(
      """
      <configuration version="36">
        <!-- <folder id="not" path="/nowhere"/> -->
        <folder id="abcd-efgh" label="Tom &amp; Ann" path="\(path)" type="\(type)">
          <device id="AAAA"></device><paused>false</paused>
        </folder>
        <gui enabled="true" tls="false"><address>127.0.0.1:1</address><apikey>k</apikey></gui>
        <defaults><folder id="default" label="" path="\(root)" type="sendreceive"/></defaults>
      </configuration>
      """, at: ".config/syncthing/config.xml")
  }

  /// Sets up Dropbox for one folder.
  func setUpDropbox(_ path: String) throws {
    try place(
      #"{"personal":{"path":"\#(path)","host":7,"is_team":false,"subscription_type":"Basic"}}"#,
      at: ".dropbox/info.json")
  }
}
