/// Decides how far a reference of one public record constrains another one.
///
/// In the public database anybody may refer to what others have saved. So a reference counts only
/// as far as its authors may change the target themselves.
package enum ReferenceRule {
  /// Whether a reference constrains the deletion of its target.
  ///
  /// - Parameters:
  ///   - authors: The user that created the referring record, and the user that saved it last.
  ///   - owner: The user that created the target.
  ///   - deleter: The user that deletes the target.
  ///   - mayWrite: Whether the type of the target lets a user, who is not its owner, write it.
  package static func constrains(
    authors: [String], owner: String, deleter: String?, mayWrite: (String) throws -> Bool
  ) rethrows -> Bool {
    // The owner of a record is held by its own records alone.
    if deleter == owner { return authors.allSatisfy { $0 == owner } }
    return try authors.allSatisfy { try $0 == owner || mayWrite($0) }
  }
}
