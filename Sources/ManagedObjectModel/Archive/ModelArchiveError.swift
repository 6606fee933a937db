/// The error of an archive, such as a compiled model, that cannot be read or written.
package struct ModelArchiveError: Error, Equatable, CustomStringConvertible {
  /// The kind of error.
  ///
  /// A later release may add kinds.
  package struct Code: RawRepresentable, Hashable, Sendable {
    package let rawValue: String

    package init(rawValue: String) {
      self.rawValue = rawValue
    }

    /// The file or folder does not exist or cannot be read.
    package static let unreadable = Code(rawValue: "unreadable")
    /// The bytes are not a keyed archive.
    package static let notAnArchive = Code(rawValue: "notAnArchive")
    /// The archive is not that of a model or mapping model.
    package static let notAModel = Code(rawValue: "notAModel")
    /// A required key is missing.
    package static let missingKey = Code(rawValue: "missingKey")
    /// The value of a key has the wrong type.
    package static let wrongKind = Code(rawValue: "wrongKind")
    /// An object has a class that is not allowed in its place.
    package static let unknownClass = Code(rawValue: "unknownClass")
    /// A number has no meaning, or values contradict each other.
    package static let contradiction = Code(rawValue: "contradiction")
    /// The archive exceeds one of the `Limits`.
    package static let limit = Code(rawValue: "limit")
    /// The folder has only the private optimized form of a version.
    package static let optimizedOnly = Code(rawValue: "optimizedOnly")
    /// The model contains something that has no archived form.
    package static let notArchivable = Code(rawValue: "notArchivable")
  }

  package let code: Code
  package let message: String
  /// The path of keys from the root of the archive.
  package let keyPath: String?
  /// The file, if the archive came from one.
  package var file: String?

  package init(_ code: Code, _ message: String, at path: ArchivePath? = nil, file: String? = nil) {
    self.code = code
    self.message = message
    keyPath = path?.description
    self.file = file
  }

  package var description: String {
    message + (keyPath.map { " (at \($0))" } ?? "") + (file.map { " [\($0)]" } ?? "")
  }
}
