/// The limits of this module, each with its reason.
package enum Limits {
  /// The longest key, in bytes.
  ///
  /// The limit permits an engine on PostgreSQL, whose index entries may take a third of a page:
  /// 2,704 bytes, including their overhead. Names of records and zones have at most 255 bytes, so
  /// keys of several components fit easily.
  package static let keyBytes = 2_048

  /// The longest value, in bytes.
  ///
  /// The protocol limits a record without its assets to a megabyte; sixteen megabytes leave room
  /// for its stored form. Every layer holds a value in memory as a whole.
  package static let valueBytes = 16 << 20
}
