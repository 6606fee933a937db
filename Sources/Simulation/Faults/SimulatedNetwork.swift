package import CloudKitTesting
import CloudTransport
import Synchronization

/// What lies between a device and the server, and what goes wrong there: as the world has decided
/// before each step.
package final class SimulatedNetwork: Sendable {
  /// What happens to one request.
  package enum Fault: Sendable {
    /// What networks of tests do by themselves.
    case plain(TestNetwork.Fault)
    /// The device hears nothing; the request arrives when the world says so.
    case late
    /// There is no room in the account; requests that save nothing get their answer.
    case quota
    /// The server says that the device has asked too often.
    case throttled
    /// The device crashes while the request is on its way, or loses its power.
    case crash(arrives: Bool, losesPower: Bool = false)

    /// How the trace names it.
    var text: String {
      switch self {
      case .plain(let fault): "\(fault)"
      case .late: "late"
      case .quota: "quota"
      case .throttled: "throttled"
      case .crash(let arrives, let losesPower):
        "\(losesPower ? "loss of power" : "crash") \(arrives ? "behind" : "before") the request"
      }
    }
  }

  /// A request that its device has given up, and that arrives later.
  struct LateRequest: Sendable {
    let request: TransportRequest
    let transport: any CloudTransport
  }

  /// At which moment a device crashes.
  struct PlannedCrash: Sendable {
    /// What has the moments that count: each has one before it is written, and one behind.
    enum Kind: Sendable {
      /// What people save, and imports.
      case saves
      /// Everything that the device's databases commit, or roll back.
      case transactions
    }

    var kind: Kind
    /// How many moments pass before.
    var moment: Int
    /// Whether the device loses its power, and what nobody has synced.
    var losesPower = false
  }

  private struct State {
    var script: [Fault?] = []
    var isDead = false
    var hasNoRoom = false
    var answeredCount = 0
    var requestCount = 0
    var late: [LateRequest] = []
    var crash: PlannedCrash?
  }

  private let state = Mutex(State())
  /// Keeps what is on the device's disk at this moment.
  private let keepDisk: @Sendable (_ losesPower: Bool) -> Void

  package init(keepDisk: @escaping @Sendable (_ losesPower: Bool) -> Void) {
    self.keepDisk = keepDisk
  }

  // MARK: What the world decides

  /// What happens to the next requests, one after the other.
  package func inject(_ script: [Fault?]) { state.withLock { $0.script = script } }

  /// Takes all faults back but for what is late.
  func heal() {
    state.withLock { state in
      (state.script, state.isDead, state.hasNoRoom, state.crash) = ([], false, false, nil)
    }
  }

  /// Lets the device crash at a moment that comes; nil takes it back.
  func plan(_ crash: PlannedCrash?) { state.withLock { $0.crash = crash } }

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

  // MARK: What saves and transactions meet

  /// Something is about to be written, or was.
  func noteMoment(of kind: PlannedCrash.Kind) {
    let over = state.withLock { state -> PlannedCrash? in
      guard let planned = state.crash, planned.kind == kind, !state.isDead else { return nil }
      state.crash?.moment -= 1
      guard planned.moment == 0 else { return nil }
      state.crash = nil
      return planned
    }
    if let over { crash(losesPower: over.losesPower) }
  }

  // MARK: What requests meet

  /// What happens to a request that is made now; a device that has crashed makes none.
  func next() throws(TransportError) -> Fault? {
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
  func crash(losesPower: Bool = false) {
    keepDisk(losesPower)
    state.withLock { $0.isDead = true }
  }

  static let crashed = TransportError(.broken, "The device has crashed.", mayHaveArrived: true)
  static let lost = TransportError(
    .broken, "The request is on its way for long.", mayHaveArrived: true)
}
