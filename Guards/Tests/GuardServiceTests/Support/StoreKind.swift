import Foundation
import Testing

@testable import GuardService

/// The kinds of databases: every test of accounts runs on each.
enum StoreKind: CaseIterable, CustomTestStringConvertible {
  case sqlite
  case postgreSQL

  var testDescription: String { self == .sqlite ? "SQLite" : "PostgreSQL" }

  /// A new place for a database.
  func place() throws -> StorePlace {
    switch self {
    case .sqlite:
      let folder = URL(filePath: "/tmp/guard-\(UUID().uuidString)")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
      return StorePlace(kind: self, url: folder.path + "/guard.sqlite", folder: folder)
    case .postgreSQL:
      return StorePlace(
        kind: self, url: try RunningPostgreSQL.shared.get().newDatabase(), folder: nil)
    }
  }
}

/// A place of a database, which may be opened several times.
final class StorePlace: Sendable {
  let kind: StoreKind
  let url: String
  private let folder: URL?

  init(kind: StoreKind, url: String, folder: URL?) {
    self.kind = kind
    self.url = url
    self.folder = folder
  }

  deinit { if let folder { try? FileManager.default.removeItem(at: folder) } }

  func open(usesServersClock: Bool = false) async throws -> GuardStore {
    switch kind {
    case .sqlite: try await .sqlite(url)
    case .postgreSQL: try await .postgreSQL(url, usesServersClock: usesServersClock)
    }
  }

  /// Every byte that the database wrote.
  func files() throws -> [UInt8] {
    guard let folder else {
      let server = try RunningPostgreSQL.shared.get()
      try server.sql("CHECKPOINT")
      return try Self.contents(server.folder.appending(path: "data"))
    }
    return try Self.contents(folder)
  }

  private static func contents(_ folder: URL) throws -> [UInt8] {
    let paths = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
    var bytes: [UInt8] = []
    while let path = paths?.nextObject() as? URL {
      // Files of the server come and go.
      if let data = try? Data(contentsOf: path) { bytes += data }
    }
    return bytes
  }
}
