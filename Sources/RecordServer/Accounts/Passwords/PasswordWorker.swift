import CloudRecords
import Cryptography
import Dispatch
import Synchronization

/// Computes password hashes outside the threads that serve requests.
///
/// A password hash needs much time and memory on purpose. Two hashes are computed at a time, and a
/// bounded number waits. So many concurrent sign-ins neither exhaust memory nor delay other
/// requests.
final class PasswordWorker: Sendable {
  /// The maximum number of pending hashes: two at a time, each in 80 milliseconds, the last one
  /// waits some three seconds.
  static let maximumWaiting = 64

  private let queues = (0..<2).map { DispatchQueue(label: "parhelion.passwords.\($0)") }
  private let waiting = Mutex(0)
  private let computed = Atomic(0)

  let cost: PasswordHash.Cost

  init(cost: PasswordHash.Cost) { self.cost = cost }

  /// Whether the system has enough memory for one hash.
  var isPossible: Bool { PasswordHash(of: [], cost: cost) != nil }

  /// The number of hashes computed.
  var count: Int { computed.load(ordering: .relaxed) }

  func hash(of password: [UInt8]) async throws(CloudError) -> PasswordHash {
    let cost = cost
    let hash = try await compute { PasswordHash(of: password, cost: cost) }
    guard let hash else { throw Self.busy }
    return hash
  }

  /// Verifies a password against a hash.
  ///
  /// Without a hash it computes one anyway and returns false, so that the duration does not reveal
  /// whether the account exists.
  func verify(_ password: [UInt8], _ hash: PasswordHash?) async throws(CloudError) -> Bool {
    let cost = cost
    return try await compute {
      guard let hash else {
        _ = PasswordHash(of: password, cost: cost)
        return false
      }
      return hash.verifies(password)
    }
  }

  private func compute<Result: Sendable>(_ body: @escaping @Sendable () -> Result)
    async throws(CloudError) -> Result
  {
    let hasRoom = waiting.withLock { waiting in
      guard waiting < Self.maximumWaiting else { return false }
      waiting += 1
      return true
    }
    guard hasRoom else { throw Self.busy }
    defer { waiting.withLock { $0 -= 1 } }
    // The hashes alternate between the queues, however many wait.
    let number = computed.add(1, ordering: .relaxed).newValue
    return await withCheckedContinuation { continuation in
      queues[number % queues.count].async { continuation.resume(returning: body()) }
    }
  }

  private static var busy: CloudError {
    CloudError(
      .throttled, "Too many people sign in at the moment. Wait, and try again.",
      retryAfterSeconds: 5)
  }
}
