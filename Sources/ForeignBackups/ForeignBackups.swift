/// Backups that other programs wrote: SealVault, World App, Celo's encrypted backup.
///
/// Each has a folder of its own here, which knows nothing of the other two. The core does not
/// know this module, and no format here goes into a backup folder of ours. Everything is
/// bounded: sizes, entries, ratios, costs of key derivation.
package enum ForeignBackups {}
