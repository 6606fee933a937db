/// The limits of the mapping, each with its reason.
package enum MappingLimits {
  /// The length above which a value is an asset: Apple's 750 KB, to leave room for other fields.
  package static let inlineBytes = 750 * 1_024

  /// The length from which a value is an asset if its attribute allows external storage.
  ///
  /// Stores keep such a value in a separate file, which Apple's container sends as an asset.
  package static let externalBytes = 100 * 1_024

  /// The most bytes of a record without its assets: Apple's megabyte, which the server enforces.
  package static let recordBytes = 1_048_576

  /// The bytes of a record without fields: its name, type, stamps, parent and shares.
  ///
  /// Their names have up to 255 bytes.
  package static let bareRecordBytes = 2_048

  /// The bytes of a field in addition to its name and value: delimiters and lengths.
  package static let fieldBytes = 24

  /// The bytes that sealing adds to a value, such as its key's name, nonce, tag and signature.
  package static let sealBytes = 384

  /// The bytes of an asset's reference in a record: two checksums, a key, a length.
  package static let assetReferenceBytes = 320

  /// The shortest value that becomes an asset for lack of room; a reference is hardly shorter.
  package static let shortestAsset = 1_024

  /// The longest value from a file that the conflict journal keeps: a photograph, but not a film.
  package static let journalBytes: Int64 = 16 << 20

  /// The longest value that is digested byte by byte.
  ///
  /// Longer values are digested eight bytes at a time, which is faster. Digests are stored.
  package static let digestedByBytes = 4_096

  /// The bytes of a file that are read, written or compared at once.
  package static let chunkBytes = 1 << 20
}
