/// The tables, the same in every database.
///
/// Times are in Unix seconds. Numbers are signed with 64 bits. `phase` is 0 for an account that is
/// not confirmed, 1 for a confirmed one, 2 for one that ended. Such a row stays, without its share
/// and its login.
enum GuardSchema {
  /// The version that this program writes.
  static let version: UInt64 = 1

  /// The columns of an account in the order of ``StoredAccount``.
  static let columns = [
    "id", "ask_key", "reset_key", "owner_key", "share", "subject", "key_id", "client_id",
    "kind", "terms", "version", "imported", "phase", "since", "counter", "tries", "timer",
    "last_counter", "last_element", "last_evaluated", "last_proof", "pending", "vetoed",
  ]

  static let statements = [
    """
    CREATE TABLE guard (
      one BIGINT PRIMARY KEY CHECK (one = 1), version BIGINT NOT NULL, identity BYTEA,
      epoch BIGINT NOT NULL, accepted BIGINT NOT NULL, halted BIGINT NOT NULL,
      stopped BIGINT NOT NULL, clock BIGINT NOT NULL)
    """,
    "INSERT INTO guard VALUES (1, \(version), NULL, 0, 0, 0, 0, 0)",
    """
    CREATE TABLE accounts (
      id BYTEA PRIMARY KEY, ask_key BYTEA NOT NULL, reset_key BYTEA NOT NULL,
      owner_key BYTEA NOT NULL, share BYTEA, subject BYTEA, key_id BYTEA, client_id TEXT,
      kind BIGINT NOT NULL, terms BIGINT NOT NULL, version BIGINT NOT NULL,
      imported BIGINT NOT NULL, phase BIGINT NOT NULL, since BIGINT NOT NULL,
      counter BIGINT NOT NULL, tries BIGINT NOT NULL, timer BIGINT NOT NULL,
      last_counter BIGINT, last_element BYTEA, last_evaluated BYTEA, last_proof BYTEA,
      pending BYTEA NOT NULL, vetoed BYTEA NOT NULL)
    """,
    "CREATE INDEX accounts_unconfirmed ON accounts (since) WHERE phase = 0",
    "CREATE INDEX accounts_imported ON accounts (imported) WHERE imported = 1",
    "CREATE TABLE invites (hash BYTEA PRIMARY KEY, made BIGINT NOT NULL)",
    """
    CREATE TABLE events (
      account BYTEA NOT NULL, slot BIGINT NOT NULL, version BIGINT NOT NULL, at BIGINT NOT NULL,
      what BIGINT NOT NULL, PRIMARY KEY (account, slot))
    """,
  ]
}
