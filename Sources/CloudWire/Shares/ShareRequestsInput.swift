package import CloudRecords
import JSONCoding

/// What a client says of people who were not invited to a share: what it leaves out stays as it is.
///
/// Records of Apple's servers have members of these names (`denyAccessRequests`, `requesters`,
/// `blocked`); the form of their values is not documented, and Parhelion's own. So is
/// `deniedRequesters`, by which a client says whom it refuses: who asks meanwhile is not refused
/// with them.
package struct ShareRequestsInput: Hashable, Sendable {
  package var areAllowed: Bool?
  package var denied: [UserIdentity] = []
  package var blocked: [UserIdentity]?

  package init() {}
}

/// Somebody in a list of people.
private enum PersonKey: String, JSONKey {
  case userIdentity
  static let table = JSONKeyTable<PersonKey>()
}

extension JSONReader {
  /// Takes a list of people; nil where the document says `null`.
  mutating func people() throws(JSONError) -> [UserIdentity]? {
    try optional { (reader) throws(JSONError) in
      try reader.list(most: Limits.itemsOfRequest) { (reader) throws(JSONError) in
        var identity: UserIdentity?
        var object = try reader.beginObject(PersonKey.self)
        while try reader.nextKey(of: &object) != nil { identity = try UserIdentity(from: &reader) }
        guard let identity else { throw reader.missingKey(PersonKey.userIdentity) }
        return identity
      }
    }
  }

  /// Takes whether people may ask, which the document says the other way round.
  mutating func areRequestsAllowed() throws(JSONError) -> Bool? { try optionalBool().map { !$0 } }
}

extension JSONWriter {
  mutating func people(_ key: StaticString, _ people: [UserIdentity]) {
    self.key(key)
    beginArray()
    for identity in people {
      beginObject()
      self.key("userIdentity")
      self.identity(identity)
      endObject()
    }
    endArray()
  }

  /// What a request says of people who were not invited.
  mutating func requests(_ requests: ShareRequestsInput) {
    if let areAllowed = requests.areAllowed { bool("denyAccessRequests", !areAllowed) }
    if !requests.denied.isEmpty { people("deniedRequesters", requests.denied) }
    if let blocked = requests.blocked { people("blocked", blocked) }
  }

  /// What an answer says of them.
  mutating func requests(_ requests: ShareRequests) {
    guard !requests.isEmpty else { return }
    bool("denyAccessRequests", !requests.areAllowed)
    people("requesters", requests.requesters)
    people("blocked", requests.blocked)
  }
}
