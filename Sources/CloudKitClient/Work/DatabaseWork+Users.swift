import CloudRecords
import CloudWire
import Foundation

extension DatabaseWork {
  /// Finds users by what others know of them.
  ///
  /// - Parameter each: Is told of those who were found; others are not there, or do not let
  ///   themselves be found.
  func discover(
    _ infos: [CKUserIdentity.LookupInfo],
    _ each: (CKUserIdentity.LookupInfo, CKUserIdentity) -> Void
  ) async throws(CKError) {
    try await look(for: infos) { info, identity in if let identity { each(info, identity) } }
  }

  /// - Parameter each: Is told of every one who is looked for: nil where nobody is found.
  private func look(
    for infos: [CKUserIdentity.LookupInfo],
    _ each: (CKUserIdentity.LookupInfo, CKUserIdentity?) -> Void
  ) async throws(CKError) {
    let coding = try await coding()
    try await inPieces(infos) { piece throws(CKError) in
      let request = UsersDiscoverRequest(wanted: piece.compactMap { coding.lookupInfo($0) })
      let users = try await call(request).users
      for info in piece {
        let wanted = coding.lookupInfo(info)
        each(info, users.first { $0.isFound(by: wanted) }.map { coding.identity($0) })
      }
    }
  }

  /// Finds those whom the user's address book names, where the server has one.
  func discoverAll() async throws(CKError) -> [CKUserIdentity] {
    let coding = try await coding()
    return try await call(UsersDiscoverAllRequest()).users.map { coding.identity($0) }
  }

  /// Whether others can find whoever is signed in: the server says so of oneself as it does to
  /// them.
  func isDiscoverable() async throws(CKError) -> Bool {
    guard let name = try await session.userRecordName(options) else {
      throw CKError(.notAuthenticated, "Nobody is signed in.")
    }
    return try await !call(UsersDiscoverRequest(wanted: [.userRecordName(name)])).users.isEmpty
  }

  /// Those who are invited by what others know of them: known or not, they can be added to a share.
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
  /// Whether an answer is about whoever was looked for.
  fileprivate func isFound(by wanted: LookupInfo?) -> Bool {
    if case .userRecordName(let name)? = wanted { return userRecordName == name }
    guard let wanted, let lookupInfo else { return false }
    return lookupInfo.isSame(as: wanted)
  }
}
