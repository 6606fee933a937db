/// The state machine of one connection, without sockets, clocks or tasks.
///
/// Each event returns the actions that follow from it.
///
///                complete head               response ended, connection stays open
///       ┌──────┐ ─────────────▶ ┌───────────┐ ──────────────────────▶ idle
///       │ idle │                │ answering │
///       └──────┘ ─┐             └───────────┘ ─┐ response ended, connection ends
///                 │ rejected head              ▼
///                 │                     ┌──────────┐ flushed ┌───────────┐ ended, timer
///                 └────────────────────▶│ flushing │ ──────▶ │ lingering │ ────────────▶ closed
///                                       └──────────┘         └───────────┘
///                                             └─ flushed, client has ended ─▶ closed
///
/// - idle: No request is being answered. `pending` has the beginning of a head, or nothing.
/// - answering: A handler has the request. Its body may still arrive (`reading` is `.body`).
/// - flushing: The last response is complete but not fully written. Input is discarded.
/// - lingering: The client knows that no more output follows. Closing with unread bytes would
///   destroy the response on its way.
/// - closed: Events have no effect.
///
/// The machine answers one request at a time. The bytes of later ones wait in `pending`, and
/// reading stops.
package struct HTTPConnectionMachine: ~Copyable {
  enum Phase: Equatable {
    case idle
    case answering
    case flushing
    case lingering
    case closed
  }

  /// The part of a request that the client is sending.
  enum Reading {
    case head
    case body(RequestBodyDecoder)
    /// The request is complete.
    case complete
    /// Input is discarded, so that the client can read its response.
    case discarding
    /// The client has finished sending.
    case ended
  }

  /// The limits that the configuration sets.
  package struct Settings: Sendable {
    /// The longest body, in bytes.
    package var maximumBodyBytes = Limits.bodyBytes
    /// The bytes of a body that must arrive between two firings of its timer.
    package var minimalBodyBytesPerPeriod = 0
    /// The same while the memory that holds the body is short.
    package var minimalBodyBytesInShortage = 0

    package init() {}
  }

  let settings: Settings
  var phase = Phase.idle
  var reading = Reading.head
  var parser = HTTPHeadParser()
  /// Bytes that are not parsed yet.
  var pending: [UInt8] = []
  /// The response to the current request.
  var answer: Answer?
  /// Whether the connection ends after the current response.
  var closesAfterAnswer = false
  /// Whether the server is shutting down.
  var isDraining = false

  var bodyBytes = 0
  var queuedBodyBytes = 0
  var bodyBytesOfPeriod = 0
  var discardedBytes = 0

  private var armedTimer: Timer?
  private var isReading = true

  /// Creates the machine of a new connection.
  package init(settings: Settings) {
    self.settings = settings
  }

  /// Returns the first actions.
  package mutating func start() -> [Action] {
    var actions: [Action] = []
    settle(&actions)
    return actions
  }

  /// Whether a request is being answered or is arriving.
  package var isBusy: Bool { phase != .idle || !pending.isEmpty }

  /// Whether the machine waits for `flushed()`.
  package var isFlushing: Bool { phase == .flushing }

  /// Adds the actions that follow from the state rather than the event, and checks its invariants.
  mutating func settle(_ actions: inout [Action]) {
    checkInvariants()
    guard phase != .closed else { return }
    if armedTimer != wantedTimer {
      armedTimer = wantedTimer
      bodyBytesOfPeriod = 0
      actions.append(.arm(armedTimer))
    }
    if isReading != wantsInput {
      isReading.toggle()
      actions.append(.read(isReading))
    }
  }

  /// Forgets a timer that has fired, so that it is armed again if it is still needed.
  mutating func forgetTimer() { armedTimer = nil }

  private var wantedTimer: Timer? {
    switch phase {
    case .idle: pending.isEmpty ? .idle : .head
    case .answering: awaitsBody ? .body : nil
    case .lingering: .linger
    case .flushing, .closed: nil
    }
  }

  /// Whether the client has to send the next bytes of a body.
  ///
  /// A client that waits for the server is not slow.
  private var awaitsBody: Bool {
    guard case .body = reading, answer?.awaitsContinue == false else { return false }
    return wantsInput
  }

  private var wantsInput: Bool {
    switch reading {
    case .head, .discarding: true
    case .body: queuedBodyBytes < Limits.queuedBodyBytes
    case .complete: pending.isEmpty
    case .ended: false
    }
  }

  private func checkInvariants() {
    assert(
      (answer != nil) == (phase == .answering),
      "A handler has the request in the answering phase, and only then.")
    assert(
      phase != .idle || isReadingHead, "Only heads are read while no request is being answered.")
    assert(
      pending.count <= Limits.headBytes + Limits.readBytes,
      "At most a head and one read are pending.")
    assert(queuedBodyBytes >= 0, "The handler takes at most the received bytes of a body.")
  }

  private var isReadingHead: Bool {
    if case .head = reading { true } else { false }
  }
}
