package import CloudRecords
package import CloudWire
import RecordStorage

extension RecordServer {
  /// `users/caller` and `users/current`: the caller's identity.
  package func currentUser(_ call: Call) async throws(CloudError) -> UserIdentity {
    try checkUser(call)
    return try await read(nil) { transaction in
      let user = try UserDirectory(realm: call.realm).user(of: call.caller, in: transaction)
      return user?.identity ?? UserIdentity(userRecordName: call.callerName)
    }
  }

  /// `users/discover` and the older lookups: discoverable users.
  package func discoverUsers(
    _ request: UsersDiscoverRequest, _ call: Call
  ) async throws(CloudError) -> [UserIdentity] {
    try checkUser(call)
    try limits.check(request.wanted.count, "users")
    return try await read(nil) { transaction in
      let directory = UserDirectory(realm: call.realm)
      return try request.wanted.compactMap { info in
        try directory.discover(info, in: transaction).map { user in
          // The caller sees only the information of the request, and the name.
          UserIdentity(
            userRecordName: user.identity.userRecordName,
            nameComponents: user.identity.nameComponents, lookupInfo: info
          )
        }
      }
    }
  }

  /// Saves a container's user, with the data of the account.
  package func saveUser(_ user: StoredUser, named name: String, in realm: Realm)
    async throws(CloudError)
  {
    try await write(nil) { transaction in
      try UserDirectory(realm: realm).save(user, named: name, in: transaction)
    }
  }

  /// Throws unless the caller is a user: applications alone and server keys may not look up users.
  private func checkUser(_ call: Call) throws(CloudError) {
    switch call.caller {
    case .user: return
    case .anonymous:
      throw CloudError(.authenticationRequired, "This needs a user who has signed in.")
    case .server: throw CloudError(.accessDenied, "A server's key has no user.")
    }
  }
}
