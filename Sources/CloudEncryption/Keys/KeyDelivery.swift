/// The result of sealing keys to participants.
package struct KeyDelivery: Hashable, Sendable {
  /// The users other than the owner who can open newly sealed values, in order.
  package var recipients: [String]
  /// Users without public keys, because they never used encryption; retry later.
  ///
  /// Unknown users with an unreadable public key bag are included.
  package var waiting: [String]
  /// Users whose public key differs from the one that this device trusts, or is unreadable now.
  ///
  /// Compare safety numbers before trusting the new key.
  package var changed: [String]
  /// Participants whom no device of the user invited, so that they get no keys.
  package var uninvited: [String]
  /// Invited participants whose safety numbers the user has to confirm first, by the policy.
  package var unverified: [String]
  /// Whether a user lost access.
  ///
  /// Existing records should then be resealed (`needsResealing`).
  package var isRotated: Bool

  /// The users who wait for an invitation or a confirmation.
  var requests: Set<String> { Set(uninvited + unverified) }
}

/// Users, grouped by what this device knows of their keys.
struct TrustedPeople {
  var known: [PublicIdentity] = []
  /// Users without keys, and unknown users with an unreadable bag.
  var waiting: [String] = []
  /// Users for whom the server shows other keys than the trusted ones, or an unreadable bag.
  var changed: [String] = []
  /// Users who get no keys before the user has confirmed their safety numbers.
  var unverified: [String] = []
}

extension TrustedPeople {
  /// - Parameters:
  ///   - offered: The keys that the server shows for each of the users, or the error of an
  ///     unreadable bag.
  ///   - known: The trusted keys.
  init(
    _ users: [String], offered: [Result<PublicIdentity?, EncryptionError>],
    known people: [String: KnownPerson]
  ) {
    for (user, result) in zip(users, offered) {
      switch result {
      case .success(let identity?) where people[user]?.identity == identity:
        known.append(identity)
      case .success(nil): waiting.append(user)
      // A person may store any bytes as their own keys. That must not stop the others.
      case .failure where people[user] == nil: waiting.append(user)
      case .success, .failure: changed.append(user)
      }
    }
  }

  /// Returns the people after moving unverified ones to `unverified`; nil requires nothing.
  func requiring(_ verified: Set<PublicIdentity>?) -> TrustedPeople {
    guard let verified else { return self }
    var people = self
    people.known = known.filter(verified.contains)
    people.unverified = known.filter { !verified.contains($0) }.map(\.userRecordName)
    return people
  }
}

/// Chooses the recipients of a ring.
struct DeliveryPlan {
  let owner: PublicIdentity
  /// The participants that the server names, without the owner.
  let guests: Set<String>
  let intents: Intents
  /// The invited guests.
  let people: TrustedPeople
  /// The identities that may receive the ring's keys; nil if all trusted ones may.
  let verified: Set<PublicIdentity>?

  func recipients(of ring: KeyRing) -> [PublicIdentity] {
    [owner] + people.known + kept(in: ring)
  }

  /// The recipients who may only read.
  ///
  /// If no device has decided about a person, the person's permission in the ring stays.
  func readers(in ring: KeyRing) -> Set<String> {
    Set(
      recipients(of: ring).map(\.userRecordName).filter {
        intents.mayWrite($0).map { !$0 } ?? ring.writers.readers.contains($0)
      })
  }

  /// Returns a ring for the recipients, with those of the given administrators that are confirmed.
  ///
  /// A decision of the user's devices confirms an administrator; without one, the role in the ring
  /// does.
  func ring(
    from ring: KeyRing, administrators: Set<String>?, _ randomBytes: RandomBytes
  ) -> KeyRing {
    let wanted = ring.withRecipients(
      recipients(of: ring), readers: readers(in: ring), randomBytes)
    guard let administrators else { return wanted }
    let present = Set(ring.administrators.map(\.userRecordName))
    return wanted.withAdministrators(
      administrators.filter { intents.isAdministrator($0) ?? present.contains($0) })
  }

  /// The recipients that do not change.
  ///
  /// Users with untrusted keys, or without keys now, keep the ring's keys that were sealed to their
  /// previous keys. So do users whom another device of the owner invited.
  private func kept(in ring: KeyRing) -> [PublicIdentity] {
    ring.recipients.filter { recipient in
      let user = recipient.userRecordName
      return guests.contains(user) && intents.isWanted(user) != false
        && !people.known.contains { $0.userRecordName == user }
        && verified?.contains(recipient) != false
    }
  }

  func delivery(of ring: KeyRing?, isRotated: Bool) -> KeyDelivery {
    let recipients = Set((ring?.recipients ?? []).map(\.userRecordName))
    let uninvited = guests.filter { intents.isWanted($0) != true }.subtracting(recipients)
    return KeyDelivery(
      recipients: recipients.subtracting(people.changed + [owner.userRecordName]).sorted(),
      waiting: people.waiting, changed: people.changed, uninvited: uninvited.sorted(),
      unverified: people.unverified, isRotated: isRotated)
  }
}
