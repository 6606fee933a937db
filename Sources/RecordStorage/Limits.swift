/// The bounds of this module, each with its reason.
package enum Limits {
  /// The longest key, in bytes.
  ///
  /// An index of PostgreSQL takes entries of a third of a page, 2,704 bytes, less what they need
  /// themselves. A name of a record or zone has at most 255 bytes, so that whole tuples fit many
  /// times.
  package static let keyBytes = 2_048

  /// The longest value, in bytes.
  ///
  /// A record without its assets is limited to a megabyte by the protocol; sixteen leave room for
  /// its form in the store. Values are held in memory as wholes by everyone who touches them.
  package static let valueBytes = 16 << 20
}
