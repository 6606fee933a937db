import Foundation

extension CKContainer {
  // MARK: One who is to be invited

  /// One who is to be invited, by a mail address.
  public func shareParticipant(forEmailAddress emailAddress: String) async throws
    -> CKShare.Participant
  {
    try await participant(CKUserIdentity.LookupInfo(emailAddress: emailAddress))
  }

  /// One who is to be invited, by a telephone number.
  public func shareParticipant(forPhoneNumber phoneNumber: String) async throws
    -> CKShare.Participant
  {
    try await participant(CKUserIdentity.LookupInfo(phoneNumber: phoneNumber))
  }

  /// One who is to be invited, by a user record.
  public func shareParticipant(forUserRecordID userRecordID: CKRecord.ID) async throws
    -> CKShare.Participant
  {
    try await participant(CKUserIdentity.LookupInfo(userRecordID: userRecordID))
  }

  private func participant(_ info: CKUserIdentity.LookupInfo) async throws -> CKShare.Participant {
    guard let result = try await participants([info: info])[info] else {
      throw CKError(.unknownItem, "Nobody is known by \(info).")
    }
    return try result.get()
  }

  /// One who is to be invited, by a mail address.
  public func fetchShareParticipant(
    withEmailAddress emailAddress: String,
    completionHandler: @escaping @Sendable (CKShare.Participant?, (any Error)?) -> Void
  ) {
    answer(completionHandler) { try await self.shareParticipant(forEmailAddress: emailAddress) }
  }

  /// One who is to be invited, by a telephone number.
  public func fetchShareParticipant(
    withPhoneNumber phoneNumber: String,
    completionHandler: @escaping @Sendable (CKShare.Participant?, (any Error)?) -> Void
  ) {
    answer(completionHandler) { try await self.shareParticipant(forPhoneNumber: phoneNumber) }
  }

  /// One who is to be invited, by a user record.
  public func fetchShareParticipant(
    withUserRecordID userRecordID: CKRecord.ID,
    completionHandler: @escaping @Sendable (CKShare.Participant?, (any Error)?) -> Void
  ) {
    answer(completionHandler) { try await self.shareParticipant(forUserRecordID: userRecordID) }
  }

  // MARK: Several who are to be invited

  /// Those who are to be invited, by their mail addresses.
  public func shareParticipants(
    forEmailAddresses emails: [String]
  ) async throws -> [String: Result<CKShare.Participant, any Error>] {
    try await participants(infos(emails) { CKUserIdentity.LookupInfo(emailAddress: $0) })
  }

  /// Those who are to be invited, by their telephone numbers.
  public func shareParticipants(
    forPhoneNumbers phoneNumbers: [String]
  ) async throws -> [String: Result<CKShare.Participant, any Error>] {
    try await participants(infos(phoneNumbers) { CKUserIdentity.LookupInfo(phoneNumber: $0) })
  }

  /// Those who are to be invited, by their user records.
  public func shareParticipants(
    forUserRecordIDs userRecordIDs: [CKRecord.ID]
  ) async throws -> [CKRecord.ID: Result<CKShare.Participant, any Error>] {
    try await participants(infos(userRecordIDs) { CKUserIdentity.LookupInfo(userRecordID: $0) })
  }

  private func participants<Key: Hashable>(
    _ infos: [CKUserIdentity.LookupInfo: Key]
  ) async throws -> [Key: Result<CKShare.Participant, any Error>] {
    let wanted = sorted(infos)
    return try await results(for: wanted.compactMap { infos[$0] }) { tell in
      try await work().participants(wanted) { info, participant in
        if let key = infos[info] { tell(key, .success(participant)) }
      }
    }
  }

  // MARK: Users

  /// Finds a user by a mail address; nil for one who does not let themselves be found.
  public func userIdentity(forEmailAddress email: String) async throws -> CKUserIdentity? {
    try await userIdentities(forEmailAddresses: [email])[email]
  }

  /// Finds a user by a telephone number; nil for one who does not let themselves be found.
  public func userIdentity(forPhoneNumber phoneNumber: String) async throws -> CKUserIdentity? {
    try await userIdentities(forPhoneNumbers: [phoneNumber])[phoneNumber]
  }

