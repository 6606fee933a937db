/// Merges the ring on the server and the ring on a device of the owner.
struct RingMerge {
  let scope: KeyScope
  let owner: PublicIdentity
  /// The marks of the scope's rings, from all of the user's devices.
  let marks: RingMarks

  /// Returns the ring to use; nil if there is none.
  ///
  /// Keys of an outdated ring open values, and seal none.
  ///
  /// - Parameters:
  ///   - isThere: Whether the server has a bag, readable or not.
  ///   - makesFirst: Whether to create a ring if there is none.
  func ring(
    remote: KeyRing?, kept: KeyRing?, isThere: Bool, makesFirst: Bool, _ randomBytes: RandomBytes
  ) -> KeyRing? {
    let outdated = [remote, kept].compactMap(\.self).filter(marks.isOutdated)
    let ring: KeyRing? =
      switch (present(remote), present(kept)) {
      case (let remote?, let kept?):
        kept.isLater(than: remote) ? kept.merging(keysOf: remote) : remote.merging(keysOf: kept)
      case (let remote?, nil): remote
      // A damaged bag is rewritten for the same recipients. A missing one was deleted with its zone
      // and shares.
      case (nil, let kept?): isThere ? kept : kept.withRecipients([owner], randomBytes)
      case (nil, nil):
        makesFirst || !outdated.isEmpty
          ? KeyRing(scope: scope, owner: owner, randomBytes: randomBytes) : nil
      }
    return outdated.reduce(ring) { $0?.merging(keysOf: $1) }
  }

  private func present(_ ring: KeyRing?) -> KeyRing? {
    ring.flatMap { marks.isOutdated($0) ? nil : $0 }
  }
}
