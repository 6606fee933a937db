/// What one connection does, decided without sockets, clocks or tasks: each event gives the actions
/// that follow from it.
///
///                 whole head                     response ended, stays
///       ┌──────┐ ─────────────▶ ┌───────────┐ ──────────────────────────▶ idle (and the next request, if it is there)
///       │ idle │                │ answering │
///       └──────┘ ─┐             └───────────┘ ─┐ response ended, does not stay
///                 │ refused: the head is not   ▼
///                 │ HTTP, too long, too slow ┌──────────┐ flushed   ┌───────────┐ client ended, timer
///                 └─────────────────────────▶│ flushing │ ────────▶ │ lingering │ ────────────────────▶ closed
///                                            └──────────┘           └───────────┘
///                                                  └─ flushed, and the client has nothing more to send ──▶ closed
///
/// - idle: nobody answers. `pending` has the beginning of a head, or nothing.
/// - answering: a handler has the request. Its body may still arrive (`reading` is `.body`).
/// - flushing: the last byte of the last response was given out. What the client sends is thrown
///   away.
/// - lingering: the client was told that nothing more comes. Closing now, with bytes unread, would
///   destroy the response on its way.
/// - closed: no event has a consequence.
///
/// One request is answered at a time: the bytes of later ones wait in `pending`, and reading stops.
package struct HTTPConnectionMachine: ~Copyable {
  enum Phase: Equatable {
    case idle
    case answering
    case flushing
    case lingering
    case closed
  }

  /// Where in a request the client is.
  enum Reading {
    case head
    case body(RequestBodyDecoder)
    /// The request is whole.
    case complete
    /// What comes is thrown away, so that the client gets to read its answer.
    case discarding
    /// The client sends nothing more.
    case ended
  }

  /// The limits that the configuration sets.
  package struct Settings: Sendable {
    /// The longest body.
    package var maximumBodyBytes = Limits.bodyBytes
    /// How much of a body must arrive between two fires of its timer.
    package var minimalBodyBytesPerPeriod = 0

    package init() {}
  }

  let settings: Settings
  var phase = Phase.idle
  var reading = Reading.head
  var parser = HTTPHeadParser()
  /// Bytes that nothing was made of yet.
  var pending: [UInt8] = []
  /// The request that is being answered.
  var answer: Answer?
  /// Whether the connection ends with the response that is being written.
  var closesAfterAnswer = false
  /// Whether the server is shutting down.
  var isDraining = false

  var bodyBytes = 0
  var queuedBodyBytes = 0
  var bodyBytesOfPeriod = 0
  var discardedBytes = 0

  private var armedTimer: Timer?
  private var isReading = true

  /// A connection that was just made.
  package init(settings: Settings) {
    self.settings = settings
  }

  /// The first actions.
  package mutating func start() -> [Action] {
    var actions: [Action] = []
    settle(&actions)
    return actions
  }

  /// Whether a request is being answered or its bytes are on their way.
  package var isBusy: Bool { phase != .idle || !pending.isEmpty }

  /// Whether it waits for `flushed()`.
  package var isFlushing: Bool { phase == .flushing }

  /// Adds what follows from the state rather than from the event, and checks what must hold of it.
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

  /// A timer that has fired is to be armed again where it is still wanted.
  mutating func forgetTimer() { armedTimer = nil }

  private var wantedTimer: Timer? {
    switch phase {
    case .idle: pending.isEmpty ? .idle : .head
    case .answering: awaitsBody ? .body : nil
    case .lingering: .linger
    case .flushing, .closed: nil
    }
  }

  /// Whether the next bytes of a body are the client's to send: a client who waits for us is not
  /// slow.
  private var awaitsBody: Bool {
    guard case .body = reading, answer?.owesContinue == false else { return false }
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
      (answer != nil) == (phase == .answering), "Somebody answers while answering, and only then.")
    assert(phase != .idle || isReadingHead, "Only heads are read while nobody answers.")
    assert(
      pending.count <= Limits.headBytes + Limits.readBytes, "No more than a head and a read wait.")
    assert(queuedBodyBytes >= 0, "No more of a body is taken than came.")
  }

  private var isReadingHead: Bool {
    if case .head = reading { true } else { false }
  }
}
