import CloudKitClient

/// Decides which account change to report.
package enum AccountDecision {
  /// Returns the change between two account checks; nil if there is none.
  ///
  /// - Parameter isElsewhere: Whether the account belongs to another container or environment,
  ///   where the same user has other data.
  package static func change(
    from previous: String?, to current: String?, isElsewhere: Bool = false
  ) -> CKSyncEngine.Event.AccountChange.ChangeType? {
    switch (previous, current) {
    case (nil, let current?): .signIn(currentUser: recordID(current))
    case (let previous?, nil): .signOut(previousUser: recordID(previous))
    case (let previous?, let current?) where previous != current || isElsewhere:
      .switchAccounts(previousUser: recordID(previous), currentUser: recordID(current))
    default: nil
    }
  }

  private static func recordID(_ user: String) -> CKRecord.ID {
    CKRecord.ID(received: user, zoneID: .default)
  }
}
