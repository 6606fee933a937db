package import CloudRecords
package import JSONCoding

/// `users/discover` and the older lookups: finds users by address, phone number or record name.
package struct UsersDiscoverRequest: DatabaseRequest, Hashable {
  package typealias Response = UsersResponse
  package static let endpoint = Endpoint.usersDiscover

  package var wanted: [UserIdentity.LookupInfo]

  private enum Key: String, JSONKey {
    case lookupInfos, users
    static let table = JSONKeyTable<Key>()
  }

  package init(wanted: [UserIdentity.LookupInfo] = []) { self.wanted = wanted }

  package init(from reader: inout JSONReader) throws(JSONError) {
    self.init()
    var object = try reader.beginObject(Key.self)
    while try reader.nextKey(of: &object) != nil {
      wanted += try reader.lenientList(most: Limits.itemsOfRequest) { (reader) throws(JSONError) in
        try UserIdentity.LookupInfo?(from: &reader)
      }
      .compactMap(\.self)
    }
  }

  package func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.key("lookupInfos")
    writer.beginArray()
    for info in wanted { writer.lookupInfo(info) }
    writer.endArray()
    writer.endObject()
  }
}

/// `users/caller`: fetches the caller.
///
/// The body is ignored.
package struct UsersCallerRequest: DatabaseRequest, Hashable {
  package typealias Response = UsersResponse
  package static let endpoint = Endpoint.usersCaller
  package static let hasBody = false

  package init() {}

  package init(from reader: inout JSONReader) throws(JSONError) { try reader.skip() }

  package func write(to writer: inout JSONWriter) { writer.emptyObject() }
}

/// `users/discover` without a body: finds the users in the caller's address book.
///
/// A server without address books, such as Parhelion's, finds no users.
package struct UsersDiscoverAllRequest: DatabaseRequest, Hashable {
  package typealias Response = UsersResponse
  package static let endpoint = Endpoint.usersDiscover
  package static let hasBody = false

  package init() {}

  package init(from reader: inout JSONReader) throws(JSONError) { try reader.skip() }

  package func write(to writer: inout JSONWriter) { writer.emptyObject() }
}

/// `users/caller`: one user, both in a list and alone, because clients read either.
package struct CallerResponse: WireResponse, Hashable {
  package var user: UserIdentity

  package init(user: UserIdentity) { self.user = user }

  package func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.key("users")
    writer.beginArray()
    writer.identity(user)
    writer.endArray()
    writer.identityMembers(user)
    writer.endObject()
  }
}

/// `users/caller` as clients read it, and `users/discover`.
package struct UsersResponse: ClientResponse, Hashable {
  package var users: [UserIdentity]

  package init(users: [UserIdentity]) { self.users = users }

  package func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.key("users")
    writer.beginArray()
    for user in users { writer.identity(user) }
    writer.endArray()
    writer.endObject()
  }

  private enum Key: String, JSONKey {
    case users
    static let table = JSONKeyTable<Key>()
  }

  /// Reads users.
  ///
  /// A malformed user counts as not found.
  package init(from reader: inout JSONReader) throws(JSONError) {
    let place = try reader.savedPosition()
    var users: [UserIdentity]?
    var object = try reader.beginObject(Key.self)
    while try reader.nextKey(of: &object) != nil {
      users = try reader.items { (reader) throws(JSONError) -> UserIdentity? in
        try UserIdentity(from: &reader)
      } failed: { _, _ in
        nil
      }.compactMap(\.self)
    }
    if users == nil {
      // A single user may replace the list.
      let user = try reader.read(place) { (reader) throws(JSONError) in
        try UserIdentity(from: &reader)
      }
      if user.userRecordName != nil { users = [user] }
    }
    guard let users else { throw reader.missingKey(Key.users) }
    self.init(users: users)
  }
}

/// `users/lookup/email` and `users/lookup/id`, in the older form without user identities.
package struct PlainUsersResponse: WireResponse, Hashable {
  package var users: [UserIdentity]

  package init(users: [UserIdentity]) { self.users = users }

  package func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.key("users")
    writer.beginArray()
    for user in users {
      writer.beginObject()
      writer.plainMembers(user)
      writer.endObject()
    }
    writer.endArray()
    writer.endObject()
  }
}

/// `users/current`, the predecessor of `users/caller`.
package struct CurrentUserResponse: WireResponse, Hashable {
  package var user: UserIdentity

  package init(user: UserIdentity) { self.user = user }

  package func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.plainMembers(user)
    writer.endObject()
  }
}

extension JSONWriter {
  fileprivate mutating func plainMembers(_ user: UserIdentity) {
    text("userRecordName", ifPresent: user.userRecordName)
    text("firstName", ifPresent: user.nameComponents?.givenName)
    text("lastName", ifPresent: user.nameComponents?.familyName)
    if case .emailAddress(let address)? = user.lookupInfo { text("emailAddress", address) }
  }
}
