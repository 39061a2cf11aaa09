import TestSupport
import Testing

/// Two or more Syncthings on the loopback interface that share one folder.
///
/// They are computers that never see the network.
final class SyncthingPair: @unchecked Sendable {
  let box: Sandbox
  let computers: [SyncedComputer]
  /// The programs that are running.
  private var programs: [BackgroundProgram?]
  private var ports: [(rest: Int, sync: Int)] = []
  private var devices: [String] = []
  private let keptConflicts: Int
  private static let apiKey = "key-of-the-tests"

  /// Starts all and waits until they are connected.
  init(_ names: [String] = ["A", "B"], keptConflicts: Int = 10) async throws {
    self.keptConflicts = keptConflicts
    programs = names.map { _ in nil }
    let box = try Sandbox()
    self.box = box
    computers = names.map { name in
      SyncedComputer(box: box, name: name, folder: "\(box.root)/\(name)/Sync/keybackup")
    }
    for computer in computers {
      // The marker by which Syncthing knows that the folder is there.
      try Files.makeFolder(computer.home + "/Sync/.stfolder")
      let made = try await box.run(
        ["syncthing", "generate", "--home=\(settings(computer))", "--no-default-folder"],
        key: nil, home: computer.home, environment: ["STNODEFAULTFOLDER": "1"])
      made.expectSuccess()
      let id = try await box.run(
        ["syncthing", "--home=\(settings(computer))", "--device-id"], key: nil,
        home: computer.home)
      devices.append(id.out.split(separator: "\n").last.map(String.init) ?? "")
    }
    // A free port may be taken before it is used.
    for attempt in 1... {
      ports = try computers.map { _ in
        (try BackgroundProgram.freePort(), try BackgroundProgram.freePort())
      }
      do {
        for index in computers.indices { try start(index) }
        try await waitUntil("connected") {
          if try await isConnected() { return nil }
          let output = programs.compactMap { $0?.output }
          if attempt < 5, output.contains(where: PortTaken.isSaid) { throw PortTaken() }
          return output.map { String($0.suffix(300)) }.joined()
        }
        return
      } catch is PortTaken {
        programs = names.map { _ in nil }
      }
    }
  }

  private func settings(_ computer: SyncedComputer) -> String {
    computer.home + "/.config/syncthing"
  }

  /// Starts a computer's Syncthing.
  func start(_ index: Int) throws {
    let computer = computers[index]
    let shared = devices.map { "<device id=\"\($0)\"/>" }.joined()
    let others = computers.indices.filter { $0 != index }.map { other in
      """
      <device id="\(devices[other])" name="\(computers[other].name)">
          <address>tcp://127.0.0.1:\(ports[other].sync)</address>
        </device>
      """
    }.joined()
    try Files.write(
      """
      <configuration version="36">
        <folder id="wallets-x1" label="Wallets" path="\(computer.home)/Sync" type="sendreceive"
            rescanIntervalS="3600" fsWatcherEnabled="true" fsWatcherDelayS="1">
          \(shared)
          <minDiskFree unit="%">0</minDiskFree><maxConflicts>\(keptConflicts)</maxConflicts>
        </folder>
        <device id="\(devices[index])" name="own"><address>dynamic</address></device>
        \(others)
        <gui enabled="true" tls="false">
          <address>127.0.0.1:\(ports[index].rest)</address><apikey>\(Self.apiKey)</apikey>
        </gui>
        <options>
          <listenAddress>tcp://127.0.0.1:\(ports[index].sync)</listenAddress>
          <globalAnnounceEnabled>false</globalAnnounceEnabled>
          <localAnnounceEnabled>false</localAnnounceEnabled>
          <relaysEnabled>false</relaysEnabled><natEnabled>false</natEnabled>
          <startBrowser>false</startBrowser><urAccepted>-1</urAccepted>
          <crashReportingEnabled>false</crashReportingEnabled>
          <autoUpgradeIntervalH>0</autoUpgradeIntervalH>
          <reconnectionIntervalS>1</reconnectionIntervalS>
          <minHomeDiskFree unit="%">0</minHomeDiskFree>
        </options>
      </configuration>
      """, to: settings(computer) + "/config.xml", mode: 0o600)
    programs[index] = try BackgroundProgram(
      [
        "syncthing", "serve", "--home=\(settings(computer))", "--no-browser", "--no-restart",
        "--no-upgrade",
      ],
      environment: [
        "PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": computer.home, "STNOUPGRADE": "1",
        "GOMAXPROCS": "2",
      ], log: "\(box.root)/syncthing-\(computer.name).log")
  }

  /// Stops a computer's Syncthing, which cuts the network to it.
  func stop(_ index: Int) { programs[index] = nil }

  private func isConnected() async throws -> Bool {
    for port in ports {
      let answer = try await box.run(
        [
          "curl", "--silent", "--max-time", "5", "--header", "X-API-Key: \(Self.apiKey)",
          "http://127.0.0.1:\(port.rest)/rest/system/connections",
        ], key: nil)
      let others = answer.out.ranges(of: #""connected": true"#).count
      guard others == computers.count - 1 else { return false }
    }
    return true
  }

  /// Waits until the folders of the computers that run have the same files with the same bytes, and
  /// their Syncthings are idle as far as they say so.
  ///
  /// While another computer is off, none of them says that all is done.
  func converge() async throws {
    let running = computers.indices.filter { programs[$0] != nil }
    try await waitUntil("the folders are equal") {
      for index in running where running.count == computers.count {
        let (answer, says, _) = try await computers[index].isSynchronised()
        guard answer == .bool(true) else { return "\(computers[index].name): \(says)" }
      }
      let files = running.map { try? Files.contents(computers[$0].folder) }
      return files[0] != nil && files.allSatisfy { $0 == files[0] } ? nil : "files differ"
    }
  }

  /// The conflict copies that Syncthing has made, on the first computer.
  var conflictCopies: [String] {
    Files.tree(computers[0].folder).filter { $0.contains(".sync-conflict-") }
  }
}
