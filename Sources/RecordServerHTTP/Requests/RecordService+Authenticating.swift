import CloudRecords
import CloudWire
import HTTPServer
import RecordServer

extension RecordService {
  /// Answers a request that needs credentials and has its body in memory.
  ///
  /// The body is read after the caller is known. A signature covers the body, so the body of a
  /// signed request is read after its head was checked. The memory of the body is counted until the
  /// operation ends, and that of the answer until the client has received it.
  func answer(
    _ request: HTTPRequest, for container: ContainerAddress, isChanging: Bool,
    isReadInSlices: Bool = false,
    _ operation: (Authentication, [UInt8]) async throws(CloudError) -> any WireResponse
  ) async throws -> Answer {
    let network = clientNetwork(of: request)
    var memory = bodyMemory.lease(for: [.network(network)])
    var body: [UInt8] = []
    if request.isSigned {
      let head = Credentials(request, for: container, body: [], isChanging: isChanging)
      try await accounts.checkHead(head, from: network)
      body = try await collect(request, into: memory)
    }
    let credentials = Credentials(request, for: container, body: body, isChanging: isChanging)
    let authentication = try await authenticate(request, credentials, from: network)
    if let error = accounts.refusal(of: authentication, from: network) {
      accounts.giveBack(authentication)
      return finished(errorAnswer(error, of: request), authentication)
    }
    let holders = holders(authentication, network)
    let answerMemory: MemoryLease
    do {
      if !request.isSigned {
        memory = bodyMemory.lease(for: holders)
        body = try await collect(request, into: memory)
      }
      let budget = isReadInSlices ? listingMemory : self.answerMemory
      let limit = server.dependencies.limits.answerBytes
      // The answer to a change is about as long as the request.
      let most = isChanging ? min(limit, Self.answerBytesOfChange + 8 * body.count) : limit
      answerMemory = try await budget.reserve(most, for: holders)
    } catch {
      accounts.giveBack(authentication)
      guard let error = error as? CloudError else { throw error }
      return finished(errorAnswer(error, of: request), authentication)
    }
    var answer: Answer
    do throws(CloudError) {
      answer = Answer(try await operation(authentication, body))
    } catch {
      if error.code == .tryAgainLater { accounts.giveBack(authentication) }
      answer = errorAnswer(authentication.directing(error), of: request)
    }
    withExtendedLifetime(memory) {}
    answerMemory.resize(to: answer.bodyBytes)
    answer.response.retained = answerMemory
    return finished(answer, authentication)
  }

  /// The smallest reservation for the answer to a change.
  private static let answerBytesOfChange = 64 << 10

  /// Collects the whole body of a request, and counts its memory as it arrives.
  func collect(_ request: HTTPRequest, into memory: MemoryLease) async throws -> [UInt8] {
    try await request.body.collect(limit: settings.bodyBytes, into: memory)
  }

  /// The user and network whose memory limits apply to a request.
  private func holders(_ authentication: Authentication, _ network: String) -> [MemoryBudget.Holder]
  {
    let user = authentication.caller.userRecordName.map {
      MemoryBudget.Holder.user("\(authentication.realm.number) \($0)")
    }
    return [.network(network)] + (user.map { [$0] } ?? [])
  }

  /// Adds the caller and the token for the next request to an answer.
  private func finished(_ answer: Answer, _ authentication: Authentication) -> Answer {
    var answer = answer
    answer.caller = authentication.caller
    if let token = authentication.webToken {
      answer.response.headers.append("X-Apple-CloudKit-Web-Auth-Token", token)
    }
    return answer
  }

  /// Checks that the request has an administrator's key as a bearer token.
  func requireAdministrator(_ request: HTTPRequest) async throws(CloudError) {
    let scheme = "bearer "
    let network = clientNetwork(of: request)
    try accounts.checkRefusals(of: network)
    guard let field = request.headers["authorization"], field.lowercased().hasPrefix(scheme),
      try await accounts.isAdministratorKey(String(field.dropFirst(scheme.count)))
    else {
      accounts.countRefusal(of: network)
      throw CloudError(
        .authenticationFailed,
        "This operation is for administrators. Send their key as “Authorization: Bearer KEY”.")
    }
  }
}
