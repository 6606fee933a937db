package import CloudRecords
import CloudSchema
import RecordStorage

/// A user or server key in one environment of a container, with the schema roles granted to it.
package struct RoleHolder: Hashable, Sendable {
  /// The sign-in name; nil for a server key.
  package let name: String?
  package let userRecordName: String
  package let roles: [String]
}

/// Schema roles, which grant permissions to record types in the public database.
///
/// They are read with each request, so a change takes effect at once. A role that is removed from
/// the schema stays granted without effect, and becomes effective again if the schema gets it back.
extension Accounts {
  /// Grants a role.
  ///
  /// - Parameter name: The sign-in name of a person, or the identifier of a server key.
  /// - Throws: `BAD_REQUEST` if the schema has no such role; `NOT_FOUND`.
  package func grantRole(
    _ role: String, to name: String, in container: ContainerAddress
  ) async throws(CloudError) -> RoleHolder {
    try await changeRoles(of: name, in: container) { roles, known in
      guard known.contains(role) else { throw Self.unknownRole(role, known, container) }
      roles.insert(role)
    }
  }

  /// Revokes a role, even if the schema no longer has it.
  ///
  /// - Parameter name: The sign-in name of a person, or the identifier of a server key.
  package func revokeRole(
    _ role: String, of name: String, in container: ContainerAddress
  ) async throws(CloudError) -> RoleHolder {
    try await changeRoles(of: name, in: container) { roles, known in
      guard roles.remove(role) != nil || known.contains(role) else {
        throw Self.unknownRole(role, known, container)
      }
    }
  }

  /// The roles of a schema, and their holders by name.
  package func roles(
    in container: ContainerAddress
  ) async throws(CloudError) -> (ofSchema: [String], holders: [RoleHolder]) {
    let realm = try await realm(of: container)
    let nameOfUser = try await namesOfUsers(in: container.container)
    return try await server.read(nil) { [self] transaction in
      let schema = try SchemaCopy(of: realm, in: transaction, parsed: server.parsedSchemas).schema
      let holders = try UserDirectory(realm: realm).all(in: transaction).compactMap {
        user -> RoleHolder? in
        guard !user.roles.isEmpty, let userRecordName = user.identity.userRecordName else {
          return nil
        }
        return RoleHolder(
          name: nameOfUser[userRecordName], userRecordName: userRecordName, roles: user.roles)
      }
      let sorted = holders.sorted {
        ($0.name ?? "", $0.userRecordName) < ($1.name ?? "", $1.userRecordName)
      }
      return (schema.roles.sorted(), sorted)
    }
  }
}

// MARK: - Changing roles

extension Accounts {
  private func changeRoles(
    of name: String, in container: ContainerAddress,
    _ body: @escaping @Sendable (_ roles: inout Set<String>, _ known: Set<String>) throws -> Void
  ) async throws(CloudError) -> RoleHolder {
    let realm = try await realm(of: container)
    return try await writeEverywhere { [self] transaction in
      let known = try SchemaCopy(of: realm, in: transaction, parsed: server.parsedSchemas).schema
        .roles
      let (accountName, userRecordName) = try introduce(name, to: container, realm, transaction)
      let users = UserDirectory(realm: realm)
      var user =
        try users.user(named: userRecordName, in: transaction)
        ?? StoredUser(identity: UserIdentity(userRecordName: userRecordName))
      var roles = Set(user.roles)
      try body(&roles, known)
      user.roles = roles.sorted()
      try users.save(user, named: userRecordName, in: transaction)
      return RoleHolder(name: accountName, userRecordName: userRecordName, roles: user.roles)
    }
  }

  /// Resolves a name to a user of the container.
  ///
  /// A person becomes a user of the container, as after signing in. Keys are looked up first, so
  /// that an account named like a key's identifier cannot get the key's roles.
  private func introduce(
    _ name: String, to container: ContainerAddress, _ realm: Realm,
    _ transaction: any StorageWriting
  ) throws -> (accountName: String?, userRecordName: String) {
    if Hexadecimal.bytes(name, count: 32) != nil,
      let bytes = try transaction.value(of: AccountKeys.serverKey(name))
    {
      let key = try ServerKey(bytes: bytes)
      guard key.container == container else {
        throw CloudError(
          .badRequest,
          "The key “\(name)” is one of \(key.container.shown), not of \(container.shown).")
      }
      return (nil, userRecordName(of: key))
    }
    let account = try AccountDirectory.existing(try SignInName(name), in: transaction)
    let userRecordName = userRecordName(of: account, in: container.container)
    try AccountDirectory.introduce(
      account, as: userRecordName, in: realm, container.container, transaction)
    return (account.name, userRecordName)
  }

  private static func unknownRole(
    _ role: String, _ known: Set<String>, _ container: ContainerAddress
  ) -> CloudError {
    let all =
      known.isEmpty
      ? "none; “CREATE ROLE” in a schema creates one" : known.sorted().joined(separator: ", ")
    return CloudError(
      .badRequest,
      "The schema of \(container.shown) has no role “\(role.cut(toBytes: 64))”. Its roles: \(all).")
  }
}

extension ContainerAddress {
  fileprivate var shown: String { "\(container)/\(environment.rawValue)" }
}
