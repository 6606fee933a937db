package import CloudRecords
import RecordStorage
import Synchronization

/// A newly started session.
package struct StartedSession: Hashable, Sendable {
  /// Identifies the session to its owner and operators; it authenticates nothing.
  package let identifier: String
  /// The token for the person's requests.
  package let webToken: String
  package let userRecordName: String
}

/// A session as shown to its owner and to operators.
package struct SessionSummary: Hashable, Sendable {
  package let identifier: String
  package let container: ContainerAddress
  package let started: Timestamp
  package let isKept: Bool
}

extension Accounts {
  /// Starts a session after sign-in or sign-up, or when an administrator creates a web token.
  package func startSession(
    of account: Account, in container: ContainerAddress, isKept: Bool
  ) async throws(CloudError) -> StartedSession {
    let token = Secret(bytes: settings.randomBytes(Secret.byteCount))
    let time = now
    let session = Session(
      identifier: Hexadecimal.text(settings.randomBytes(16)), account: account.identifier,
      container: container, realm: try await realm(of: container),
      userRecordName: userRecordName(of: account, in: container.container),
      started: time, isKept: isKept, tokens: [Session.Token(hash: token.hash, given: time)])
    let settings = settings
    let changes = try await writeEverywhere { transaction in
      // The account may have been disabled, or its password changed, while the password was
      // verified.
      guard let current = try AccountDirectory.account(account.identifier, in: transaction),
        current.disabled == nil,
        current.password == account.password
      else { throw Self.wrongPassword }
      let changes = try Self.makeRoom(for: session, settings, in: transaction)
      try SessionDirectory.add(session, in: transaction)
      try AccountDirectory.introduce(
        current, as: session.userRecordName, in: session.realm, container.container, transaction)
      try UserRecord.make(of: [session.userRecordName], in: session.realm, at: time, transaction)
      return changes
    }
    if !changes.isEmpty { publish(changes) }
    return StartedSession(
      identifier: session.identifier, webToken: token.text, userRecordName: session.userRecordName)
  }

  /// Ends the account's expired sessions, and its oldest active ones if there are too many.
  ///
  /// - Returns: For each ended session, its devices, which no longer receive notifications.
  private static func makeRoom(
    for new: Session, _ settings: AccountSettings, in transaction: any StorageWriting
  ) throws -> [ListeningChange] {
    let all = try SessionDirectory.sessions(of: new.account, in: transaction)
    let alive = all.filter { $0.isAlive(at: new.started, settings) }
    let superfluous = alive.prefix(max(0, alive.count + 1 - settings.sessionsPerAccount))
    return try all.filter { !alive.contains($0) || superfluous.contains($0) }
      .map { try SessionDirectory.end($0, in: transaction) }
  }

  /// Clears the caches of sessions and development users, and reports the ended sessions' devices.
  func publish(_ changes: [ListeningChange]) {
    sessions.forgetAll()
    developmentUsers.forgetAll()
    for change in changes { server.listener?.listeningChanged(change) }
  }

  /// The active sessions of an account, oldest first.
  package func sessions(of account: Account) async throws(CloudError) -> [SessionSummary] {
    let (time, settings) = (now, settings)
    return try await read { transaction in
      try SessionDirectory.sessions(of: account.identifier, in: transaction).filter {
        $0.isAlive(at: time, settings)
      }
      .map {
        SessionSummary(
          identifier: $0.identifier, container: $0.container, started: $0.started, isKept: $0.isKept
        )
      }
    }
  }

  /// Runs maintenance tasks, reloads the secrets, and once a day ends expired sessions.
  ///
  /// - Throws: The first error. The later steps still run.
  package func runMaintenance() async throws(CloudError) {
    var failure: CloudError?
    do throws(CloudError) { try await server.runMaintenance() } catch { failure = error }
    do throws(CloudError) { try await refreshSecrets() } catch { failure = failure ?? error }
    let time = now
    if time >= deadSessionsDue.withLock(\.self) {
      do throws(CloudError) {
        try await endDeadSessions()
        deadSessionsDue.withLock { $0 = time.adding(seconds: 86_400) }
      } catch { failure = failure ?? error }
    }
    if let failure { throw failure }
  }

  /// Ends the expired sessions of all accounts.
  ///
  /// Each transaction processes a few hundred sessions, so that other requests do not wait long.
  ///
  /// - Returns: The number of sessions that ended.
  @discardableResult
  package func endDeadSessions() async throws(CloudError) -> Int {
    let (time, settings) = (now, settings)
    var count = 0
    var last: StorageKey?
    while true {
      let range =
        last.map { StorageRange(from: $0.successor, to: AccountKeys.sessions.upper) }
        ?? AccountKeys.sessions
      let page = try await writeEverywhere {
        transaction -> (last: StorageKey?, ended: [ListeningChange]) in
        let entries = try transaction.entries(in: range, limit: ServerLimits.entriesPerStep)
        let dead = try entries.map { try Session(bytes: $0.value) }.filter {
          !$0.isAlive(at: time, settings)
        }
        return (entries.last?.key, try dead.map { try SessionDirectory.end($0, in: transaction) })
      }
      if !page.ended.isEmpty { publish(page.ended) }
      count += page.ended.count
      guard let key = page.last else { return count }
      last = key
    }
  }

  /// Ends a session of an account, which invalidates all of its tokens.
  ///
  /// - Throws: `NOT_FOUND` if the account has no such session.
  package func endSession(_ identifier: String, of account: Account) async throws(CloudError) {
    let change = try await writeEverywhere { transaction in
      guard let session = try SessionDirectory.session(identifier, in: transaction),
        session.account == account.identifier
      else { throw CloudError(.notFound, "The account has no session “\(identifier)”.") }
      return try SessionDirectory.end(session, in: transaction)
    }
    publish([change])
  }

  /// Ends all sessions of an account.
  package func endSessions(of account: Account) async throws(CloudError) {
    let secret = secret
    publish(
      try await writeEverywhere { try SessionDirectory.endAll(of: account, named: secret, in: $0) })
  }

  /// Signs out by ending the session of a web token.
  ///
  /// An invalid token has no effect.
  package func signOut(webToken: String) async throws(CloudError) {
    guard let hash = Secret(text: webToken)?.hash else { return }
    let change = try await writeEverywhere { transaction in
      try SessionDirectory.session(of: hash, in: transaction).map {
        try SessionDirectory.end($0, in: transaction)
      }
    }
    if let change { publish([change]) }
  }
}
