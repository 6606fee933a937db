/// The fields to set and clear in a record.
package struct RecordChanges: Sendable {
  /// One field with its new content.
  struct Setting: Sendable {
    package let field: String
    package let isEncrypted: Bool
    package let content: Content
    /// Whether the file of an asset is sealed.
    var isFileSealed = false
  }

  /// The new content of a field.
  enum Content: Sendable {
    case cleared
    case inline(RecordValue)
    case asset(RecordValue)
  }

  /// The fields, sorted by name.
  let settings: [Setting]
  /// The inline fields whose values are in assets after writing.
  package let assets: Set<String>
  /// The approximate size of the record in bytes after writing, without its assets.
  package let recordBytes: Int

  /// The names of the fields that are set or cleared.
  package var fields: [String] { settings.map(\.field) }
}
