/// A program's decisions about the people of a zone or share.
package struct ShareDecisions: Hashable, Sendable {
  /// Whether people may write.
  package struct Permission: Hashable, Sendable {
    /// Nil for people who have the permission of everyone with the link, and for everyone if only
    /// invited people may join.
    package let mayWrite: Bool?

    package init(mayWrite: Bool?) { self.mayWrite = mayWrite }
  }

  /// The people whom the program invited, or gave another permission.
  package var people: [String: Permission] = [:]
  package var removed: Set<String> = []
  /// Whether a person manages others, for each person whose role the program changed.
  package var roles: [String: Bool] = [:]
  /// The permission of everyone with the link; nil for no decision.
  package var everyone: Permission?
  /// Whether an administrator, not the user, decided.
  private(set) var areByAdministrator = false

  /// - Parameters:
  ///   - writers: People who may read and write.
  ///   - readers: People who may only read.
  ///   - admitted: People who have the permission of everyone with the link.
  ///   - administrators: People who manage others.
  package init(
    inviting writers: Set<String> = [], toRead readers: Set<String> = [],
    admitting admitted: Set<String> = [], removing removed: Set<String> = [],
    administrators: Set<String> = []
  ) {
    for user in administrators { roles[user] = true }
    for user in admitted { people[user] = Permission(mayWrite: nil) }
    for user in readers { people[user] = Permission(mayWrite: false) }
    for user in writers { people[user] = Permission(mayWrite: true) }
    self.removed = removed
  }

  /// The people about whom the program decided.
  var users: Set<String> { removed.union(people.keys) }

  package var isEmpty: Bool {
    people.isEmpty && removed.isEmpty && roles.isEmpty && everyone == nil
  }

  /// The people who may only read after these decisions.
  func readers(after former: Set<String>) -> Set<String> {
    people.reduce(into: former) { readers, decision in
      if decision.value.mayWrite == false {
        readers.insert(decision.key)
      } else {
        readers.remove(decision.key)
      }
    }
  }

  /// Returns the ring with the invited people and without the removed ones.
  ///
  /// - Parameter invited: The public keys of the invited people who may receive the ring's keys.
  func applied(
    to ring: KeyRing, inviting invited: [PublicIdentity], _ randomBytes: RandomBytes
  ) -> KeyRing {
    let names = removed.union(invited.map(\.userRecordName))
    let kept = ring.recipients.filter { !names.contains($0.userRecordName) }
    return ring.withRecipients(
      kept + invited, readers: readers(after: ring.writers.readers), randomBytes)
  }

  /// The decisions of an administrator who has changed a ring.
  init(of former: KeyRing, to ring: KeyRing) {
    let (before, after) = (
      Set(former.recipients.map(\.userRecordName)), Set(ring.recipients.map(\.userRecordName))
    )
    self.init(removing: before.subtracting(after))
    areByAdministrator = true
    let (formerReaders, readers) = (former.writers.readers, ring.writers.readers)
    for user in after
    where !before.contains(user) || formerReaders.contains(user) != readers.contains(user) {
      people[user] = Permission(mayWrite: !readers.contains(user))
    }
  }
}
