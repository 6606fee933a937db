import CloudKitTesting
import CloudTransport
import Synchronization

/// What lies between a device and the server, and what goes wrong there: as the world has decided before each step.
final class SimulatedNetwork: Sendable {
  /// What happens to one request.
  enum Fault: Sendable {
    /// What networks of tests do by themselves.
    case plain(TestNetwork.Fault)
    /// The device hears nothing; the request arrives when the world says so.
    case late
    /// There is no room in the account; requests that save nothing get their answer.
    case quota
    /// The server says that the device has asked too often.
    case throttled
    /// The device crashes while the request is on its way.
    case crash(arrives: Bool)

    /// How the trace names it.
    var text: String {
      switch self {
      case .plain(let fault): "\(fault)"
      case .late: "late"
      case .quota: "quota"
      case .throttled: "throttled"
      case .crash(let arrives): arrives ? "crash behind the request" : "crash before the request"
      }
    }
  }

  /// A request that its device has given up, and that arrives later.
  struct LateRequest: Sendable {
    let request: TransportRequest
    let transport: any CloudTransport
  }

  private struct State {
    var script: [Fault?] = []
    var isDead = false
    var hasNoRoom = false
    var answeredCount = 0
    var requestCount = 0
    var late: [LateRequest] = []
    /// How many moments of saves pass before the device crashes at one; nil where it does not.
    var momentsUntilCrash: Int?
  }

  private let state = Mutex(State())
  /// Keeps what is on the device's disk at this moment.
  private let keepDisk: @Sendable () -> Void

  init(keepDisk: @escaping @Sendable () -> Void) { self.keepDisk = keepDisk }

  // MARK: What the world decides

  /// What happens to the next requests, one after the other.
  func inject(_ script: [Fault?]) { state.withLock { $0.script = script } }

  /// Takes all faults back but for what is late.
  func heal() {
    state.withLock { state in
      (state.script, state.isDead, state.hasNoRoom, state.momentsUntilCrash) = ([], false, false, nil)
    }
  }

  /// Lets the device crash at a moment of its next saves: each has one before it is written, and one behind.
  func crash(atMoment number: Int?) { state.withLock { $0.momentsUntilCrash = number } }

  /// Whether the device has crashed within a step.
  var isDead: Bool { state.withLock(\.isDead) }
  /// Whether the account has no room.
  var hasNoRoom: Bool {
    get { state.withLock(\.hasNoRoom) }
    set { state.withLock { $0.hasNoRoom = newValue } }
  }
  /// How many requests the device has made.
  var requestCount: Int { state.withLock(\.requestCount) }
  /// How many of them had an answer of the server.
  var answeredCount: Int { state.withLock(\.answeredCount) }

  /// Lets the late requests arrive; nobody hears the answers.
  ///
  /// - Returns: How many there were.
  func deliverLate() async -> Int {
    let late = state.withLock { state -> [LateRequest] in
      defer { state.late = [] }
      return state.late
    }
    for one in late { _ = try? await one.transport.send(one.request) }
    return late.count
  }

  // MARK: What saves meet

  /// A save is about to be written, or was.
  func noteMoment() {
    let isOver = state.withLock { state in
      guard let left = state.momentsUntilCrash, !state.isDead else { return false }
      state.momentsUntilCrash = left == 0 ? nil : left - 1
      return left == 0
    }
    if isOver { crash() }
  }

  // MARK: What requests meet

  /// What happens to a request that is made now; a device that has crashed makes none.
  func next() throws(TransportFault) -> Fault? {
    let (fault, isDead) = state.withLock { state -> (Fault?, Bool) in
      state.requestCount += 1
      if state.isDead { return (nil, true) }
      return (state.script.isEmpty ? nil : state.script.removeFirst(), false)
    }
    if isDead { throw Self.crashed }
    return fault
  }

  func keep(_ late: LateRequest) { state.withLock { $0.late.append(late) } }

  func noteAnswer() { state.withLock { $0.answeredCount += 1 } }

  /// The device crashes now: what it does from now on reaches nobody, and its disk is as it was.
  func crash() {
    keepDisk()
    state.withLock { $0.isDead = true }
  }

  static let crashed = TransportFault(.broken, "The device has crashed.", mayHaveArrived: true)
  static let lost = TransportFault(.broken, "The request is on its way for long.", mayHaveArrived: true)
}
