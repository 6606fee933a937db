import CloudRecords
import Cryptography
import Dispatch
import Synchronization

/// Computes the hashes of passwords, which are slow and large on purpose, beside the threads that
/// answer requests.
///
/// Two at a time and a bounded number that wait: a crowd that signs in costs neither more than
/// twice the memory of a hash nor anybody else's patience.
final class PasswordWorker: Sendable {
  /// The most hashes that wait or are computed: at 80 milliseconds each, the last waits some three
  /// seconds.
  static let maximumWaiting = 64

  private let queues = (0..<2).map { DispatchQueue(label: "parhelion.passwords.\($0)") }
  private let waiting = Mutex(0)
  private let computed = Atomic(0)

  let cost: PasswordHash.Cost

  init(cost: PasswordHash.Cost) { self.cost = cost }

  /// Whether the system has the memory for one hash.
  var isPossible: Bool { PasswordHash(of: [], cost: cost) != nil }

  /// How many hashes were computed.
  var count: Int { computed.load(ordering: .relaxed) }

  func hash(of password: [UInt8]) async throws(CloudError) -> PasswordHash {
    let cost = cost
    let hash = try await compute { PasswordHash(of: password, cost: cost) }
    guard let hash else { throw Self.busy }
    return hash
  }

  /// Whether a password is the one that a hash was made of; without a hash it is not, and a hash is
  /// computed nevertheless, which takes as long.
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
    let place = waiting.withLock { waiting -> Int? in
      guard waiting < Self.maximumWaiting else { return nil }
      waiting += 1
      return waiting
    }
    guard let place else { throw Self.busy }
    defer { waiting.withLock { $0 -= 1 } }
    computed.add(1, ordering: .relaxed)
    return await withCheckedContinuation { continuation in
      queues[place % queues.count].async { continuation.resume(returning: body()) }
    }
  }

  private static var busy: CloudError {
    CloudError(
      .throttled, "Too many people sign in at the moment. Wait, and try again.",
      retryAfterSeconds: 5)
  }
}
