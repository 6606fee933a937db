internal import SystemFiles

/// Something that the keeper of files refused or could not do: what, where, and what to do about
/// it.
package struct AssetStorageError: Error, Hashable, Sendable {
  package let code: Code

  /// What was wrong and what to do, in a sentence for the person who runs the server.
  package let message: String

  /// The file or folder that it happened in.
  package let place: String?

  package init(_ code: Code, _ message: String, place: String? = nil) {
    self.code = code
    self.message = message
    self.place = place
  }
}

extension AssetStorageError {
  /// The kind of failure.
  package struct Code: RawRepresentable, Hashable, Sendable {
    package let rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }

    /// The disk has no room, or not more than is kept for others.
    package static let full = Self(rawValue: "full")
    /// The file is larger than files may be.
    package static let tooLarge = Self(rawValue: "tooLarge")
    /// Fewer bytes of the file came than it has.
    package static let incomplete = Self(rawValue: "incomplete")
    /// More bytes came than the file has.
    package static let overlong = Self(rawValue: "overlong")
    /// There is no such file.
    package static let missing = Self(rawValue: "missing")
    /// The contents are not those that the file's name promises.
    package static let damaged = Self(rawValue: "damaged")
    /// Another server uses the folder.
    package static let owned = Self(rawValue: "owned")
    /// The upload was given up, or has ended.
    package static let ended = Self(rawValue: "ended")
    /// The disk or the file system failed.
    package static let unavailable = Self(rawValue: "unavailable")
  }

  /// A call of the operating system that failed.
  init(_ failure: SystemFailure) {
    self.init(
      failure.isFull ? .full : failure.isMissing ? .missing : .unavailable,
      "cannot \(failure.what): \(failure.reason) (system error \(failure.number)); check the path, the rights and the room on the disk",
      place: failure.path)
  }

  /// Does something with files, and tells in this module's errors what goes wrong.
  static func telling<Value: ~Copyable>(
    _ body: () throws(SystemFailure) -> Value
  ) throws(AssetStorageError) -> Value {
    do throws(SystemFailure) { return try body() } catch { throw AssetStorageError(error) }
  }
}

extension AssetStorageError: CustomStringConvertible {
  package var description: String { place.map { "\(message) (\($0))" } ?? message }
}
