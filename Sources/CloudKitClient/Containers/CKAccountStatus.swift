public import Foundation

/// Whether a user is signed in.
public enum CKAccountStatus: Int, Sendable {
  /// It cannot be found out: look at the error.
  case couldNotDetermine = 0
  /// Somebody is signed in.
  case available = 1
  /// The system does not let the program use the account.
  case restricted = 2
  /// Nobody is signed in.
  case noAccount = 3
  /// Somebody is signed in, and has to do something before the account can be used.
  case temporarilyUnavailable = 4
}

extension NSNotification.Name {
  /// Somebody was signed in or out: ask for the account's status again.
  public static let CKAccountChanged = NSNotification.Name("CKAccountChangedNotification")
}
