/// Decides what it means that somebody is signed in, or nobody.
package enum AccountDecision {
  /// What changed between two looks at the account; nil where nothing did.
  ///
  /// - Parameter isElsewhere: Whether it is the account of another container or environment, where
  ///   one user has other data.
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
