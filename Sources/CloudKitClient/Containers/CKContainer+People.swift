import Foundation

extension CKContainer {
  // MARK: A single participant

  /// Fetches a user as a share participant, by an e-mail address.
  public func shareParticipant(forEmailAddress emailAddress: String) async throws
    -> CKShare.Participant
  {
    try await participant(CKUserIdentity.LookupInfo(emailAddress: emailAddress))
  }

  /// Fetches a user as a share participant, by a phone number.
  public func shareParticipant(forPhoneNumber phoneNumber: String) async throws
    -> CKShare.Participant
  {
    try await participant(CKUserIdentity.LookupInfo(phoneNumber: phoneNumber))
  }

  /// Fetches a user as a share participant, by the ID of the user record.
  public func shareParticipant(forUserRecordID userRecordID: CKRecord.ID) async throws
    -> CKShare.Participant
  {
    try await participant(CKUserIdentity.LookupInfo(userRecordID: userRecordID))
  }

  private func participant(_ info: CKUserIdentity.LookupInfo) async throws -> CKShare.Participant {
    try await shareParticipants(matching: [info])[0]
  }

  /// Fetches a user as a share participant, by an e-mail address.
  public func fetchShareParticipant(
    withEmailAddress emailAddress: String,
    completionHandler: @escaping @Sendable (CKShare.Participant?, (any Error)?) -> Void
  ) {
    answer(completionHandler) { try await self.shareParticipant(forEmailAddress: emailAddress) }
  }

  /// Fetches a user as a share participant, by a phone number.
  public func fetchShareParticipant(
    withPhoneNumber phoneNumber: String,
    completionHandler: @escaping @Sendable (CKShare.Participant?, (any Error)?) -> Void
  ) {
    answer(completionHandler) { try await self.shareParticipant(forPhoneNumber: phoneNumber) }
  }

  /// Fetches a user as a share participant, by the ID of the user record.
  public func fetchShareParticipant(
    withUserRecordID userRecordID: CKRecord.ID,
    completionHandler: @escaping @Sendable (CKShare.Participant?, (any Error)?) -> Void
  ) {
    answer(completionHandler) { try await self.shareParticipant(forUserRecordID: userRecordID) }
  }

  // MARK: Several participants

  /// Fetches users as share participants, by their e-mail addresses.
  public func shareParticipants(
    forEmailAddresses emails: [String]
  ) async throws -> [String: Result<CKShare.Participant, any Error>] {
    try await participants(infos(emails) { CKUserIdentity.LookupInfo(emailAddress: $0) })
  }

  /// Fetches users as share participants, by their phone numbers.
  public func shareParticipants(
    forPhoneNumbers phoneNumbers: [String]
  ) async throws -> [String: Result<CKShare.Participant, any Error>] {
    try await participants(infos(phoneNumbers) { CKUserIdentity.LookupInfo(phoneNumber: $0) })
  }

  /// Fetches users as share participants, by the IDs of their user records.
  public func shareParticipants(
    forUserRecordIDs userRecordIDs: [CKRecord.ID]
  ) async throws -> [CKRecord.ID: Result<CKShare.Participant, any Error>] {
    try await participants(infos(userRecordIDs) { CKUserIdentity.LookupInfo(userRecordID: $0) })
  }

