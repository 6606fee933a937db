package import CloudRecords
package import JSONCoding

/// `users/discover` and the older look-ups: finds users by what others know of them.
package struct UsersDiscoverRequest: WireRequest, Hashable {
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
      wanted += try reader.lenientList { (reader) throws(JSONError) in try UserIdentity.LookupInfo?(from: &reader) }
        .compactMap(\.self)
    }
  }
}

/// `users/caller` and `users/discover`.
package struct UsersResponse: WireResponse, Hashable {
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
}

/// `users/lookup/email` and `users/lookup/id`, in the form that they had before identities.
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

/// `users/current`, which told of the caller before `users/caller` did.
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
