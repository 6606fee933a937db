/// An error of a store: what failed, where, and the remedy.
package struct StorageError: Error, Hashable, Sendable {
  package let code: Code

  /// The cause and the remedy: a sentence for the server's operator.
  ///
  /// `description` puts the place before it.
  package let message: String

  /// The file or server that failed, if there is one.
  package let place: String?

  package init(_ code: Code, _ message: String, place: String? = nil) {
    self.code = code
    self.message = message
    self.place = place
  }
}

extension StorageError {
  /// The kind of a storage error.
  ///
  /// The set is open: engines may define their own codes.
  package struct Code: RawRepresentable, Hashable, Sendable {
    package let rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }
  }
}

extension StorageError.Code {
  /// Another transaction changed what this one read.
  ///
  /// Nothing was written; the caller may retry.
  package static let conflict = Self(rawValue: "conflict")
  /// Another process held the store's lock longer than the timeout.
  ///
  /// Nothing was written.
  package static let busy = Self(rawValue: "busy")
  /// The disk has no room; nothing was written.
  package static let full = Self(rawValue: "full")
  /// The disk, the file system or the connection to the database failed.
  package static let unavailable = Self(rawValue: "unavailable")
  /// The stored bytes do not have the form that was written.
  package static let damaged = Self(rawValue: "damaged")
  /// The store was closed.
  package static let closed = Self(rawValue: "closed")
  /// Another server owns the store.
  package static let owned = Self(rawValue: "owned")
  /// The path holds something other than a store of records.
  package static let foreign = Self(rawValue: "foreign")
  /// The store was written by a newer version of the server.
  package static let newer = Self(rawValue: "newer")
  /// The store was written by an older version and has to be upgraded by the server first.
  package static let older = Self(rawValue: "older")
  /// The store was restored, and the server must open it first.
  package static let restored = Self(rawValue: "restored")
  /// There is no store at the path.
  package static let missing = Self(rawValue: "missing")
  /// A file already exists where a new store or backup would be created.
  package static let exists = Self(rawValue: "exists")
  /// A key or value exceeds `Limits`.
  ///
  /// The transaction may continue without it.
  package static let tooLong = Self(rawValue: "tooLong")
  /// The storage is read-only.
  package static let readOnly = Self(rawValue: "readOnly")
}

extension StorageError {
  /// Throws if an entry is longer than every engine must accept.
  package static func checkLength(of key: StorageKey, valueBytes: Int = 0) throws(StorageError) {
    if key.bytes.count > Limits.keyBytes {
      throw StorageError(
        .tooLong,
        "a key has \(key.bytes.count) bytes; shorten its texts: \(Limits.keyBytes) is the limit")
    }
    if valueBytes > Limits.valueBytes {
      throw StorageError(
        .tooLong,
        "a value has \(valueBytes) bytes; keep it as an asset: \(Limits.valueBytes) is the limit")
    }
  }
}

extension StorageError: CustomStringConvertible {
  /// The place and the message, on one line.
  package var description: String { place.map { "\($0): \(message)" } ?? message }
}