  /// Finds a user by their record; nil for one who does not let themselves be found.
  public func userIdentity(forUserRecordID userRecordID: CKRecord.ID) async throws
    -> CKUserIdentity?
  {
    try await userIdentities(forUserRecordIDs: [userRecordID])[userRecordID]
  }

  /// Finds users by their mail addresses; those who do not let themselves be found are left out.
  public func userIdentities(forEmailAddresses emails: [String]) async throws -> [String:
    CKUserIdentity]
  {
    try await identities(infos(emails) { CKUserIdentity.LookupInfo(emailAddress: $0) })
  }

  /// Finds users by their telephone numbers; those who do not let themselves be found are left out.
  public func userIdentities(forPhoneNumbers phoneNumbers: [String]) async throws -> [String:
    CKUserIdentity]
  {
    try await identities(infos(phoneNumbers) { CKUserIdentity.LookupInfo(phoneNumber: $0) })
  }

  /// Finds users by their records; those who do not let themselves be found are left out.
  public func userIdentities(
    forUserRecordIDs userRecordIDs: [CKRecord.ID]
  ) async throws -> [CKRecord.ID: CKUserIdentity] {
    try await identities(infos(userRecordIDs) { CKUserIdentity.LookupInfo(userRecordID: $0) })
  }

  private func identities<Key: Hashable>(
    _ infos: [CKUserIdentity.LookupInfo: Key]
  ) async throws -> [Key: CKUserIdentity] {
    var found: [Key: CKUserIdentity] = [:]
    // Who is left out is nobody: where some could not be asked for, there is no answer.
    try await work().discover(sorted(infos)) { info, identity in
      if let key = infos[info] { found[key] = identity }
    }
    return found
  }

  /// Finds a user by a mail address.
  public func discoverUserIdentity(
    withEmailAddress email: String,
    completionHandler: @escaping @Sendable (CKUserIdentity?, (any Error)?) -> Void
  ) {
    answer({ completionHandler($0 ?? nil, $1) }) {
      try await self.userIdentity(forEmailAddress: email)
    }
  }

  /// Finds a user by a telephone number.
  public func discoverUserIdentity(
    withPhoneNumber phoneNumber: String,
    completionHandler: @escaping @Sendable (CKUserIdentity?, (any Error)?) -> Void
  ) {
    answer({ completionHandler($0 ?? nil, $1) }) {
      try await self.userIdentity(forPhoneNumber: phoneNumber)
    }
  }

  /// Finds a user by their record.
  public func discoverUserIdentity(
    withUserRecordID userRecordID: CKRecord.ID,
    completionHandler: @escaping @Sendable (CKUserIdentity?, (any Error)?) -> Void
  ) {
    answer({ completionHandler($0 ?? nil, $1) }) {
      try await self.userIdentity(forUserRecordID: userRecordID)
    }
  }

  /// What is looked for by each key, once.
  private func infos<Key: Hashable>(
    _ keys: [Key], _ info: (Key) -> CKUserIdentity.LookupInfo
  ) -> [CKUserIdentity.LookupInfo: Key] {
    Dictionary(keys.map { (info($0), $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// The same people are asked for in the same order.
  private func sorted<Key>(_ infos: [CKUserIdentity.LookupInfo: Key]) -> [CKUserIdentity.LookupInfo]
  {
    infos.keys.sorted { $0.description < $1.description }
  }

  // MARK: The address book

  /// Finds everybody in the user's address book who lets themselves be found.
  ///
  /// Devices have no address book here, and Parhelion's servers keep none: it is nobody. Another
  /// server may know of some.
  @available(*, deprecated, message: "There is no address book on this platform. Share by CKShare.")
  public func allUserIdentitiesFromContacts() async throws -> [CKUserIdentity] {
    try await work().discoverAll()
  }

  /// Finds everybody in the user's address book who lets themselves be found, as
  /// ``allUserIdentitiesFromContacts()`` does.
  @available(*, deprecated, message: "There is no address book on this platform. Share by CKShare.")
  public func discoverAllIdentities(
    completionHandler: @escaping @Sendable ([CKUserIdentity]?, (any Error)?) -> Void
  ) {
    answer(completionHandler) { try await self.work().discoverAll() }
  }
}
