package import CloudKitTesting
import CloudTransport
import Synchronization

/// The network between a device and the server, with the faults that the world injects before each
/// step.
package final class SimulatedNetwork: Sendable {
  /// The fault of one request.
  package enum Fault: Sendable {
    /// A fault that the test network implements.
    case plain(TestNetwork.Fault)
    /// The device gets no response, and the request arrives when the world delivers it.
    case late
    /// The quota is exhausted; requests that save nothing succeed.
    case quota
    /// The server throttles the device.
    case throttled
    /// The device crashes during the request, perhaps with a power failure.
    case crash(arrives: Bool, losesPower: Bool = false)

    /// The fault's name in the trace.
    var text: String {
      switch self {
      case .plain(let fault): "\(fault)"
      case .late: "late"
      case .quota: "quota"
      case .throttled: "throttled"
      case .crash(let arrives, let losesPower):
        "\(losesPower ? "loss of power" : "crash") \(arrives ? "after" : "before") the request"
      }
    }
  }

  /// A request that its device has given up on, and that arrives later.
  struct LateRequest: Sendable {
    let request: TransportRequest
    let transport: any CloudTransport
  }

  /// A crash that the world has planned for the device.
  struct PlannedCrash: Sendable {
    /// The kinds of writes with crash points, before and after each.
    enum Kind: Sendable {
      /// Saves by users, and imports.
      case saves
      /// Every commit or rollback of the device's databases.
      case transactions
    }

    var kind: Kind
    /// The number of crash points to pass before the crash.
    var crashPoint: Int
    /// Whether the device loses power, and with it unsynced writes.
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
    var operation: SimulatedOperation?
    var coverage = FaultCoverage()
    var received: Set<String>?
  }

  private let state = Mutex(State())
  /// Saves a copy of the device's disk at this moment.
  private let keepDisk: @Sendable (_ losesPower: Bool) -> Void

  package init(keepDisk: @escaping @Sendable (_ losesPower: Bool) -> Void) {
    self.keepDisk = keepDisk
  }

  // MARK: Control by the world

  /// Sets the faults of the next requests, in order.
  package func inject(_ script: [Fault?]) { state.withLock { $0.script = script } }

  /// Removes all faults, but keeps delayed requests.
  func heal() {
    state.withLock { state in
      (state.script, state.isDead, state.hasNoRoom, state.crash) = ([], false, false, nil)
    }
  }

  /// Plans a crash of the device; nil cancels it.
  func plan(_ crash: PlannedCrash?) { state.withLock { $0.crash = crash } }

  /// Whether the device has crashed within a step.
  var isDead: Bool { state.withLock(\.isDead) }
  /// Whether the account's quota is exhausted.
  var hasNoRoom: Bool {
    get { state.withLock(\.hasNoRoom) }
    set { state.withLock { $0.hasNoRoom = newValue } }
  }
  /// The number of requests that the device has made.
  var requestCount: Int { state.withLock(\.requestCount) }
  /// The number of requests with a response from the server.
  var answeredCount: Int { state.withLock(\.answeredCount) }

  /// Delivers delayed requests, without their responses.
  ///
  /// - Returns: The number of delivered requests.
  func deliverLate() async -> Int {
    let late = state.withLock { state -> [LateRequest] in
      defer { state.late = [] }
      return state.late
    }
    for one in late { _ = try? await one.transport.send(one.request) }
    return late.count
  }

  // MARK: Coverage

  /// Sets the present operation, to which crash points belong; nil for none.
  func begin(_ operation: SimulatedOperation?) { state.withLock { $0.operation = operation } }

  /// The pairs of an operation and a fault that the device reached.
  var coverage: FaultCoverage { state.withLock(\.coverage) }

  /// Counts a fault that met an operation.
  func count(_ fault: SimulatedFaultKind, at operation: SimulatedOperation?) {
    guard let operation, fault.canMeet(operation) else { return }
    state.withLock { $0.coverage.add(fault, to: operation) }
  }

  // MARK: Crash points

  /// Passes a crash point, before or after a write.
  func passCrashPoint(of kind: PlannedCrash.Kind) {
    let over = state.withLock { state -> PlannedCrash? in
      guard let planned = state.crash, planned.kind == kind, !state.isDead else { return nil }
      state.crash?.crashPoint -= 1
      guard planned.crashPoint == 0 else { return nil }
      state.crash = nil
      return planned
    }
    guard let over else { return }
    count(over.losesPower ? .power : .crash, at: state.withLock(\.operation))
    crash(losesPower: over.losesPower)
  }

  // MARK: Faults of requests

  /// The fault of a new request; throws if the device has crashed.
  func next(_ operation: SimulatedOperation?) throws(TransportError) -> Fault? {
    let (fault, isDead) = state.withLock { state -> (Fault?, Bool) in
      state.requestCount += 1
      if state.isDead { return (nil, true) }
      return (state.script.isEmpty ? nil : state.script.removeFirst(), false)
    }
    if isDead { throw Self.crashed }
    if let kind = fault.flatMap(SimulatedFaultKind.init) { count(kind, at: operation) }
    return fault
  }

  func keep(_ late: LateRequest) { state.withLock { $0.late.append(late) } }

  func countResponse() { state.withLock { $0.answeredCount += 1 } }

  // MARK: What the device receives

  /// Keeps the texts of responses from now on.
  func keepReceivedTexts() { state.withLock { $0.received = [] } }

  /// Records the texts of a response, if the network keeps them.
  func receive(_ body: [UInt8]) {
    state.withLock { state in
      guard state.received != nil else { return }
      for text in body.split(separator: UInt8(ascii: "\"")) {
        state.received?.insert(String(decoding: text, as: UTF8.self))
      }
    }
  }

  /// The texts of the responses since the last call.
  func takeReceivedTexts() -> Set<String> {
    state.withLock { state in
      guard let texts = state.received else { return [] }
      state.received = []
      return texts
    }
  }

  /// Crashes the device: its later requests fail, and its disk keeps its present state.
  func crash(losesPower: Bool = false) {
    keepDisk(losesPower)
    state.withLock { $0.isDead = true }
  }

  static let crashed = TransportError(.broken, "The device has crashed.", mayHaveArrived: true)
  static let lost = TransportError(
    .broken, "The request is delayed.", mayHaveArrived: true)
}
