public import Foundation

extension CKContainer {
  // MARK: Shares

  /// Looks at a share by its address.
  public func shareMetadata(for url: URL) async throws -> CKShare.Metadata {
    guard let result = try await shareMetadatas(for: [url])[url] else {
      throw CKError(.internalError, "The server said nothing of \(url).")
    }
    return try result.get()
  }

  /// Looks at shares by their addresses.
  ///
  /// - Returns: What each leads to.
  public func shareMetadatas(for urls: [URL]) async throws -> [URL: Result<CKShare.Metadata, any Error>] {
    var results: [URL: Result<CKShare.Metadata, any Error>] = [:]
    try await work().shareMetadata(urls, RootWish()) { results[$0] = $1.plain }
    return results
  }

  /// Accepts a share that was looked at.
  @discardableResult
  public func accept(_ metadata: CKShare.Metadata) async throws -> CKShare {
    guard let result = try await accept([metadata])[metadata] else {
      throw CKError(.internalError, "The server said nothing of the share.")
    }
    return try result.get()
  }

  /// Accepts shares that were looked at.
  ///
  /// - Returns: What became of each.
  public func accept(_ metadatas: [CKShare.Metadata]) async throws -> [CKShare.Metadata: Result<CKShare, any Error>] {
    var results: [CKShare.Metadata: Result<CKShare, any Error>] = [:]
    try await work().accept(metadatas) { results[$0] = $1.plain }
    return results
  }

  /// Looks at a share by its address.
  public func fetchShareMetadata(
    with url: URL, completionHandler: @escaping @Sendable (CKShare.Metadata?, (any Error)?) -> Void
  ) {
    answer(completionHandler) { try await self.shareMetadata(for: url) }
  }

  /// Accepts a share that was looked at.
  public func accept(
    _ metadata: CKShare.Metadata, completionHandler: @escaping @Sendable (CKShare?, (any Error)?) -> Void
  ) {
    answer(completionHandler) { try await self.accept(metadata) }
  }

  // MARK: Participants

  /// One who is to be invited, by a mail address.
  public func shareParticipant(forEmailAddress emailAddress: String) async throws -> CKShare.Participant {
    try await participant(CKUserIdentity.LookupInfo(emailAddress: emailAddress))
  }

  /// One who is to be invited, by a telephone number.
  public func shareParticipant(forPhoneNumber phoneNumber: String) async throws -> CKShare.Participant {
    try await participant(CKUserIdentity.LookupInfo(phoneNumber: phoneNumber))
  }

  /// One who is to be invited, by a user record.
  public func shareParticipant(forUserRecordID userRecordID: CKRecord.ID) async throws -> CKShare.Participant {
    try await participant(CKUserIdentity.LookupInfo(userRecordID: userRecordID))
  }

  private func participant(_ info: CKUserIdentity.LookupInfo) async throws -> CKShare.Participant {
    var made: CKShare.Participant?
    try await work().participants([info]) { made = $1 }
    guard let made else { throw CKError(.unknownItem, "Nobody is known by \(info).") }
    return made
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

  // MARK: Users

  /// Finds a user by a mail address; nil for one who does not let themselves be found.
  public func userIdentity(forEmailAddress email: String) async throws -> CKUserIdentity? {
    try await work().discover([CKUserIdentity.LookupInfo(emailAddress: email)]).first?.identity
  }

  /// Finds a user by a telephone number; nil for one who does not let themselves be found.
  public func userIdentity(forPhoneNumber phoneNumber: String) async throws -> CKUserIdentity? {
    try await work().discover([CKUserIdentity.LookupInfo(phoneNumber: phoneNumber)]).first?.identity
  }

  /// Finds a user by their record; nil for one who does not let themselves be found.
  public func userIdentity(forUserRecordID userRecordID: CKRecord.ID) async throws -> CKUserIdentity? {
    try await work().discover([CKUserIdentity.LookupInfo(userRecordID: userRecordID)]).first?.identity
  }

  /// Finds a user by a mail address.
  public func discoverUserIdentity(
    withEmailAddress email: String, completionHandler: @escaping @Sendable (CKUserIdentity?, (any Error)?) -> Void
  ) {
    answer({ completionHandler($0 ?? nil, $1) }) { try await self.userIdentity(forEmailAddress: email) }
  }

  /// Finds a user by a telephone number.
  public func discoverUserIdentity(
    withPhoneNumber phoneNumber: String, completionHandler: @escaping @Sendable (CKUserIdentity?, (any Error)?) -> Void
  ) {
    answer({ completionHandler($0 ?? nil, $1) }) { try await self.userIdentity(forPhoneNumber: phoneNumber) }
  }

  /// Finds a user by their record.
  public func discoverUserIdentity(
    withUserRecordID userRecordID: CKRecord.ID,
    completionHandler: @escaping @Sendable (CKUserIdentity?, (any Error)?) -> Void
  ) {
    answer({ completionHandler($0 ?? nil, $1) }) { try await self.userIdentity(forUserRecordID: userRecordID) }
  }
}
