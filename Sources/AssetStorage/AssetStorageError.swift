internal import SystemFiles

/// An error of the asset store: what failed, where, and the remedy.
package struct AssetStorageError: Error, Hashable, Sendable {
  package let code: Code

  /// The cause and the remedy, for the server's operator; `description` puts the place before it.
  package let message: String

  /// The file or folder that failed.
  package let place: String?

  package init(_ code: Code, _ message: String, place: String? = nil) {
    self.code = code
    self.message = message
    self.place = place
  }
}

extension AssetStorageError {
  /// The kind of an asset storage error.
  package struct Code: RawRepresentable, Hashable, Sendable {
    package let rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }

    /// The disk is full, or only the reserved space is left.
    package static let full = Self(rawValue: "full")
    /// The file is larger than the limit.
    package static let tooLarge = Self(rawValue: "tooLarge")
    /// Fewer bytes arrived than the declared length.
    package static let incomplete = Self(rawValue: "incomplete")
    /// More bytes arrived than the declared length.
    package static let overlong = Self(rawValue: "overlong")
    /// There is no such file.
    package static let missing = Self(rawValue: "missing")
    /// The contents do not match the checksum in the file's name.
    package static let damaged = Self(rawValue: "damaged")
    /// Another server owns the folder.
    package static let owned = Self(rawValue: "owned")
    /// The upload was discarded, or has ended.
    package static let ended = Self(rawValue: "ended")
    /// The disk or the file system failed.
    package static let unavailable = Self(rawValue: "unavailable")
  }

  /// Converts the error of a failed system call.
  init(_ failure: SystemFailure) {
    self.init(
      failure.isFull ? .full : failure.isMissing ? .missing : .unavailable,
      "cannot \(failure.what): \(failure.reason) (system error \(failure.number)); check the path, the permissions and the free disk space",
      place: failure.path)
  }

  /// Runs file operations, and converts their errors to `AssetStorageError`.
  static func mappingErrors<Value: ~Copyable>(
    _ body: () throws(SystemFailure) -> Value
  ) throws(AssetStorageError) -> Value {
    do throws(SystemFailure) { return try body() } catch { throw AssetStorageError(error) }
  }
}

extension AssetStorageError: CustomStringConvertible {
  /// The place and the message, on one line.
  package var description: String { place.map { "\($0): \(message)" } ?? message }
}
