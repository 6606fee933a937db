import CloudRecords

/// The server's bag of a ring that belongs to the user.
enum OwnRing {
  case none
  case ring(KeyRing)
  /// The bag cannot be used.
  ///
  /// If participants accept the bag although its owner cannot open it, the epoch is the bag's;
  /// otherwise it is 0.
  case untrusted(EncryptionError, epoch: Int64)

  init(
    _ bag: [UInt8]?, _ scope: KeyScope, _ container: ContainerAddress, _ keys: UserKeys
  ) {
    guard let bag else {
      self = .none
      return
    }
    do throws(EncryptionError) {
      self = .ring(
        try KeyRingBag.ring(
          of: bag, scope: scope, in: container, owner: keys.identity, reader: keys))
    } catch {
      self = .untrusted(
        error,
        epoch: KeyRingBag.signedEpoch(of: bag, scope: scope, in: container, owner: keys.identity)
          ?? 0)
    }
  }

  var isUntrusted: Bool { if case .untrusted = self { true } else { false } }

  /// The epoch that the owner's next write has to exceed.
  var epoch: Int64 {
    switch self {
    case .none: 0
    case .ring(let ring): ring.epoch
    case .untrusted(_, let epoch): epoch
    }
  }

  /// Returns the server's ring; nil if there is no bag, or if this device can replace it.
  ///
  /// - Parameter isKept: Whether this device has a ring to replace an untrusted bag.
  /// - Throws: The error of an untrusted bag that this device cannot replace.
  func ring(isKept: Bool) throws(EncryptionError) -> KeyRing? {
    switch self {
    case .none: return nil
    case .ring(let ring): return ring
    case .untrusted(let error, _):
      if isKept { return nil }
      throw error
    }
  }
}
