/// Decides how a device listens: with one stream for all subscriptions, or with one long poll after
/// another.
///
///     ready ──start──▶ opening ──streamOpened──▶ streaming        events arrive as they happen
///                       ▲   │                        │
///                       │   │ streams are refused    │ streamEnded
///                       │   ▼                        ▼
///                       │  polling ──breaks──▶ pausing            nothing is open
///                       └───────────paused────────┘
///     opening, polling ──the device is refused──▶ over
///
/// - *opening*: a stream was requested, and its head has not arrived.
/// - *polling*: a request waits for one notification, and the next request follows its response.
///   This state is for proxies that refuse or buffer streams. After a failure the stream is tried
///   again, since devices move between networks. A server without streams is polled from the start.
package struct PushChannelMachine: Sendable {
  /// An action for the channel to execute.
  package enum Action: Hashable, Sendable {
    case openStream
    case poll
    case pause(PushBackoff)
    case tell(PushEvent)
  }

  /// The longest allowed silence.
  ///
  /// The server writes something at least every 15 seconds.
  package static let silence = Duration.seconds(120)
  /// A connection that lasted this long counts as good, whatever it received.
  private static let steady = Duration.seconds(30)
  /// A connection that received something counts as good after this time.
  ///
  /// The server sends a greeting at once. Without a minimum, a server that fails right after its
  /// greeting would be asked every second.
  private static let shortestGood = Duration.seconds(5)
  /// An empty response that arrives sooner did not wait.
  private static let shortestWait = Duration.seconds(1)

  /// The number of immediate notifications in a row before the machine pauses: more than servers
  /// keep for a device.
  private static let mostAtOnce = 100

  private enum Phase: Hashable {
    case ready
    case opening
    case streaming(Received)
    case polling
    case pausing
    case over
  }

  /// The data that a stream has received so far.
  private enum Received: Hashable {
    case nothing, signsOfLife, notifications
  }

  private var phase = Phase.ready
  /// The number of failed attempts in a row.
  private var failures = 0
  /// The number of immediate notifications in a row.
  private var atOnce = 0
  /// Whether the server offers a stream.
  private let hasStream: Bool

  /// Creates a machine.
  ///
  /// - Parameter hasStream: Whether the server offers a stream. Apple's protocol has only long
  ///   polls.
  package init(hasStream: Bool = true) { self.hasStream = hasStream }

  /// Whether the machine expects bytes of the stream.
  package var isStreaming: Bool { if case .streaming = phase { true } else { false } }

  /// Starts listening.
  package mutating func start() -> [Action] {
    precondition(phase == .ready, "A channel starts once.")
    return open()
  }

  private mutating func open() -> [Action] {
    guard hasStream else { return [.tell(.listening)] + poll() }
    phase = .opening
    return [.openStream]
  }

  // MARK: - The stream

  /// Handles the head of the stream's response.
  package mutating func streamOpened(_ head: TransportResponse) -> [Action] {
    guard phase == .opening else { return [] }
    switch Verdict(head, isRight: head.isEventStream) {
    case .good:
      phase = .streaming(.nothing)
      return [.tell(.listening)]
    case .noSuchWay: return [.tell(.listening)] + poll()
    case .refused: return end(head.status)
    case .later(let asked): return fail(asked)
    }
  }

  /// Handles bytes of the stream and the notifications in them.
  package mutating func streamSaid(_ notifications: [[UInt8]]) -> [Action] {
    guard case .streaming(let received) = phase else { return [] }
    phase = .streaming(
      notifications.isEmpty && received != .notifications ? .signsOfLife : .notifications)
    return notifications.map { .tell(.notification($0)) }
  }

  /// Handles the end of the stream, or a failure to open it.
  ///
  /// - Parameter lasted: How long the stream was open.
  package mutating func streamEnded(_ error: TransportError?, lasted: Duration) -> [Action] {
    if phase == .streaming(.nothing), error?.kind == .timedOut {
      // The server writes a greeting at once, so a proxy must be buffering the stream.
      return poll()
    }
    guard phase != .over, phase != .pausing else { return [] }
    if wasGood(lasted) { failures = 0 }
    return fail(nil)
  }

  /// Whether the connection that ended had worked.
  ///
  /// If so, the next attempt follows soon.
  private func wasGood(_ lasted: Duration) -> Bool {
    switch phase {
    case .streaming(.notifications): true
    case .streaming(.signsOfLife): lasted >= Self.shortestGood
    case .streaming(.nothing): lasted >= Self.steady
    default: false
    }
  }

  // MARK: - Polling

  private mutating func poll() -> [Action] {
    phase = .polling
    return [.poll]
  }

  /// Handles the response to a long poll.
  ///
  /// - Parameter waited: How long the request waited.
  package mutating func pollAnswered(_ answer: TransportResponse, waited: Duration) -> [Action] {
    guard phase == .polling else { return [] }
    if answer.status == 200, answer.body.isEmpty {
      guard waited >= Self.shortestWait else { return fail(nil) }
      failures = 0
      return [.poll]
    }
    switch Verdict(answer, isRight: answer.isObject) {
    case .good:
      failures = 0
      atOnce = waited < Self.shortestWait ? atOnce + 1 : 0
      return [.tell(.notification(answer.body))] + (atOnce < Self.mostAtOnce ? [.poll] : fail(nil))
    case .noSuchWay, .refused: return end(answer.status)
    case .later(let asked): return fail(asked)
    }
  }

  /// Handles the failure of a long poll.
  ///
  /// - Parameter waited: How long the request waited.
  package mutating func pollFailed(_ error: TransportError, waited: Duration) -> [Action] {
    guard phase == .polling else { return [] }
    // Other servers may hold a poll for longer than `silence`, so this is not a failure.
    guard error.kind == .timedOut, waited >= Self.silence else { return fail(nil) }
    failures = 0
    return [.poll]
  }

  // MARK: - Breaks

  private mutating func fail(_ asked: Duration?) -> [Action] {
    phase = .pausing
    failures += 1
    atOnce = 0
    return [.pause(PushBackoff(failures: failures, asked: asked))]
  }

  /// Handles the end of the pause.
  package mutating func paused() -> [Action] { phase == .pausing ? open() : [] }

  private mutating func end(_ status: Int) -> [Action] {
    phase = .over
    return [.tell(.refused(status: status))]
  }
}

