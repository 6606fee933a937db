/// What may be done with the records of a type in the public database.
package struct RecordPermissions: OptionSet, Hashable, Sendable {
  package let rawValue: UInt8

  package init(rawValue: UInt8) { self.rawValue = rawValue }

  package static let read = RecordPermissions(rawValue: 1)
  package static let create = RecordPermissions(rawValue: 2)
  package static let write = RecordPermissions(rawValue: 4)

  /// Each permission with its word, in the order of exports.
  static let words: [(permission: RecordPermissions, word: String)] = [
    (.read, "READ"), (.create, "CREATE"), (.write, "WRITE"),
  ]

  /// The words of the permissions, as schemas write them.
  package var words: [String] { Self.words.filter { contains($0.permission) }.map(\.word) }
}

/// Roles that every schema has.
package enum SystemRole: String, CaseIterable, Hashable, Sendable {
  /// Everybody, also without an account.
  case world = "_world"
  /// Everybody who is signed in.
  case signedIn = "_icloud"
  /// Who created the record.
  case creator = "_creator"
}

/// Who may do what with the records of a type in the public database: permissions by role.
package struct RoleGrants: Hashable, Sendable {
  /// Roles with at least one permission.
  private var permissionsByRole: [String: RecordPermissions] = [:]

  package init() {}

  /// What a type that development learns grants: everybody reads, who is signed in creates, the
  /// creator changes.
  package static let ofNewTypes = RoleGrants([.world: .read, .signedIn: .create, .creator: .write])

  /// What the type of users grants: users are created by the server alone.
  package static let ofUsers = RoleGrants([.world: .read, .creator: .write])

  private init(_ permissions: [SystemRole: RecordPermissions]) {
    for (role, granted) in permissions { permissionsByRole[role.rawValue] = granted }
  }

  /// The roles that have permissions, in the order of their names.
  package var roles: [String] { permissionsByRole.keys.sorted() }

  package subscript(role: String) -> RecordPermissions {
    get { permissionsByRole[role] ?? [] }
    set { permissionsByRole[role] = newValue.isEmpty ? nil : newValue }
  }

  /// What an actor may do with a record.
  ///
  /// - Parameters:
  ///   - roles: The schema's own roles that the actor has.
  ///   - isCreator: Whether the actor created the record. Who may change a record that is their own
  ///     may read it as well.
  package func permissions(roles: some Sequence<String>, isSignedIn: Bool, isCreator: Bool)
    -> RecordPermissions
  {
    var permissions = self[SystemRole.world.rawValue]
    guard isSignedIn else { return permissions }
    permissions.formUnion(self[SystemRole.signedIn.rawValue])
    for role in roles { permissions.formUnion(self[role]) }
    guard isCreator else { return permissions }
    permissions.formUnion(self[SystemRole.creator.rawValue])
    if permissions.contains(.write) { permissions.insert(.read) }
    return permissions
  }
}
