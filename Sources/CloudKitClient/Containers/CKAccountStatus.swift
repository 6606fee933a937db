public import Foundation

/// The availability of the user's account.
public enum CKAccountStatus: Int, Sendable {
  /// The status could not be determined. The error says why.
  case couldNotDetermine = 0
  /// A user is signed in.
  case available = 1
  /// The system denies the app access to the account.
  case restricted = 2
  /// No user is signed in.
  case noAccount = 3
  /// A user is signed in, but must take action before the account can be used.
  case temporarilyUnavailable = 4
}

extension NSNotification.Name {
  /// Posted when the account has changed.
  ///
  /// Request the account status again.
  public static let CKAccountChanged = NSNotification.Name("CKAccountChangedNotification")
}
