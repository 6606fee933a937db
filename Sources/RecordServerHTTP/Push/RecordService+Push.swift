import CloudRecords
import CloudWire
import HTTPServer
import JSONCoding
import RecordServer

extension RecordService {
  /// Answers a device that waits for one notification.
  ///
  /// Thousands of devices wait at once, and each keeps the memory of this function and its callees.
  /// So no other functions are on the call path, and the answer is created after the wait.
  func answerWaiting(_ request: HTTPRequest) async throws -> HTTPResponse {
    let begun = ContinuousClock.now
    let wait = await wait(request)
    try Task.checkCancellation()
    return response(to: wait, request, since: begun)
  }

  /// Waits for a notification, or returns an error if the device may not wait.
  private func wait(_ request: HTTPRequest) async -> Result<PushWait, CloudError> {
    guard let token = Self.token(of: request) else { return .failure(Self.noToken()) }
    while true {
      let removals = hub.removals
      if case .failure(let error) = await listen(by: token, request) { return .failure(error) }
      let wait = await hub.wait(for: token, since: removals)
      if wait != .unchecked { return .success(wait) }
    }
  }

  /// Creates the response after the wait.
  @inline(never)
  private func response(
    to wait: Result<PushWait, CloudError>, _ request: HTTPRequest,
    since begun: ContinuousClock.Instant
  ) -> HTTPResponse {
    let answer =
      switch wait {
      case .success(let wait): answer(to: wait)
      case .failure(let error): errorAnswer(error, of: request)
      }
    return finish(answer, to: request, .push(.wait), since: begun)
  }

  /// Answers a device that receives a stream of notifications.
  func answerStream(_ request: HTTPRequest) async throws(CloudError) -> Answer {
    guard let token = Self.token(of: request) else { throw Self.noToken() }
    let removals = hub.removals
    let version = try await listen(by: token, request).get()
    return Answer(
      NotificationStream(service: self, token: token).response(schema: version, since: removals))
  }

  /// The number of notifications that wait for a device.
  package func waitingNotifications(of token: String) -> Int { hub.queueLength(of: token) }

  /// The token of the device, which is its only credential.
  ///
  /// It is unpredictable, and notifications contain little.
  @inline(never)
  private static func token(of request: HTTPRequest) -> String? {
    QueryParameters(request.query).value(of: "token").flatMap {
      (1...512).contains($0.utf8.count) ? $0 : nil
    }
  }

  private static func noToken() -> CloudError {
    CloudError(
      .badRequest, "The address has no token. Use the webcourierURL from tokens/create.")
  }

  /// Checks that a request may listen with a token, and counts rejected requests for its network.
  private func listen(by token: String, _ request: HTTPRequest) async -> Result<
    SchemaVersion, CloudError
  > {
    let network = clientNetwork(of: request)
    do throws(CloudError) { try accounts.checkRefusals(of: network) } catch {
      return .failure(error)
    }
    let listening = await listen(by: token)
    if case .failure(let error) = listening, error.code == .authenticationFailed {
      accounts.countRefusal(of: network)
    }
    return listening
  }

  /// Checks that a device may listen with a token, and returns the version of its schema.
  ///
  /// The lookup runs in a separate task, whose memory is freed when it ends. Otherwise the request
  /// would keep that memory while it waits.
  func listen(by token: String) async -> Result<SchemaVersion, CloudError> {
    let server = server
    await lookUps.enter()
    defer { lookUps.leave() }
    return await withTaskGroup(of: Result<SchemaVersion, CloudError>.self) { group in
      group.addTask {
        do throws(CloudError) { return .success(try await server.checkListener(by: token)) } catch {
          return .failure(error)
        }
      }
      return await group.next()
        ?? .failure(CloudError(.internalError, "The lookup of a listener was lost."))
    }
  }

  /// The answer with one notification, or with an empty body, after which the device asks again.
  private func answer(to wait: PushWait) -> Answer {
    guard case .notification(let notification) = wait else {
      return Answer(HTTPResponse(headers: ["Cache-Control": "no-store"]))
    }
    return Answer(notification)
  }
}
