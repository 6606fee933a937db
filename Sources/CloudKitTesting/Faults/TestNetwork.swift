internal import Synchronization

/// The network between a device and a test cloud, with injected faults.
///
///     device.network.inject(.lostResponse)                     // for the next request
///     device.network.injectAtRandom([.lostRequest, .repeatedRequest], probability: 0.1, seed: 7)
///     device.network.isOnline = false
///
/// After temporary failures, the device makes up to four attempts and moves the cloud's clock by
/// the back-off. So the program may never notice a single fault. A delayed or unanswered request
/// waits until the test moves the clock (``waitForHeldRequest()``).
///
/// Parhelion's addition.
public final class TestNetwork: Sendable {
  /// The fault of one request.
  public enum Fault: Hashable, Sendable {
    /// There is no network connection.
    case noNetwork
    /// The connection breaks before the request arrives.
    case lostRequest
    /// The connection breaks after the server has performed the request, before any response.
    case lostResponse
    /// The connection breaks within the response, after a number of bytes.
    case cutResponse(afterBytes: Int)
    /// One byte of the response is changed.
    case damagedResponse
    /// The request arrives twice, and the client receives the second response.
    case repeatedRequest
    /// The request arrives after the cloud's clock has moved by a duration.
    case delayedRequest(Duration)
    /// No response arrives before the request times out by the cloud's clock.
    case silence
    /// A host without the server's certificate answers.
    case wrongCertificate
    /// A captive portal answers with its sign-in page.
    case captivePortal
    /// The server responds that it is unavailable, optionally with the seconds until a retry.
    case unavailable(retryAfterSeconds: Int?)
  }

  private struct State {
    var plan = FaultPlan()
    var isOnline = true
    var requestCount = 0
    /// Breaks each open stream, by its number.
    var streams: [Int: @Sendable () -> Void] = [:]
    var lastStream = 0
  }

  private let state = Mutex(State())
  private let clock: TestClock

  init(clock: TestClock) { self.clock = clock }

  /// Whether the device has a network connection.
  ///
  /// Without one, new requests fail, and the connection for notifications breaks.
  public var isOnline: Bool {
    get { state.withLock(\.isOnline) }
    set {
      let broken = state.withLock { state -> [@Sendable () -> Void] in
        state.isOnline = newValue
        guard !newValue else { return [] }
        defer { state.streams = [:] }
        return Array(state.streams.values)
      }
      for end in broken { end() }
    }
  }

  /// The number of requests that the device has made, with and without faults.
  public var requestCount: Int { state.withLock(\.requestCount) }

  /// Injects one fault into each of the next requests, in order.
  ///
  /// A nil injects no fault into its request.
  public func inject(_ faults: Fault?...) { state.withLock { $0.plan.script += faults } }

  /// Injects random faults into the requests after those that `inject` covers.
  ///
  /// - Parameters:
  ///   - faults: The faults to choose from.
  ///   - probability: The probability of a fault for each request, from 0 to 1.
  ///   - seed: Determines the faults: the same seed gives the same faults for the same requests.
  public func injectAtRandom(_ faults: [Fault], probability: Double, seed: UInt64) {
    state.withLock {
      $0.plan.chance = FaultPlan.Chance(faults: faults, probability: probability, seed: seed)
    }
  }

  /// Returns when a request of the device is delayed or unanswered, or when the task is cancelled.
  ///
  /// `TestCloud.advance(by:)` then lets the request go on or time out.
  public func waitForHeldRequest() async { await clock.waitForWaiter(heldBy: self) }

  /// Removes all faults and restores the connection.
  public func heal() {
    state.withLock { state in
      state.plan = FaultPlan()
      state.isOnline = true
    }
  }

  /// Counts a request that is sent now, and returns its fault.
  func next() -> Fault? {
    state.withLock { state in
      state.requestCount += 1
      return state.isOnline ? state.plan.next() : .noNetwork
    }
  }

  /// Adds an open stream.
  ///
  /// - Parameter end: Breaks the stream. It is called when the device goes offline.
  /// - Returns: The number of the stream, for its removal.
  func addStream(_ end: @escaping @Sendable () -> Void) -> Int {
    let (number, isOnline) = state.withLock { state in
      state.lastStream += 1
      if state.isOnline { state.streams[state.lastStream] = end }
      return (state.lastStream, state.isOnline)
    }
    if !isOnline { end() }
    return number
  }

  func removeStream(_ number: Int) {
    _ = state.withLock { $0.streams.removeValue(forKey: number) }
  }
}