/// The meaning of a response for a device that wants to listen.
private enum Verdict {
  case good
  /// The server does not offer this way of listening.
  case noSuchWay
  /// The device is unknown, or may not listen.
  case refused
  /// The server is busy, perhaps for a known time.
  case later(Duration?)

  /// Evaluates a response.
  ///
  /// - Parameter isRight: Whether the response has the expected content. A captive portal answers
  ///   with a success status too.
  init(_ answer: TransportResponse, isRight: Bool) {
    switch answer.status {
    case 200: self = isRight ? .good : .later(nil)
    case 404, 405, 406, 501: self = .noSuchWay
    case 400, 401, 403, 410, 421: self = .refused
    default: self = .later(answer["retry-after"].flatMap { Int($0) }.map { .seconds(max(0, $0)) })
    }
  }
}

extension TransportResponse {
  /// Whether this is the head of an event stream.
  fileprivate var isEventStream: Bool {
    self["content-type"]?.lowercased().hasPrefix("text/event-stream") == true
  }

  /// Whether the body looks like a JSON object.
  ///
  /// Servers use various content types for it.
  fileprivate var isObject: Bool { body.first { !$0.isBlank } == UInt8(ascii: "{") }
}

extension UInt8 {
  fileprivate var isBlank: Bool {
    [UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\n"), UInt8(ascii: "\r")].contains(self)
  }
}
