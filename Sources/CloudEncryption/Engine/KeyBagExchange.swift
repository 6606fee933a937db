package import CloudRecords
package import CloudWire

/// Asks the server for key bags, and has it keep them.
///
/// The client's session sends what is asked as requests; tests call the real server in process.
package protocol KeyBagExchange: Sendable {
  /// `keyBags/lookup`: the results are in the order of the places.
  func lookUp(_ request: KeyBagsLookupRequest, in database: DatabaseScope) async throws
    -> [KeyBagResult]
  /// `keyBags/modify`: the results are in the order of the operations.
  func modify(_ request: KeyBagsModifyRequest, in database: DatabaseScope) async throws
    -> [KeyBagResult]
}

extension KeyBagExchange {
  /// A bag with its generation; nil where there is none.
  func bag(at place: KeyBagPlace, in database: DatabaseScope) async throws -> FetchedBag? {
    try await bags(at: [place], in: database)[0]
  }

  /// Bags in the order of their places.
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

  /// Puts a bag in the place of one that was fetched; false where somebody was faster.
  func save(
    _ data: [UInt8], at place: KeyBagPlace, over former: FetchedBag?, in database: DatabaseScope
  ) async throws -> Bool {
    try await saved(data, at: place, over: former, in: database) != nil
  }

  /// Puts a bag in the place of one that was fetched.
  ///
  /// - Returns: The generation that it has; nil where somebody was faster.
  func saved(
    _ data: [UInt8], at place: KeyBagPlace, over former: FetchedBag?, in database: DatabaseScope
  ) async throws -> Int64? {
    let operation = KeyBagsModifyRequest.Operation(
      .save, place, generation: former?.generation ?? 0, data: data)
    switch try await modify(KeyBagsModifyRequest(operations: [operation]), in: database).first {
    case .saved(let generation, _): return generation
    case .failed(let error) where error.code == .conflict:
      // A request whose answer is lost is sent again: then it is the first one that was faster.
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
      "The server's answer about key bags does not fit the request. Update the server.")
  }
}

/// A bag as the server has it.
struct FetchedBag: Sendable {
  let generation: Int64
  let data: [UInt8]
  /// What time it was on the server; nil where it does not say.
  let now: Timestamp?
}
