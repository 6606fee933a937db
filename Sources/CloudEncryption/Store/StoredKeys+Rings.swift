import CloudRecords

/// The rings of zones and shares on this device.
extension StoredKeys {
  /// The marks of a scope's rings, from all of the user's devices.
  func marks(of scope: KeyScope) -> RingMarks { state.marks[scope] ?? RingMarks() }

  /// The given keys that no ring contains.
  func missing(_ references: Set<KeyReference>) -> [KeyReference] {
    references.filter { rings[$0.scope]?.key($0.key) == nil }
  }

  /// Stores a ring, or its keys if there is a later one.
  ///
  /// - Returns: False if the ring was already stored.
  mutating func keepRing(_ ring: KeyRing) -> Bool {
    let (kept, scope) = (rings[ring.scope], ring.scope)
    if let kept, kept.hasSameContents(as: ring), kept.epoch == ring.epoch,
      marks(of: scope).epoch(of: ring) >= ring.epoch
    {
      return false
    }
    state.marks[scope, default: RingMarks()].note(ring)
    if let kept, kept.isLater(than: ring) {
      rings[scope] = kept.merging(keysOf: ring)
    } else {
      rings[scope] = ring
    }
    return true
  }

  /// Removes the rings of a zone that was deleted.
  ///
  /// - Parameter isOwn: Whether the zone belongs to the user, so that its rings have ended. If
  ///   another owner shares the zone with this user again, its ring is still valid.
  mutating func forget(_ zone: RecordZoneIdentifier, isOwn: Bool) {
    rings = rings.filter { $0.key.zone != zone }
    scopesToReseal = scopesToReseal.filter { $0.zone != zone }
    keyRequests = keyRequests.filter { $0.key.zone != zone }
    for scope in state.marks.keys where isOwn && scope.zone == zone {
      state.marks[scope]?.end()
      isStateUnsent = true
    }
  }
}
