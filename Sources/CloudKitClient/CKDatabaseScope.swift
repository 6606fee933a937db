/// Which of a container's databases: `CKDatabase.Scope`.
public enum CKDatabaseScope: Int, Sendable {
  /// What everybody sees.
  case `public` = 1
  /// What belongs to whoever is signed in.
  case `private` = 2
  /// What others share with whoever is signed in.
  case shared = 3
}
