/// A container's public, private or shared database; also available as `CKDatabase.Scope`.
public enum CKDatabaseScope: Int, Sendable {
  /// The public database, which all users can access.
  case `public` = 1
  /// The private database of the current user.
  case `private` = 2
  /// The shared database, with records that other users share with the current user.
  case shared = 3
}
