import CloudRecords
import CloudWire
import Foundation

extension DatabaseWork {
  /// Finds discoverable users.
  ///
  /// - Parameter each: Called for each user that was found. Unknown and undiscoverable users are
  ///   skipped.
  func discover(
    _ infos: [CKUserIdentity.LookupInfo],
    _ each: (CKUserIdentity.LookupInfo, CKUserIdentity) -> Void
  ) async throws(CKError) {
    try await look(for: infos) { info, identity in if let identity { each(info, identity) } }
  }

  /// Looks users up.
  ///
  /// - Parameter each: Called for each lookup, with nil if no user was found.
  private func look(
    for infos: [CKUserIdentity.LookupInfo],
    _ each: (CKUserIdentity.LookupInfo, CKUserIdentity?) -> Void
  ) async throws(CKError) {
    let coding = try await coding()
    try await inBatches(infos) { batch throws(CKError) in
      let request = UsersDiscoverRequest(wanted: batch.compactMap { coding.lookupInfo($0) })
      let users = try await call(request).users
      for info in batch {
        let wanted = coding.lookupInfo(info)
        each(info, users.first { $0.isFound(by: wanted) }.map { coding.identity($0) })
      }
    }
  }

  /// Finds the users in the user's address book, if the server has one.
  func discoverAll() async throws(CKError) -> [CKUserIdentity] {
    let coding = try await coding()
    return try await call(UsersDiscoverAllRequest()).users.map { coding.identity($0) }
  }

  /// Whether others can find the current user, as a lookup of the user's own name shows.
  func isDiscoverable() async throws(CKError) -> Bool {
    guard let name = try await session.userRecordName(options) else {
      throw CKError(.notAuthenticated, "No user is signed in.")
    }
    return try await !call(UsersDiscoverRequest(wanted: [.userRecordName(name)])).users.isEmpty
  }

  /// Looks users up as share participants.
  ///
  /// An unknown user can be invited too.
  func participants(
    _ infos: [CKUserIdentity.LookupInfo],
    _ each: (CKUserIdentity.LookupInfo, CKShare.Participant) -> Void
  ) async throws(CKError) {
    try await look(for: infos) { info, known in
      let identity = known ?? CKUserIdentity(userRecordID: info.userRecordID, lookupInfo: info)
      each(
        info,
        CKShare.Participant(
          identity, role: .privateUser, permission: .readOnly, acceptance: .pending,
          participantID: ""))
    }
  }
}

extension UserIdentity {
  /// Whether a result belongs to a lookup.
  fileprivate func isFound(by wanted: LookupInfo?) -> Bool {
    if case .userRecordName(let name)? = wanted { return userRecordName == name }
    guard let wanted, let lookupInfo else { return false }
    return lookupInfo.isSame(as: wanted)
  }
}
