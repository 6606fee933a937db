package import AssetStorage
import CloudRecords
package import HTTPServer
package import RecordServer
internal import Synchronization

/// Answers requests: the layer between the HTTP server and the record server.
///
/// For each request, `Route` selects a function that authenticates the caller, reads the body and
/// answers. The service turns the function's errors into answers in the protocol's form, and counts
/// and logs each answer.
package final class RecordService: Sendable {
  /// The settings of an operator, and the destinations of logs.
  package struct Settings: Sendable {
    /// The address at which clients reach the server, such as `https://cloud.example.com`, or nil
    /// for the address in each request.
    package var publicAddress: String?
    /// Whether the server trusts the last proxy in front of it to name the client and the scheme.
    package var trustsProxy = false
    /// Whether browsers have to use TLS with this host for a year.
    package var requiresTLS = false
    /// Whether everyone may read the metrics, and not only administrators.
    package var showsMetrics = false
    /// Whether programs on this machine may name development users without credentials.
    ///
    /// `CloudServer` decides it.
    package internal(set) var allowsDevelopmentUsers = false
    /// Backs up and checks the storage for administrators, or nil if that is not possible.
    package var maintenance: (any ServerMaintenance)?
    /// The longest body that is read into memory.
    ///
    /// Files are streamed.
    package var bodyBytes = 16 << 20
    /// The maximum memory for bodies and unsent answers.
    package var memory = MemoryLimits()
    /// Receives a log entry for each request, or nil to log none.
    package var log: (@Sendable (RequestLogEntry) -> Void)?
    /// Receives errors within the server, with the identifier of the request if there is one.
    package var report: @Sendable (any Error, String?) -> Void = { _, _ in }

    package init() {}
  }

  package let accounts: Accounts
  let hub: PushHub
  /// The store of files, or nil if the server has no folder for them.
  package let files: AssetStore?
  package let settings: Settings
  let metrics = Metrics()
  /// The memory of requests' bodies, from their first byte until the request ends.
  package let bodyMemory: MemoryBudget
  /// The memory of answers, from before they are computed until the client has received them.
  package let answerMemory: MemoryBudget
  /// The memory of queries, feeds and lists, separate so that they do not delay other answers.
  package let listingMemory: MemoryBudget
  private let routes = KnownRoutes()
  /// Limits the lookups of devices that start to listen.
  let lookUps = AsyncSemaphore(places: 32)
  /// Whether the server is about to stop.
  ///
  /// Its readiness check then fails, so that load balancers send no more requests.
  let isStopping = Atomic(false)
  private let otherGauges = Mutex<@Sendable () -> [Metrics.Gauge]>({ [] })

  /// Creates a service.
  ///
  /// - Parameters:
  ///   - hub: Receives the changes of the accounts' server.
  ///   - files: The files of the same server, or nil to accept none.
  package init(
    accounts: Accounts, hub: PushHub, files: AssetStore? = nil, settings: Settings = Settings()
  ) {
    self.accounts = accounts
    self.hub = hub
    self.files = files
    self.settings = settings
    bodyMemory = MemoryBudget(settings.memory.fitting(settings.bodyBytes))
    answerMemory = MemoryBudget(settings.memory.half)
    listingMemory = MemoryBudget(settings.memory.half)
  }

  package var server: RecordServer { accounts.server }

  /// Ends the waits of devices and of requests that have lasted for a round.
  package func endRound() {
    hub.endRound()
    answerMemory.endRound()
    listingMemory.endRound()
  }

  /// Sets the source of other components' metrics, and replaces an earlier one.
  package func observe(_ gauges: @escaping @Sendable () -> [Metrics.Gauge]) {
    otherGauges.withLock { $0 = gauges }
  }

  /// The current values of all gauges.
  var gauges: [Metrics.Gauge] {
    [
      Metrics.Gauge(
        name: "parhelion_waiting_devices", help: "Devices that wait.", value: hub.waiterCount),
      Metrics.Gauge(
        name: "parhelion_body_bytes", help: "Bytes of request bodies in memory.",
        value: bodyMemory.held),
      Metrics.Gauge(
        name: "parhelion_answer_bytes", help: "Bytes of answers in memory, computed and reserved.",
        value: answerMemory.held + listingMemory.held),
      Metrics.Gauge(
        name: "parhelion_waiting_requests", help: "Requests that wait for memory.",
        value: answerMemory.waiterCount + listingMemory.waiterCount),
    ]
      + otherGauges.withLock(\.self)()
  }
}