  /// Returns people as share participants, in the order of the lookups.
  ///
  /// Unknown people are included, because they can be invited too.
  package func shareParticipants(matching infos: [CKUserIdentity.LookupInfo]) async throws
    -> [CKShare.Participant]
  {
    let places = Dictionary(
      infos.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
    return try await participants(places).sorted { $0.key < $1.key }.map { try $0.value.get() }
  }

  private func participants<Key: Hashable>(
    _ infos: [CKUserIdentity.LookupInfo: Key]
  ) async throws -> [Key: Result<CKShare.Participant, any Error>] {
    let wanted = sorted(infos)
    return try await results(for: wanted.compactMap { infos[$0] }) { report in
      try await work().participants(wanted) { info, participant in
        if let key = infos[info] { report(key, .success(participant)) }
      }
    }
  }

  // MARK: Users

  /// Finds a user by an e-mail address; nil if the user is unknown or not discoverable.
  public func userIdentity(forEmailAddress email: String) async throws -> CKUserIdentity? {
    try await userIdentities(forEmailAddresses: [email])[email]
  }

  /// Finds a user by a phone number; nil if the user is unknown or not discoverable.
  public func userIdentity(forPhoneNumber phoneNumber: String) async throws -> CKUserIdentity? {
    try await userIdentities(forPhoneNumbers: [phoneNumber])[phoneNumber]
  }

  /// Finds a user by the ID of the user record; nil if the user is unknown or not discoverable.
  public func userIdentity(forUserRecordID userRecordID: CKRecord.ID) async throws
    -> CKUserIdentity?
  {
    try await userIdentities(forUserRecordIDs: [userRecordID])[userRecordID]
  }

  /// Finds users by their e-mail addresses.
  ///
  /// Users who are not discoverable are left out.
  public func userIdentities(forEmailAddresses emails: [String]) async throws -> [String:
    CKUserIdentity]
  {
    try await identities(infos(emails) { CKUserIdentity.LookupInfo(emailAddress: $0) })
  }

  /// Finds users by their phone numbers.
  ///
  /// Users who are not discoverable are left out.
  public func userIdentities(forPhoneNumbers phoneNumbers: [String]) async throws -> [String:
    CKUserIdentity]
  {
    try await identities(infos(phoneNumbers) { CKUserIdentity.LookupInfo(phoneNumber: $0) })
  }

  /// Finds users by the IDs of their user records.
  ///
  /// Users who are not discoverable are left out.
  public func userIdentities(
    forUserRecordIDs userRecordIDs: [CKRecord.ID]
  ) async throws -> [CKRecord.ID: CKUserIdentity] {
    try await identities(infos(userRecordIDs) { CKUserIdentity.LookupInfo(userRecordID: $0) })
  }

  private func identities<Key: Hashable>(
    _ infos: [CKUserIdentity.LookupInfo: Key]
  ) async throws -> [Key: CKUserIdentity] {
    var found: [Key: CKUserIdentity] = [:]
    // A missing user means “not found”, so a partial result would be wrong. An error fails the
    // whole call.
    try await work().discover(sorted(infos)) { info, identity in
      if let key = infos[info] { found[key] = identity }
    }
    return found
  }

  /// Finds a user by an e-mail address.
  public func discoverUserIdentity(
    withEmailAddress email: String,
    completionHandler: @escaping @Sendable (CKUserIdentity?, (any Error)?) -> Void
  ) {
    answer({ completionHandler($0 ?? nil, $1) }) {
      try await self.userIdentity(forEmailAddress: email)
    }
  }

  /// Finds a user by a phone number.
  public func discoverUserIdentity(
    withPhoneNumber phoneNumber: String,
    completionHandler: @escaping @Sendable (CKUserIdentity?, (any Error)?) -> Void
  ) {
    answer({ completionHandler($0 ?? nil, $1) }) {
      try await self.userIdentity(forPhoneNumber: phoneNumber)
    }
  }

  /// Finds a user by the ID of the user record.
  public func discoverUserIdentity(
    withUserRecordID userRecordID: CKRecord.ID,
    completionHandler: @escaping @Sendable (CKUserIdentity?, (any Error)?) -> Void
  ) {
    answer({ completionHandler($0 ?? nil, $1) }) {
      try await self.userIdentity(forUserRecordID: userRecordID)
    }
  }

  /// The unique lookups, each with the address, number or ID that the caller passed.
  private func infos<Key: Hashable>(
    _ keys: [Key], _ info: (Key) -> CKUserIdentity.LookupInfo
  ) -> [CKUserIdentity.LookupInfo: Key] {
    Dictionary(keys.map { (info($0), $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// The lookups in a deterministic order.
  private func sorted<Key>(_ infos: [CKUserIdentity.LookupInfo: Key]) -> [CKUserIdentity.LookupInfo]
  {
    infos.keys.sorted { $0.description < $1.description }
  }

  // MARK: The address book

  /// Finds the discoverable users in the user's address book.
  ///
  /// There is no address book on this platform, and Parhelion's servers keep none, so the result is
  /// empty. Other servers may return users.
  @available(*, deprecated, message: "There is no address book on this platform. Share by CKShare.")
  public func allUserIdentitiesFromContacts() async throws -> [CKUserIdentity] {
    try await work().discoverAll()
  }

  /// Passes the discoverable users in the user's address book to a completion handler.
  @available(*, deprecated, message: "There is no address book on this platform. Share by CKShare.")
  public func discoverAllIdentities(
    completionHandler: @escaping @Sendable ([CKUserIdentity]?, (any Error)?) -> Void
  ) {
    answer(completionHandler) { try await self.work().discoverAll() }
  }
}
