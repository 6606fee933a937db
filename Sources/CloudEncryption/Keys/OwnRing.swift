import CloudRecords

/// The server's bag of a ring that belongs to the user.
enum OwnRing {
  case none
  case ring(KeyRing)
  /// The bag is not signed by this device's keys.
  case untrusted(EncryptionError)

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
      self = .untrusted(error)
    }
  }

  var isUntrusted: Bool { if case .untrusted = self { true } else { false } }

  /// The server's ring, or nil for an untrusted bag that this device can replace.
  func ring(isKept: Bool) throws(EncryptionError) -> KeyRing? {
    switch self {
    case .none: return nil
    case .ring(let ring): return ring
    case .untrusted(let error):
      if isKept { return nil }
      throw error
    }
  }
}
