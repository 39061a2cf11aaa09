import Testing

extension Sandbox {
  /// Runs keybackup with the sandbox's key, where a folder is on a read-only file system.
  func keybackup(_ arguments: [String], readOnly folder: String) async throws -> Outcome {
    let script = """
      mount --make-rprivate / 2>/dev/null
      mount --bind "$place" "$place" && mount -o remount,ro,bind "$place" || exit 99
      "$virtual" --state "$box/key.json" --pin \(Self.pin) --trace "$box/trace" -- \
        "$keybackup" "$@" --pin-file "$box/pin"; code=$?
      umount --lazy "$place"; exit $code
      """
    let privileged = isRoot ? [] : ["sudo", "-n", "--preserve-env"]
    return try await run(
      privileged + ["unshare", "--mount", "--propagation", "unchanged", "sh", "-c", script, "sh"]
        + arguments,
      key: nil,
      environment: [
        "box": root, "place": folder, "virtual": Build.virtualKey, "keybackup": Build.keybackup,
      ])
  }
}
