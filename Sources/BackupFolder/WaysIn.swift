public import SecretMemory

extension OpenNamespace {
  /// Enrols another way in.
  ///
  /// - Parameters:
  ///   - enrolment: describes it.
  ///   - secret: the way's secret; of a security key, its PRF output for the
  ///     enrolment's salt, 32 bytes.
  ///   - confirmation: the same, found a second time.
  /// - Throws: ``BackupFolderError/evaluationsDiffer``; system errors.
  public mutating func addWayIn(
    _ enrolment: Enrolment, secret: borrowing SecretBytes,
    confirmedBy confirmation: borrowing SecretBytes
  ) throws(BackupFolderError) {
    guard secret.isEqual(to: confirmation) else { throw .evaluationsDiffer }
    let run = try WritingRun.begin(namespace.state(make: true))
    try refresh(run: run)
    let file = try namespace.write(enrolment, masterKey, secret: secret, tag: run.tag)
    try logWayIn(file.bytes, enrolment.keyID, envelope: nil, run: run)
  }
}
