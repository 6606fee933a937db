import BinaryCoding
import CloudRecords

/// A person's signed-in state in a container, with the web tokens that prove it.
///
/// Tokens form a chain. The server adds a successor to the response when a request's token is some
/// minutes old:
///
/// ```
///         issued          successor issued         successor used             grace period over
///  (none) ──────▶ current ────────────────▶ followed ──────────────▶ superseded ─────▶ expired
///                    └─────────────────────────┴──── its lifetime ends ───────────────▶
/// ```
///
/// A *followed* token stays valid: if the response with its successor was lost, the client gets the
/// same successor again. The first use of the successor proves that the client has it.
struct Session: Hashable, Sendable {
  struct Token: Hashable, Sendable {
    var hash: SecretHash
    /// The start of its lifetime.
    var given: Timestamp
    /// The time at which its successor was first used; nil before.
    var superseded: Timestamp?
  }

  let identifier: String
  let account: String
  let container: ContainerAddress
  let realm: Realm
  let userRecordName: String
  let started: Timestamp
  /// Whether the person chose to stay signed in.
  let isKept: Bool
  /// The valid tokens in the order of their issue.
  var tokens: [Token]
}

// MARK: - Decisions

extension Session {
  /// The result of using a token.
  struct Use: Hashable, Sendable {
    /// The session afterwards.
    var session: Session
    /// Whether the response carries the token's successor instead of the token.
    var isFollowed: Bool
    /// Whether the session changed and must be stored.
    var isChange: Bool
    /// The hashes of tokens that the session no longer has.
    var dropped: [SecretHash]
  }

  private func life(_ settings: AccountSettings) -> Int64 {
    // A client's last token may be too young to get a successor, so every lifetime includes the
    // rotation time.
    (isKept ? settings.keptSeconds : settings.idleSeconds) + settings.rotationSeconds
  }

  func isAlive(_ token: Token, at now: Timestamp, _ settings: AccountSettings) -> Bool {
    guard now < token.given.adding(seconds: life(settings)) else { return false }
    return token.superseded.map { now < $0.adding(seconds: settings.graceSeconds) } ?? true
  }

  func isAlive(at now: Timestamp, _ settings: AccountSettings) -> Bool {
    tokens.contains { isAlive($0, at: now, settings) }
  }

  /// Decides what happens when a token is used; nil if it is invalid.
  ///
  /// - Parameter successor: The hash of the token's successor, computed only if needed.
  func use(
    of hash: SecretHash, followedBy successor: @autoclosure () -> SecretHash, at now: Timestamp,
    _ settings: AccountSettings
  ) -> Use? {
    guard let place = tokens.firstIndex(where: { $0.hash == hash }),
      isAlive(tokens[place], at: now, settings)
    else {
      return nil
    }
    var next = self
    for earlier in 0..<place where next.tokens[earlier].superseded == nil {
      next.tokens[earlier].superseded = now
    }
    let isFollowed = next.follow(place, by: successor(), at: now, settings)
    guard next != self else {
      return Use(session: self, isFollowed: isFollowed, isChange: false, dropped: [])
    }
    next.tokens.removeAll { !isAlive($0, at: now, settings) }
    let dropped = tokens.map(\.hash).filter { hash in !next.tokens.contains { $0.hash == hash } }
    return Use(session: next, isFollowed: isFollowed, isChange: true, dropped: dropped)
  }

  /// Adds a successor to a token if it is due.
  private mutating func follow(
    _ place: Int, by successor: @autoclosure () -> SecretHash, at now: Timestamp,
    _ settings: AccountSettings
  ) -> Bool {
    func isOld(_ token: Token) -> Bool {
      now >= token.given.adding(seconds: settings.rotationSeconds)
    }
    if place == tokens.count - 1 {
      guard isOld(tokens[place]) else { return false }
      tokens.append(Token(hash: successor(), given: now))
    } else if place == tokens.count - 2, tokens[place].superseded == nil, isOld(tokens[place + 1]) {
      // The successor was issued but never used, so it is issued again with a new lifetime. If the
      // secret that derived the unused successor has expired, another successor replaces it.
      tokens[place + 1] = Token(hash: successor(), given: now)
    }
    return true
  }
}

// MARK: - Stored encoding

extension Session {
  private static let version: UInt8 = 1

  var bytes: [UInt8] {
    var form = BinaryWriter(capacity: 320)
    form.byte(Self.version)
    form.text(identifier)
    form.text(account)
    container.write(to: &form)
    form.number(realm.number)
    form.text(userRecordName)
    form.signed(started.milliseconds)
    form.byte(isKept ? 1 : 0)
    form.count(tokens.count)
    for token in tokens {
      form.data(token.hash.bytes)
      form.signed(token.given.milliseconds)
      form.optional(token.superseded) { $0.signed($1.milliseconds) }
    }
    return form.bytes
  }

  init(bytes: [UInt8]) throws {
    var form = BinaryReader(bytes)
    guard try form.byte() == Self.version else { throw form.error("an unknown form of session") }
    identifier = try form.text()
    account = try form.text()
    container = try ContainerAddress(from: &form)
    realm = Realm(number: try form.number())
    userRecordName = try form.text()
    started = Timestamp(milliseconds: try form.signed())
    isKept = try form.byte() == 1
    tokens = []
    for _ in 0..<(try form.count()) {
      let hash = SecretHash(bytes: try form.data())
      let given = Timestamp(milliseconds: try form.signed())
      let superseded = try form.optional { (form) throws(BinaryCodingError) in
        Timestamp(milliseconds: try form.signed())
      }
      tokens.append(Token(hash: hash, given: given, superseded: superseded))
    }
    guard form.isAtEnd else { throw form.error("extra bytes after the end of a session") }
  }
}

extension ContainerAddress {
  func write(to form: inout BinaryWriter) {
    form.text(container)
    form.text(environment.rawValue)
  }

  init(from form: inout BinaryReader) throws(BinaryCodingError) {
    let container = try form.text()
    guard let environment = CloudEnvironment(rawValue: try form.text()) else {
      throw form.error("an unknown environment")
    }
    self.init(container: container, environment: environment)
  }
}
