/// What to set and clear in a record.
package struct RecordChanges: Sendable {
  /// One field, and what becomes of it.
  struct Setting: Sendable {
    package let field: String
    package let isEncrypted: Bool
    package let content: Content
    /// Whether the file of an asset is sealed.
    var isFileSealed = false
  }

  /// What becomes of a field.
  enum Content: Sendable {
    case cleared
    case inline(RecordValue)
    case asset(RecordValue)
  }

  /// The fields, in the order of their names.
  let settings: [Setting]
  /// The fields whose values lie in assets when the record is written, by the names of the fields
  /// that would hold them inline.
  package let assets: Set<String>
  /// About how many bytes the record has then, its assets aside.
  package let recordBytes: Int

  /// The names of the fields that are set or cleared.
  package var fields: [String] { settings.map(\.field) }
}
