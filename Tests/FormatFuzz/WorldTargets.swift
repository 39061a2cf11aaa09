import SecretMemory

// A release build without fuzzing cannot see internal declarations.
#if DEBUG || FUZZING
@testable import ForeignBackups
#else
import ForeignBackups
#endif

/// World App's archive, unpacked: any tar, as it is and with the sums of its headers made right.
enum WorldTarTarget {
  static func run(_ bytes: [UInt8]) -> Bool {
    let asItIs = read(bytes)
    let summed = WorldTar.summed(bytes)
    return summed == bytes ? asItIs : read(summed) || asItIs
  }

  private static func read(_ bytes: [UInt8]) -> Bool {
    switch try? WorldArchive(tar: secret(bytes)) {
    case nil: return false
    case .some(let archive): return check(archive)
    }
  }

  /// Checks what must hold for an archive that was accepted.
  private static func check(_ archive: borrowing WorldArchive) -> Bool {
    var paths: Set<String> = []
    for file in archive.files {
      must(file.path.text.utf8.first != UInt8(ascii: "/"), "an absolute path")
      for name in file.path.text.split(separator: "/", omittingEmptySubsequences: false) {
        must(name != ".." && name != "." && !name.isEmpty, "a path that leaves the folder")
      }
      must(paths.insert(file.path.text.lowercased()).inserted, "two files in one place")
      do throws(ForeignBackupError) {
        let contents = try archive.contents(of: file)
        must(contents.count == file.size, "the size")
        must(contents.withBytes { BLAKE3.hash($0) } == file.checksum, "the checksum")
      } catch {
        must(false, "a file that was checked is refused")
      }
    }
    must(WorldManifest.hash(archive.files).count == 32, "the hash")
    must((try? archive.rootSecret().accountKey()) != nil, "a root secret without a key")
    return true
  }
}

/// The body of an entry: any CBOR.
enum WorldEntryTarget {
  static func run(_ bytes: [UInt8]) -> Bool {
    #if DEBUG || FUZZING
    var data = secret([])
    do {
      let reader = try CBORStream()
      let body = try unsafe WorldEntry(bytes.span.bytes, reader, data: &data)
      must(data.count <= bytes.count, "more bytes than there are")
      must(body.checksum.count == BLAKE3.digestSize, "the checksum")
      must((1...64).contains(body.designator.utf8.count), "the designator")
      return true
    } catch is WorldEntry.Malformed {
      return false
    } catch {
      fatalError("\(error)")
    }
    #else
    return false
    #endif
  }
}

/// The root secret and the server's metadata.
enum WorldTextTarget {
  static func run(_ bytes: [UInt8]) -> Bool {
    let text = secret(bytes)
    var accepted = false
    let root = text.withBytes { text -> String? in
      switch try? WorldRootSecret(parsing: text) {
      case nil: nil
      case .some(let root): try? root.accountKey().id
      }
    }
    if let root {
      accepted = true
      must(root.hasPrefix(WorldAccountKey.idPrefix) && root.utf8.count == 81, "the ID")
    }
    if let metadata = text.withBytes({ try? WorldMetadata(parsing: $0) }) {
      accepted = true
      must((1...64).contains(metadata.keys.count), "the number of keys")
      must(metadata.manifestHash.map { $0.count == 32 } ?? true, "the hash")
    }
    return accepted
  }
}

/// Any gzip member, as it is and with the size that it states cut to what the fuzzer can hold.
enum WorldGzipTarget {
  private static let limit = 1 << 16

  static func run(_ bytes: [UInt8]) -> Bool {
    #if DEBUG || FUZZING
    switch try? Gunzip.unpack(secret(bytes), limit: limit) {
    case nil: return false
    case .some(let text):
      must((1...limit).contains(text.count), "more than the limit")
      return true
    }
    #else
    return false
    #endif
  }
}

/// A tar of few words, for seeds, and the sums of headers.
enum WorldTar {
  static let root = Array(
    #"{"version":"V1","key":"\#(String(repeating: "21", count: 32))"}"#.utf8)

  /// A body with these contents.
  static func body(_ data: [UInt8], path: String) -> [UInt8] {
    func text(_ text: String) -> [UInt8] { [0x60 + UInt8(text.utf8.count)] + Array(text.utf8) }
    func numbers(_ bytes: [UInt8]) -> [UInt8] {
      [0x98, UInt8(bytes.count)] + bytes.flatMap { $0 < 24 ? [$0] : [0x18, $0] }
    }
    return [0xA4] + text("data") + numbers(data) + text("checksum") + numbers(BLAKE3.hash(data))
      + text("path") + text(path) + text("designator") + text("orb_pkg")
  }

  /// An archive of version 0 with one file.
  static func archive(path: String) -> [UInt8] {
    let entries = [
      ("OXIDE_BACKUP_VERSION", [0]), ("root_secret.json", root),
      (path, body([1, 200], path: path)),
    ]
    return summed(entries.flatMap(entry) + [UInt8](repeating: 0, count: 1024))
  }

  private static func entry(_ name: String, _ body: [UInt8]) -> [UInt8] {
    var header = [UInt8](repeating: 0, count: 512)
    header.replaceSubrange(0..<name.utf8.count, with: Array(name.utf8))
    let size = String(body.count, radix: 8)
    header.replaceSubrange(
      124..<135, with: Array((String(repeating: "0", count: 11 - size.count) + size).utf8))
    header[156] = UInt8(ascii: "0")
    header.replaceSubrange(257..<264, with: Array("ustar  ".utf8))
    return header + body + [UInt8](repeating: 0, count: (512 - body.count % 512) % 512)
  }

  /// The archive with the sum of each header made right, as far as its sizes lead.
  static func summed(_ archive: [UInt8]) -> [UInt8] {
    var archive = archive
    var start = 0
    while archive.count - start >= 512, archive[start] != 0 {
      for place in 0..<8 { archive[start + 148 + place] = UInt8(ascii: " ") }
      let sum = String(archive[start..<start + 512].reduce(0) { $0 + Int($1) }, radix: 8)
      let digits = Array((String(repeating: "0", count: 6 - sum.count) + sum + "\0 ").utf8)
      archive.replaceSubrange(start + 148..<start + 156, with: digits)
      let size = archive[start + 124..<start + 135].reduce(0) { size, byte in
        (48...55).contains(byte) ? size << 3 & 0xFFFFFF | Int(byte) - 48 : size
      }
      start += 512 + (size + 511) / 512 * 512
    }
    return archive
  }

  /// A gzip member with one stored block, of a text that ends with its sum: the caller's.
  static let gzip: [UInt8] = [
    0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255, 1, 5, 0, 0xFA, 0xFF, 0x68, 0x65, 0x6C, 0x6C, 0x6F, 0x86,
    0xA6, 0x10, 0x36, 5, 0, 0, 0,
  ]

  /// The server's metadata.
  static let metadata =
    #"{"id":"x","keys":[{"kind":"PRF","encryptedKey":"\#(String(repeating: "ab", count: 80))"}],"#
    + #""manifestHash":"\#(String(repeating: "cd", count: 32))"}"#
}
