internal import Synchronization

/// What lies between a device and a test's cloud, and what goes wrong there.
///
///     device.network.inject(.lostAnswer)                     // for the next request
///     device.network.injectAtRandom([.lostRequest, .repeated], probability: 0.1, seed: 7)
///     device.network.isOnline = false
///
/// What passes by itself the device asks for again, up to four times, and moves the cloud's clock
/// by the pauses between: one fault for a request may never be seen by the program. Whoever is
/// delayed or gets no answer waits until the test moves the clock
/// (`TestClock.untilSomebodyWaits()`).
///
/// Parhelion's addition.
public final class TestNetwork: Sendable {
  /// What happens to one request.
  public enum Fault: Hashable, Sendable {
    /// There is no network.
    case noNetwork
    /// The connection breaks before the request arrives.
    case lostRequest
    /// The connection breaks when the server has done what it was asked, and no answer comes.
    case lostAnswer
    /// The connection breaks within the answer, behind so many bytes of it.
    case cutAnswer(afterBytes: Int)
    /// One byte of the answer is another.
    case damagedAnswer
    /// The request arrives twice, and the second answer is what comes.
    case repeatedRequest
    /// The request arrives when the cloud's clock has moved by so much.
    case delayedRequest(Duration)
    /// Nothing comes, until the limit of time that the request has is over by the cloud's clock.
    case silence
    /// Somebody without the server's certificate answers the connection.
    case wrongCertificate
    /// A network that wants people to sign in answers with a page of its own.
    case captivePortal
    /// The server says that it cannot answer now, with the seconds after which it may.
    case unavailable(retryAfterSeconds: Int?)
  }

  private struct State {
    var plan = FaultPlan()
    var isOnline = true
    var requestCount = 0
  }

  private let state = Mutex(State())

  init() {}

  /// Whether there is a network at all.
  public var isOnline: Bool {
    get { state.withLock(\.isOnline) }
    set { state.withLock { $0.isOnline = newValue } }
  }

  /// How many requests the device has made, whatever became of them.
  public var requestCount: Int { state.withLock(\.requestCount) }

  /// Lets the next requests fail, each by one fault in turn; nil is for a request that nothing
  /// happens to.
  public func inject(_ faults: Fault?...) { state.withLock { $0.plan.script += faults } }

  /// Lets requests fail by chance, beside those that `inject` has named.
  ///
  /// - Parameters:
  ///   - faults: The faults to choose from.
  ///   - probability: How likely each request is to fail, from 0 to 1.
  ///   - seed: Decides everything: the same seed gives the same faults for the same requests.
  public func injectAtRandom(_ faults: [Fault], probability: Double, seed: UInt64) {
    state.withLock {
      $0.plan.chance = FaultPlan.Chance(faults: faults, probability: probability, seed: seed)
    }
  }

  /// Takes all faults back.
  public func heal() {
    state.withLock { state in
      state.plan = FaultPlan()
      state.isOnline = true
    }
  }

  /// What happens to a request that is made now.
  func next() -> Fault? {
    state.withLock { state in
      state.requestCount += 1
      return state.isOnline ? state.plan.next() : .noNetwork
    }
  }
}
