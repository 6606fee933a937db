import CloudRecords
import CloudWire
import Foundation

extension DatabaseWork {
  /// Finds users by what others know of them; those who are not found, or do not let themselves be found, are left out.
  func discover(
    _ infos: [CKUserIdentity.LookupInfo]
  ) async throws(CKError) -> [(info: CKUserIdentity.LookupInfo, identity: CKUserIdentity)] {
    let coding = try await coding()
    var found: [(info: CKUserIdentity.LookupInfo, identity: CKUserIdentity)] = []
    try await inPieces(infos) { piece throws(CKError) in
      let request = UsersDiscoverRequest(wanted: piece.compactMap { coding.lookupInfo($0) })
      let users = try await call(request).users
      for info in piece {
        let wanted = coding.lookupInfo(info)
        if let user = users.first(where: { $0.isFound(by: wanted) }) { found.append((info, coding.identity(user))) }
      }
    }
    return found
  }

  /// Finds those whom the user's address book names, where the server has one.
  func discoverAll() async throws(CKError) -> [CKUserIdentity] {
    let coding = try await coding()
    return try await call(UsersDiscoverAllRequest()).users.map { coding.identity($0) }
  }

  /// Whether others can find whoever is signed in: the server says so of oneself as it does to them.
  func isDiscoverable() async throws(CKError) -> Bool {
    guard let name = try await session.userRecordName(options) else {
      throw CKError(.notAuthenticated, "Nobody is signed in.")
    }
    return try await !call(UsersDiscoverRequest(wanted: [.userRecordName(name)])).users.isEmpty
  }

  /// Those who are invited by what others know of them: known or not, they can be added to a share.
  func participants(
    _ infos: [CKUserIdentity.LookupInfo], _ each: (CKUserIdentity.LookupInfo, CKShare.Participant) -> Void
  ) async throws(CKError) {
    let known = try await discover(infos)
    for info in infos {
      let unknown = CKUserIdentity(userRecordID: info.userRecordID, lookupInfo: info)
      let identity = known.first { $0.info == info }?.identity ?? unknown
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
    return lookupInfo == wanted
  }
}
