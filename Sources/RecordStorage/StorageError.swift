/// Something that a store refused or could not do: what, where, and what to do about it.
package struct StorageError: Error, Hashable, Sendable {
  package let code: Code

  /// What was wrong and what to do, in a sentence for the person who runs the server.
  package let message: String

  /// The file or server that it happened in, where there is one.
  package let place: String?

  package init(_ code: Code, _ message: String, place: String? = nil) {
    self.code = code
    self.message = message
    self.place = place
  }
}

extension StorageError {
  /// The kind of failure.
  ///
  /// Open: an engine may have kinds of its own.
  package struct Code: RawRepresentable, Hashable, Sendable {
    package let rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }
  }
}

extension StorageError.Code {
  /// Another transaction changed what this one read; nothing was written, and it can be run again.
  package static let conflict = Self(rawValue: "conflict")
  /// The store is being used by somebody else for longer than was waited; nothing was written.
  package static let busy = Self(rawValue: "busy")
  /// The disk has no room; nothing was written.
  package static let full = Self(rawValue: "full")
  /// The disk, the file system or the connection to the database failed.
  package static let unavailable = Self(rawValue: "unavailable")
  /// What the store holds cannot be what was written.
  package static let damaged = Self(rawValue: "damaged")
  /// The store was closed.
  package static let closed = Self(rawValue: "closed")
  /// Another server owns the store.
  package static let owned = Self(rawValue: "owned")
  /// The place holds something that is no store of records.
  package static let foreign = Self(rawValue: "foreign")
  /// The store was written by a newer version.
  package static let newer = Self(rawValue: "newer")
  /// The store was written before version 1, and cannot be upgraded.
  package static let unsupported = Self(rawValue: "unsupported")
  /// The store was written by an older version and has to be upgraded by the server first.
  package static let older = Self(rawValue: "older")
  /// The store was restored and has to be opened by the server first.
  package static let restored = Self(rawValue: "restored")
  /// There is no store in the place.
  package static let missing = Self(rawValue: "missing")
  /// Something is in the place that a new store or backup was to have.
  package static let exists = Self(rawValue: "exists")
  /// A key or value is longer than `Limits` allow; the transaction may go on without it.
  package static let tooLong = Self(rawValue: "tooLong")
  /// The storage may not be written.
  package static let readOnly = Self(rawValue: "readOnly")
}

extension StorageError {
  /// Refuses an entry that is longer than any engine has to take.
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
  /// One line: the message, the code, the place.
  package var description: String {
    "\(message) (\(code.rawValue)\(place.map { ", \($0)" } ?? ""))"
  }
}
