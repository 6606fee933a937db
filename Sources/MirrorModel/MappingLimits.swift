/// The limits of the mapping, each with its reason.
package enum MappingLimits {
  /// The length above which a value is an asset: Apple's 750 KB, which leaves the other fields of a
  /// record some room.
  package static let inlineBytes = 750 * 1_024

  /// The length from which a value is an asset whose attribute allows external storage: from there
  /// on stores keep it in a file of its own, which Apple's container sends as one.
  package static let externalBytes = 100 * 1_024

  /// The most bytes of a record without its assets: the server's limit, which is Apple's megabyte.
  package static let recordBytes = 1_048_576

  /// What a record takes that has no fields: its name, type, stamps, parent and shares, whose names
  /// are up to 255 bytes long.
  package static let bareRecordBytes = 2_048

  /// What a field takes beside its name and value: marks and lengths.
  package static let fieldBytes = 24

  /// What sealing adds to a value: the name of a share, a key's, a nonce, the seal.
  package static let sealBytes = 384

  /// What a record holds of an asset: two checksums, a key, a length.
  package static let assetReferenceBytes = 320

  /// The shortest value that is made an asset because others leave no room: what a record holds of
  /// the asset is nearly as long.
  package static let shortestAsset = 1_024

  /// The longest value that lies in a file and that the journal of conflicts keeps: many
  /// photographs, and no films.
  package static let journalBytes: Int64 = 16 << 20

  /// The longest value whose digest is made byte by byte, as those that ledgers keep were; longer
  /// ones go by eight bytes, which takes an eighth of the time.
  package static let digestedByBytes = 4_096

  /// How much of a file is read, written or compared at once.
  package static let chunkBytes = 1 << 20

  /// The longest value that a record's text shows; of longer ones it shows the length.
  package static let shownBytes = 64
}
