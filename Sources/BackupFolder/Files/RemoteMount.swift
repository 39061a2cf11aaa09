internal import Glibc

extension MountTable {
  /// The most links on the way to a path; the kernel follows no more (path_resolution(7)).
  private static let mostLinks = 40

  /// The first file system on the way to a path that needs another program or computer to answer.
  ///
  /// Only what lies before it is looked at, so this does not block.
  ///
  /// - Parameter path: the path, which need not exist; links on the way are followed.
  /// - Returns: nil: all of the way is on this computer's own file systems.
  package func remoteMount(onWayTo path: String) -> Mount? {
    let slash = UInt8(ascii: "/")
    func steps(_ path: String) -> [Substring] {
      path.utf8.split(separator: slash).reversed().map { Substring($0) }
    }
    let isAbsolute = path.utf8.first == slash
    var rest = steps(isAbsolute ? path : MountKind.workingFolder() + "/" + path)
    var place = ""
    var links = 0
    if let root = holding("/"), root.mayBeSilent { return root }
    while let step = rest.popLast() {
      if step == "." { continue }
      if step == ".." {
        place = place.utf8.lastIndex(of: slash).map { String(place[..<$0]) } ?? ""
        continue
      }
      let next = place + "/" + step
      if let mount = holding(next), mount.mayBeSilent { return mount }
      guard let target = Self.target(of: next) else {
        place = next
        continue
      }
      links += 1
      // The system refuses such a path at once.
      if links > Self.mostLinks { return nil }
      if target.utf8.first == slash { place = "" }
      rest += steps(target)
    }
    return nil
  }

  /// The text of a symbolic link; nil if it is none.
  private static func target(of path: String) -> String? {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    let size = buffer.count
    let count = unsafe readlink(path, &buffer, size)
    if count < 0 { return nil }
    return String(decoding: buffer.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self)
  }
}

extension MountTable.Mount {
  /// Whether it may keep a caller waiting, or leads where its table does not tell.
  ///
  /// The links of /proc may lead to the files of another process, whose mounts are others.
  fileprivate var mayBeSilent: Bool { MountKind.isRemote(type) || type == "proc" }
}
