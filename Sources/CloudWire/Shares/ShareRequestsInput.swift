package import CloudRecords
import JSONCoding

/// A client's changes to a share's access requests.
///
/// Missing members change nothing.
///
/// Records of Apple's servers have the members `denyAccessRequests`, `requesters` and `blocked`,
/// whose values are not documented, so their form is Parhelion's. `deniedRequesters` is an
/// addition: with it a client names the users that it rejects, so users who request access
/// meanwhile are not rejected.
package struct ShareRequestsInput: Hashable, Sendable {
  package var areAllowed: Bool?
  package var denied: [UserIdentity] = []
  package var blocked: [UserIdentity]?

  package init() {}
}

/// The keys of a user in a list.
private enum PersonKey: String, JSONKey {
  case userIdentity
  static let table = JSONKeyTable<PersonKey>()
}

extension JSONReader {
  /// Reads a list of users, or nil for `null`.
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

  /// Reads whether access requests are allowed.
  ///
  /// The JSON member has the opposite meaning.
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

  /// Writes the access requests in a request.
  mutating func requests(_ requests: ShareRequestsInput) {
    if let areAllowed = requests.areAllowed { bool("denyAccessRequests", !areAllowed) }
    if !requests.denied.isEmpty { people("deniedRequesters", requests.denied) }
    if let blocked = requests.blocked { people("blocked", blocked) }
  }

  /// Writes the access requests in a response.
  mutating func requests(_ requests: ShareRequests) {
    guard !requests.isEmpty else { return }
    bool("denyAccessRequests", !requests.areAllowed)
    people("requesters", requests.requesters)
    people("blocked", requests.blocked)
  }
}
