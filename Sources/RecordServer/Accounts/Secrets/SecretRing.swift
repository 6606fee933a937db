import BinaryCoding
import CloudRecords
import Synchronization

/// The current signing secret and former ones whose signatures are still valid.
package struct SecretRing: Hashable, Sendable {
  /// A secret that was replaced.
  struct PreviousSecret: Hashable, Sendable {
    var bytes: [UInt8]
    /// The end of its signatures' validity.
    var until: Timestamp
  }

  let current: [UInt8]
  /// Newest first.
  private(set) var former: [PreviousSecret] = []

  /// The maximum number of former secrets, since an invalid signature is tried with each of them.
  static let maximumFormer = 8

  init(current: [UInt8]) { self.current = current }

  /// The secrets whose signatures are valid, the current one first.
  func valid(at now: Timestamp) -> [[UInt8]] {
    [current] + former.filter { now < $0.until }.map(\.bytes)
  }

  /// Returns the ring with a new current secret.
  ///
  /// - Parameter graceSeconds: How long signatures of the former secrets stay valid; zero
  ///   invalidates them.
  func renewed(by fresh: [UInt8], at now: Timestamp, graceSeconds: Int64) -> SecretRing {
    var ring = SecretRing(current: fresh)
    guard graceSeconds > 0 else { return ring }
    let latest = PreviousSecret(bytes: current, until: now.adding(seconds: graceSeconds))
    ring.former = Array(([latest] + former.filter { now < $0.until }).prefix(Self.maximumFormer))
    return ring
  }
}

// MARK: - Stored encoding

extension SecretRing {
  private static let version: UInt8 = 1

  var form: [UInt8] {
    var form = BinaryWriter(capacity: 64)
    form.byte(Self.version)
    form.data(current)
    form.count(former.count)
    for one in former {
      form.data(one.bytes)
      form.signed(one.until.milliseconds)
    }
    return form.bytes
  }

  /// Decodes a ring.
  init(form bytes: [UInt8]) throws {
    var form = BinaryReader(bytes)
    guard try form.byte() == Self.version else {
      throw form.error("an unknown form of a ring of secrets")
    }
    self.init(current: try form.data())
    for _ in 0..<(try form.count()) {
      former.append(
        PreviousSecret(bytes: try form.data(), until: Timestamp(milliseconds: try form.signed())))
    }
    guard form.isAtEnd,
      ([current] + former.map(\.bytes)).allSatisfy({ $0.count == Secret.byteCount })
    else {
      throw form.error("secrets of another length")
    }
  }
}

/// The ring that this process has loaded.
///
/// Another process may renew it.
final class KnownSecrets: Sendable {
  private let ring: Mutex<SecretRing>

  init(_ ring: SecretRing) { self.ring = Mutex(ring) }

  var current: [UInt8] { ring.withLock { $0.current } }

  func valid(at now: Timestamp) -> [[UInt8]] { ring.withLock { $0.valid(at: now) } }

  func learn(_ new: SecretRing) { ring.withLock { $0 = new } }
}
