/// Why a compiled model could not be read or written.
package struct ModelArchiveError: Error, Equatable, CustomStringConvertible {
  /// The kind of failure.
  ///
  /// Open: a later release may add kinds.
  package struct Code: RawRepresentable, Hashable, Sendable {
    package let rawValue: String

    package init(rawValue: String) {
      self.rawValue = rawValue
    }

    /// The file or folder cannot be read, or is not there.
    package static let unreadable = Code(rawValue: "unreadable")
    /// The bytes are not a keyed archive.
    package static let notAnArchive = Code(rawValue: "notAnArchive")
    /// The archive is not the archive of a model.
    package static let notAModel = Code(rawValue: "notAModel")
    /// A key that the object must have is not there.
    package static let missingKey = Code(rawValue: "missingKey")
    /// A key holds a value of another kind than it should.
    package static let wrongKind = Code(rawValue: "wrongKind")
    /// An object of a class that has no meaning at this place.
    package static let unknownClass = Code(rawValue: "unknownClass")
    /// A number that stands for nothing, or parts that contradict each other.
    package static let contradiction = Code(rawValue: "contradiction")
    /// A limit of `Limits` was reached.
    package static let limit = Code(rawValue: "limit")
    /// Only the private optimized form of a version is there.
    package static let optimizedOnly = Code(rawValue: "optimizedOnly")
    /// The model holds something that has no archived form.
    package static let notArchivable = Code(rawValue: "notArchivable")
  }

  package let code: Code
  package let message: String
  /// Where in the archive: the keys that lead there from the root.
  package let keyPath: String?
  /// The file, where the archive came from one.
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
