/// Decides how far a reference from one public record constrains another record.
///
/// In the public database any user may reference other users' records. So a reference only has as
/// much effect as its authors' own permission to change the target.
package enum ReferenceRule {
  /// Whether a reference constrains the deletion of its target.
  ///
  /// - Parameters:
  ///   - authors: The users who created and last saved the referencing record.
  ///   - owner: The user who created the target.
  ///   - deleter: The user who deletes the target.
  ///   - mayWrite: Whether a user other than the owner may write records of the target's type.
  package static func constrains(
    authors: [String], owner: String, deleter: String?, mayWrite: (String) throws -> Bool
  ) rethrows -> Bool {
    // The owner of a record is only constrained by their own records.
    if deleter == owner { return authors.allSatisfy { $0 == owner } }
    return try authors.allSatisfy { try $0 == owner || mayWrite($0) }
  }
}