extension RecordService {
  /// Answers a request.
  ///
  /// - Throws: Only if the client's connection has ended.
  package func answer(_ request: HTTPRequest) async throws -> HTTPResponse {
    if request.head.pathIs(Route.PushDelivery.waitPath), request.method == .get {
      return try await answerWaiting(request)
    }
    return try await answerWithoutWaiting(request)
  }

  /// Answers a request that does not wait for an event.
  private func answerWithoutWaiting(_ request: HTTPRequest) async throws -> HTTPResponse {
    let begun = ContinuousClock.now
    let route = routes.route(of: request.path)
    let answer = try await self.answer(request, to: route)
    return finish(answer, to: request, try? route.get(), since: begun)
  }

  /// Adds the common header fields to an answer, and counts and logs it.
  func finish(
    _ answer: Answer, to request: HTTPRequest, _ route: Route?, since begun: ContinuousClock.Instant
  ) -> HTTPResponse {
    var response = answer.response
    response.headers.append("X-Apple-Request-UUID", request.id.description)
    if settings.requiresTLS {
      response.headers.append("Strict-Transport-Security", "max-age=31536000")
    }
    // A web page that requests an unknown address may read the error, too.
    if route?.isForPages ?? true {
      CrossOrigin.allow(request.headers["origin"], in: &response.headers)
    }
    logAnswer(answer, to: request, operation: route?.operation ?? "unknown", since: begun)
    return response
  }

  /// Answers a request, and turns every error into an answer.
  private func answer(_ request: HTTPRequest, to route: Result<Route, Route.Failure>) async throws
    -> Answer
  {
    do {
      switch route {
      case .success(let route): return try await self.answer(request, to: route)
      case .failure(let failure): throw CloudError(.notFound, failure.reason)
      }
    } catch let error as CloudError {
      return errorAnswer(error, of: request)
    } catch let error as HTTPParseError where error != .clientLeft {
      return errorAnswer(
        CloudError(error, bodyLimit: settings.bodyBytes), status: error.status, of: request)
    } catch let error where error is HTTPParseError || error is CancellationError {
      throw error
    } catch {
      settings.report(error, request.id.description)
      return errorAnswer(
        CloudError(.internalError, "The server failed. See its log for details."), of: request)
    }
  }

  private func answer(_ request: HTTPRequest, to route: Route) async throws -> Answer {
    if request.method == .options {
      return Answer(CrossOrigin.preflight(request, methods: route.methods))
    }
    guard route.methods.contains(request.method) else { return wrongMethod(request, route.methods) }
    switch route {
    case .database(let route): return try await answer(request, to: route)
    case .pushToken(let container, let isNew):
      return try await answerPushToken(request, container, isNew: isNew)
    // `answerWaiting` answers this route for the method GET.
    case .push(.wait): return wrongMethod(request, route.methods)
    case .push(.stream): return try await answerStream(request)
    case .file(.upload): return try await answerUpload(request)
    case .file(.download): return try await answerDownload(request)
    case .welcome: return answerWelcome(request)
    case .page(.signOut): return try await answerSignOut(request)
    case .page(let page): return try await answerPage(request, page)
    case .invitation(let name): return try await answerInvitation(request, name)
    case .administration(let operation): return try await answerAdministration(request, operation)
    case .health: return Answer(json: #"{"status":"ok"}"#)
    case .readiness: return try await answerReadiness()
    case .metrics: return try await answerMetrics(request)
    case .openAPI: return try answerDescription(request)
    }
  }

  private func wrongMethod(_ request: HTTPRequest, _ methods: [HTTPMethod]) -> Answer {
    let allowed = methods.map(\.rawValue).joined(separator: ", ")
    let error = CloudError(.badRequest, "This address takes \(allowed), not \(request.method).")
    var answer = errorAnswer(error, status: .methodNotAllowed, of: request)
    answer.response.headers.append("Allow", allowed)
    return answer
  }
}
