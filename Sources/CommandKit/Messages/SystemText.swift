internal import BackupFolder

/// The system's words for an errno value.
package func systemText(_ code: Int32) -> String { SystemCall.text(code) }
