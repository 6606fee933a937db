/// The users who may read the zones of shares, and the texts that each may know.
///
/// The server's list of participants is not enough: a user whom the owner has removed may receive
/// nothing new, whatever the server says.
package struct AccessTable {
  /// A zone of a share, by the account of its owner.
  package struct Zone: Hashable, Comparable {
    package let owner: String
    package let name: String

    package init(owner: String, name: String) { (self.owner, self.name) = (owner, name) }

    package static func < (one: Self, other: Self) -> Bool {
      (one.owner, one.name) < (other.owner, other.name)
    }
  }

  /// The participants of a share, and whether each may write.
  package typealias Participants = [String: Bool]

  private var participants: [Zone: Participants] = [:]
  private var removed: [Zone: Set<String>] = [:]
  private var left: [Zone: Set<String>] = [:]
  /// The texts that each user has written, or was allowed to read at some time.
  private var known: [String: Set<String>] = [:]

  package init() {}

  // MARK: Acts of users

  /// Records that an owner removed a participant, and that the removal was saved.
  package mutating func remove(_ user: String, from zone: Zone) {
    removed[zone, default: []].insert(user)
  }

  /// Records that a participant left, and that this was saved.
  package mutating func leave(_ zone: Zone, by user: String) {
    left[zone, default: []].insert(user)
  }

  /// Records that an owner is about to admit a user; the request may not arrive.
  package mutating func admit(_ user: String, to zone: Zone) { removed[zone]?.remove(user) }

  /// Records that a user is about to join again; the server may reject the user, or the request may
  /// not arrive.
  package mutating func join(_ zone: Zone, by user: String) { left[zone]?.remove(user) }

  /// Records that a user wrote a text.
  package mutating func write(_ text: String, by user: String) {
    known[user, default: []].insert(text)
  }

  // MARK: The server

  /// Replaces the known shares of an owner.
  package mutating func observe(_ shares: [String: Participants], of owner: String) {
    participants = participants.filter { $0.key.owner != owner }
    for (zone, users) in shares { participants[Zone(owner: owner, name: zone)] = users }
  }

  /// Records that a zone has texts.
  package mutating func observe(_ texts: Set<String>, in zone: Zone) {
    known[zone.owner, default: []].formUnion(texts)
    for user in readers(of: zone) { known[user, default: []].formUnion(texts) }
  }

  /// The users who may read a zone, besides its owner.
  package func readers(of zone: Zone) -> Set<String> {
    Set(participants[zone, default: [:]].keys).subtracting(removed[zone, default: []])
      .subtracting(left[zone, default: []])
  }

  /// Whether a user may write in a zone.
  package func mayWrite(_ user: String, in zone: Zone) -> Bool {
    zone.owner == user || participants[zone]?[user] == true
  }

  /// The zones of others that a user may read.
  package func zones(of user: String) -> Set<Zone> {
    Set(participants.keys.filter { readers(of: $0).contains(user) })
  }

  // MARK: Checking

  /// The received texts that a device's user was never allowed to read.
  package func unknown(_ received: Set<String>, to user: String) -> [String] {
    received.subtracting(known[user, default: []]).sorted()
  }
}
