import CloudRecords
import RecordServer

/// The commands for schema roles and their members.
enum RoleCommands {
  static let all = [grant, revoke, list]

  private static let options = [
    ServerFolder.option, ContainerOption.container, ContainerOption.environment, CommandOption.json,
  ]

  private static let nameRule = """
    NAME is the name with which the user signs in, or the identifier of a program's key. A running \
    server applies this from the next request on. With --json: {"user": {"name", "userRecordName", \
    "roles"}}.
    """

  /// `parhelion user role grant`.
  private static let grant = Command(
    "user role grant",
    "Give a user a schema role, to which record types grant more permissions in the public database.",
    operands: ["NAME", "ROLE"], options: options, discussion: nameRule
  ) { invocation, console in
    try await change(invocation, console) { accounts, name, role, container in
      try await accounts.grantRole(role, to: name, in: container)
    }
  }

  /// `parhelion user role revoke`.
  private static let revoke = Command(
    "user role revoke", "Take a schema role from a user.", operands: ["NAME", "ROLE"],
    options: options,
    discussion: nameRule
  ) { invocation, console in
    try await change(invocation, console) { accounts, name, role, container in
      try await accounts.revokeRole(role, of: name, in: container)
    }
  }

  /// `parhelion user role list`.
  private static let list = Command(
    "user role list", "List the users with schema roles.", options: options,
    discussion:
      #"With --json: {"roles": ["…"], "users": [{"name", "userRecordName", "roles"}]}; first the schema's."#
  ) { invocation, console in
    let container = try ContainerOption.address(invocation)
    return try await ServerFolder(invocation).withAccounts { accounts in
      let (roles, holders) = try await accounts.roles(in: container)
      let listed = ListedRoles(roles: roles, users: holders.map(ListedRoles.Holder.init))
      if invocation.has("--json") {
        try console.writeJSON(listed)
      } else {
        try console.writeLines(TextColumns.lines(listed.users.map(\.cells)))
      }
      return .success
    }
  }

  private static func change(
    _ invocation: Invocation, _ console: any Console,
    _ body: (Accounts, _ name: String, _ role: String, ContainerAddress) async throws -> RoleHolder
  ) async throws -> CommandStatus {
    let container = try ContainerOption.address(invocation)
    let (name, role) = (invocation.operands[0], invocation.operands[1])
    return try await ServerFolder(invocation).withAccounts { accounts in
      let holder = ListedRoles.Holder(try await body(accounts, name, role, container))
      if invocation.has("--json") {
        try console.writeJSON(["user": holder])
      } else {
        try console.writeLines(TextColumns.lines([holder.cells]))
      }
      return .success
    }
  }
}

/// Schema roles and their members, as the commands print them.
private struct ListedRoles: Encodable {
  let roles: [String]
  let users: [Holder]

  struct Holder: Encodable {
    let name: String?
    let userRecordName: String
    let roles: [String]

    init(_ holder: RoleHolder) {
      (name, userRecordName, roles) = (holder.name, holder.userRecordName, holder.roles)
    }

    /// The columns of the list.
    var cells: [String] {
      [name ?? "", userRecordName, roles.isEmpty ? "has no roles" : roles.joined(separator: ", ")]
    }
  }
}
