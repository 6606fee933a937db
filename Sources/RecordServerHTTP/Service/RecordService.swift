package import AssetStorage
import CloudRecords
package import HTTPServer
package import RecordServer
internal import Synchronization

/// Answers requests: what stands between sockets and the record server.
///
/// A request goes through `Route` to one function, which proves who asks, reads the body as the
/// route wants it, and answers. What it throws is answered in the protocol's form, whatever it is;
/// and each answer is counted and written into the log.
package final class RecordService: Sendable {
  /// What an operator decides, and where the service tells of itself.
  package struct Settings: Sendable {
    /// How clients reach the server, such as `https://cloud.example.com`; nil where it is what each
    /// request says.
    package var publicAddress: String?
    /// Whether the last proxy in front of the server is believed about who asks, and by which
    /// scheme.
    package var trustsProxy = false
    /// Whether browsers are told to speak TLS alone with this host, for a year.
    package var requiresTLS = false
    /// Whether the figures of the server are for everybody, and not for administrators alone.
    package var showsMetrics = false
    /// Whether programs on this machine may name development users, without proof: `CloudServer`
    /// decides.
    package internal(set) var allowsDevelopmentUsers = false
    /// What copies and checks the storage, for administrators; nil where nobody can.
    package var upkeep: (any ServerMaintenance)?
    /// The longest body that is read into memory; files are streamed.
    package var bodyBytes = 16 << 20
    /// The most memory that bodies, and answers that are not sent yet, take at once.
    package var memory = MemoryLimits()
    /// Is given a line for each request; nil where nobody wants them.
    package var log: (@Sendable (RequestLogEntry) -> Void)?
    /// Is given what failed within the server, with the identifier of the request where there is
    /// one.
    package var report: @Sendable (any Error, String?) -> Void = { _, _ in }

    package init() {}
  }

  package let accounts: Accounts
  let hub: PushHub
  /// Keeps files; nil where the server has no folder for them.
  package let files: AssetStore?
  package let settings: Settings
  let metrics = Metrics()
  /// Bodies of requests, from their first byte until the request is done.
  package let bodyMemory: MemoryBudget
  /// Answers, from before they are computed until the client has taken them.
  package let answerMemory: MemoryBudget
  /// The same for queries, feeds and lists: while they wait for their turns, others have room.
  package let listingMemory: MemoryBudget
  private let routes = KnownRoutes()
  /// Those who begin to listen, while it is looked up who they are.
  let lookUps = AsyncSemaphore(places: 32)
  /// Whether the server is about to end, and gets no further requests by whoever asks for its
  /// readiness.
  let isStopping = Atomic(false)
  private let dependencies = Mutex<@Sendable () -> [Metrics.Gauge]>({ [] })

  /// - Parameters:
  ///   - hub: Hears of the changes of the accounts' server.
  ///   - files: Keeps the files of the same server; nil where it takes none.
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

  /// Adds figures of what is around the service to the metrics.
  package func observe(_ gauges: @escaping @Sendable () -> [Metrics.Gauge]) {
    dependencies.withLock { $0 = gauges }
  }

  /// What can be measured now.
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
      + dependencies.withLock(\.self)()
  }
}

extension RecordService {
  /// Answers a request.
  ///
  /// - Throws: Only where nobody is there any more to get an answer.
  package func answer(_ request: HTTPRequest) async throws -> HTTPResponse {
    if request.head.pathIs(Route.PushDelivery.waitPath), request.method == .get {
      return try await answerWaiting(request)
    }
    return try await answerSoon(request)
  }

  /// Answers a request that does not wait for something to happen.
  private func answerSoon(_ request: HTTPRequest) async throws -> HTTPResponse {
    let begun = ContinuousClock.now
    let route = routes.route(of: request.path)
    let answer = try await self.answer(request, to: route)
    return finish(answer, to: request, try? route.get(), since: begun)
  }

  /// Adds to an answer what every one has, counts it and writes it into the log.
  func finish(
    _ answer: Answer, to request: HTTPRequest, _ route: Route?, since begun: ContinuousClock.Instant
  ) -> HTTPResponse {
    var response = answer.response
    response.headers.append("X-Apple-Request-UUID", request.id.description)
    if settings.requiresTLS {
      response.headers.append("Strict-Transport-Security", "max-age=31536000")
    }
    // A page that asks at a wrong address is told what is wrong with it.
    if route?.isForPages ?? true {
      CrossOrigin.allow(request.headers["origin"], in: &response.headers)
    }
    note(answer, to: request, operation: route?.operation ?? "unknown", since: begun)
    return response
  }

  /// Answers a request, whatever goes wrong.
  private func answer(_ request: HTTPRequest, to route: Result<Route, Route.Failure>) async throws
    -> Answer
  {
    do {
      switch route {
      case .success(let route): return try await self.answer(request, to: route)
      case .failure(let failure): throw CloudError(.notFound, failure.reason)
      }
    } catch let error as CloudError {
      return refusal(error, of: request)
    } catch let violation as HTTPParseError where violation != .clientLeft {
      return refusal(
        CloudError(violation, bodyLimit: settings.bodyBytes), status: violation.status, of: request)
    } catch let error where error is HTTPParseError || error is CancellationError {
      throw error
    } catch {
      settings.report(error, request.id.description)
      return refusal(
        CloudError(.internalError, "The server failed. Its log says more."), of: request)
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
    // Who waits by GET was answered before.
    case .push(.wait): return wrongMethod(request, route.methods)
    case .push(.stream): return try await answerStream(request)
    case .file(.upload): return try await answerUpload(request)
    case .file(.download): return try await answerDownload(request)
    case .welcome: return answerWelcome(request)
    case .page(.signOut): return try await answerSignOut(request)
    case .page(let page): return try await answerPage(request, page)
    case .invitation: return answerInvitation()
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
    var answer = refusal(error, status: .methodNotAllowed, of: request)
    answer.response.headers.append("Allow", allowed)
    return answer
  }
}
