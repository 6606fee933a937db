/// Decides how a device listens: by one stream for all its subscriptions, or by one request after
/// the other.
///
///     ready ──start──▶ opening ──streamOpened──▶ streaming        all is told as it happens
///                       ▲   │                        │
///                       │   │ streams are refused    │ streamEnded
///                       │   ▼                        ▼
///                       │  polling ──breaks──▶ pausing            nothing is open
///                       └───────────paused────────┘
///     opening, polling ──the device is refused──▶ over
///
/// - *opening*: a stream was asked for, and its head has not come.
/// - *polling*: a request waits for one notification; behind its answer comes the next. What stands
///   between this device and the server lets no streams through, or holds them back. After a break
///   a stream is tried again, since devices move. A server that offers no streams is polled from
///   the beginning.
package struct PushChannelMachine: Sendable {
  /// What is to be done.
  package enum Action: Hashable, Sendable {
    case openStream
    case poll
    case pause(PushBackoff)
    case tell(PushEvent)
  }

  /// How long the server may be silent: it says something at least every 50 seconds.
  package static let silence = Duration.seconds(120)
  /// A connection that lasted for so long was a good one, whatever it brought.
  private static let steady = Duration.seconds(30)
  /// A connection that brought something was a good one if it lasted for so long.
  ///
  /// The server greets at once: without a least time, one that greets and falls over would be asked
  /// once a second.
  private static let shortestGood = Duration.seconds(5)
  /// An empty answer that comes sooner did not wait.
  private static let shortestWait = Duration.seconds(1)

  /// So many notifications may come one after the other without anybody having waited: more than
  /// servers keep for a device.
  private static let mostAtOnce = 100

  private enum Phase: Hashable {
    case ready
    case opening
    case streaming(Heard)
    case polling
    case pausing
    case over
  }

  /// What a stream has brought.
  private enum Heard: Hashable {
    case nothing, signsOfLife, notifications
  }

  private var phase = Phase.ready
  /// Attempts that failed, one after the other.
  private var failures = 0
  /// Notifications that came at once, one after the other.
  private var atOnce = 0
  /// Whether the server offers a stream.
  private let hasStream: Bool

  /// - Parameter hasStream: Whether the server offers a stream; CloudKit's protocol knows requests
  ///   that wait alone.
  package init(hasStream: Bool = true) { self.hasStream = hasStream }

  /// Whether the stream's bytes are wanted.
  package var isStreaming: Bool { if case .streaming = phase { true } else { false } }

  /// Begins.
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

  /// The head of the stream's answer has come.
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

  /// Bytes have come, with these notifications among them.
  package mutating func streamSaid(_ notifications: [[UInt8]]) -> [Action] {
    guard case .streaming(let heard) = phase else { return [] }
    phase = .streaming(
      notifications.isEmpty && heard != .notifications ? .signsOfLife : .notifications)
    return notifications.map { .tell(.notification($0)) }
  }

  /// The stream has ended, or could not be opened.
  ///
  /// - Parameter lasted: How long it was open.
  package mutating func streamEnded(_ fault: TransportError?, lasted: Duration) -> [Action] {
    if phase == .streaming(.nothing), fault?.kind == .timedOut {
      // The server says something at once; somebody between holds it back.
      return poll()
    }
    guard phase != .over, phase != .pausing else { return [] }
    if wasGood(lasted) { failures = 0 }
    return fail(nil)
  }

  /// Whether the connection that has ended worked: the next attempt comes soon then.
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

  /// The answer to a request that waited.
  ///
  /// - Parameter waited: For how long.
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
      return [.tell(.notification(answer.body))] + (atOnce < Self.mostAtOnce ? [.poll] : rest())
    case .noSuchWay, .refused: return end(answer.status)
    case .later(let asked): return fail(asked)
    }
  }

  /// Who answers so often at once is perhaps no server of notifications, and is not asked as fast
  /// as it can answer.
  private mutating func rest() -> [Action] {
    atOnce = 0
    return fail(nil)
  }

  /// No answer came to a request that waited.
  ///
  /// - Parameter waited: For how long.
  package mutating func pollFailed(_ fault: TransportError, waited: Duration) -> [Action] {
    guard phase == .polling else { return [] }
    // Servers of others may be silent for longer than this one waits: nothing has happened
    // meanwhile.
    guard fault.kind == .timedOut, waited >= Self.silence else { return fail(nil) }
    failures = 0
    return [.poll]
  }

  // MARK: - Breaks

  private mutating func fail(_ asked: Duration?) -> [Action] {
    phase = .pausing
    failures += 1
    return [.pause(PushBackoff(failures: failures, asked: asked))]
  }

  /// The pause is over.
  package mutating func paused() -> [Action] { phase == .pausing ? open() : [] }

  private mutating func end(_ status: Int) -> [Action] {
    phase = .over
    return [.tell(.refused(status: status))]
  }
}

/// What an answer means for a device that wants to listen.
private enum Verdict {
  case good
  /// There are no streams here.
  case noSuchWay
  /// The device is not known, or may not listen.
  case refused
  /// Not now; perhaps not before a time is over.
  case later(Duration?)

  /// - Parameter isRight: Whether it is what was asked for: a page of whoever wants people to sign
  ///   in comes with a status of success.
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
  /// Whether it is the head of a stream of notifications.
  fileprivate var isEventStream: Bool {
    self["content-type"]?.lowercased().hasPrefix("text/event-stream") == true
  }

  /// Whether the body looks like an object of JSON: servers name it by various types.
  fileprivate var isObject: Bool { body.first { !$0.isBlank } == UInt8(ascii: "{") }
}

extension UInt8 {
  fileprivate var isBlank: Bool {
    [UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\n"), UInt8(ascii: "\r")].contains(self)
  }
}
