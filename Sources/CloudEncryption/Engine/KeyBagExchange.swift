package import CloudRecords
package import CloudWire

/// Fetches and saves key bags on the server.
///
/// The client's session sends requests. Tests call the real server in the process.
package protocol KeyBagExchange: Sendable {
  /// Performs `keyBags/lookup`, with results in the order of the places.
  func lookUp(_ request: KeyBagsLookupRequest, in database: DatabaseScope) async throws
    -> [KeyBagResult]
  /// Performs `keyBags/modify`, with results in the order of the operations.
  func modify(_ request: KeyBagsModifyRequest, in database: DatabaseScope) async throws
    -> [KeyBagResult]
}

extension KeyBagExchange {
  /// Fetches a bag with its generation, or nil if there is none.
  func bag(at place: KeyBagPlace, in database: DatabaseScope) async throws -> FetchedBag? {
    try await bags(at: [place], in: database)[0]
  }

  /// Fetches bags, in the order of their places.
  func bags(at places: [KeyBagPlace], in database: DatabaseScope) async throws -> [FetchedBag?] {
    let results = try await lookUp(KeyBagsLookupRequest(places: places), in: database)
    guard results.count == places.count else { throw Self.unexpected }
    return try results.map { result in
      switch result {
      case .bag(let generation, _, let data, let now):
        return FetchedBag(generation: generation, data: data, now: now)
      case .failed(let error) where error.code == .notFound: return nil
      case .failed(let error): throw error
      case .saved, .reset: throw Self.unexpected
      }
    }
  }

  /// Replaces a fetched bag, or creates the bag if none was fetched.
  ///
  /// - Parameter keys: The keys in the bag that may seal values; the server rejects others.
  /// - Returns: False if another device changed the bag first.
  func save(
    _ data: [UInt8], at place: KeyBagPlace, over former: FetchedBag?, in database: DatabaseScope,
    sealing keys: [KeyIdentifier] = []
  ) async throws -> Bool {
    try await saved(data, at: place, over: former, in: database, sealing: keys) != nil
  }

  /// Replaces a fetched bag, or creates the bag if none was fetched.
  ///
  /// - Parameter keys: The keys in the bag that may seal values; the server rejects others.
  /// - Returns: The new generation, or nil if another device changed the bag first.
  func saved(
    _ data: [UInt8], at place: KeyBagPlace, over former: FetchedBag?, in database: DatabaseScope,
    sealing keys: [KeyIdentifier] = []
  ) async throws -> Int64? {
    let operation = KeyBagsModifyRequest.Operation(
      .save, place, generation: former?.generation ?? 0, data: data,
      sealingKeys: keys.map(\.bytes))
    switch try await modify(KeyBagsModifyRequest(operations: [operation]), in: database).first {
    case .saved(let generation, _): return generation
    case .failed(let error) where error.code == .conflict:
      // After a lost response, the request is retried, and conflicts with the bag that the first
      // attempt saved.
      guard let present = try await bag(at: place, in: database), present.data == data else {
        return nil
      }
      return present.generation
    case .failed(let error): throw error
    case .bag, .reset, nil: throw Self.unexpected
    }
  }

  private static var unexpected: CloudError {
    CloudError(
      .internalError,
      "The server's answer about key bags does not match the request. Update the server.")
  }
}

extension KeyBagExchange {
  func privateBag(of account: EncryptionAccount) async throws -> (
    bag: PrivateBag, fetched: FetchedBag
  )? {
    guard let fetched = try await bag(at: .privateUser, in: .private) else { return nil }
    return (try PrivateBag(fetched, account: account), fetched)
  }

  /// Changes the private key bag, and retries if another device changed it at the same time.
  func changePrivateBag(
    of account: EncryptionAccount, _ change: (PrivateBag?) throws -> PrivateBag?
  ) async throws {
    for _ in 0..<Limits.attempts {
      let fetched = try await bag(at: .privateUser, in: .private)
      let former = fetched.flatMap { try? PrivateBag($0, account: account) }
      guard let next = try change(former) else { return }
      if try await save(next.bytes, at: .privateUser, over: fetched, in: .private) { return }
    }
    throw EncryptionError.busy("The user's private key bag")
  }

  /// Replaces the fetched bag of a ring, unless another device changed it first.
  ///
  /// - Returns: Whether the ring was saved.
  func save(
    _ ring: KeyRing, of account: EncryptionAccount, signedBy keys: UserKeys,
    over former: FetchedBag?, in database: DatabaseScope, _ randomBytes: RandomBytes
  ) async throws -> Bool {
    let data = try KeyRingBag.bytes(of: ring, signedBy: keys, in: account.container, randomBytes)
    return try await save(
      data, at: ring.scope.place, over: former, in: database, sealing: [ring.newest.identifier])
  }

  /// Fetches the public keys of users, in their order; nil for users without keys.
  ///
  /// - Returns: For each user, the keys, or the error of an unreadable bag.
  func identities(of users: [String], in container: ContainerAddress) async throws
    -> [Result<PublicIdentity?, EncryptionError>]
  {
    guard !users.isEmpty else { return [] }
    let bags = try await bags(at: users.map { .publicUser($0) }, in: .private)
    return zip(users, bags).map { user, bag in
      Result { () throws(EncryptionError) -> PublicIdentity? in
        guard let bag else { return nil }
        return try PublicIdentityBag.identity(of: bag.data, user: user, in: container)
      }
    }
  }
}

/// A bag as stored on the server.
struct FetchedBag: Sendable {
  let generation: Int64
  let data: [UInt8]
  /// The server's time, or nil if it sends none.
  let now: Timestamp?
}
