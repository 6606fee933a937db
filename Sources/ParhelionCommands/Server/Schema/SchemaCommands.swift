import CloudRecords
import CloudSchema
import RecordServer

/// The commands for the schemas of containers.
enum SchemaCommands {
  static let all = [export, validate, importing, diff, deploy, reset]

  private static let languages =
    "Schemas are in the language of .ckdb files. The server may be running."
  private static let dryRun = CommandOption(
    "--dry-run", "Show the changes without making them.")
  private static let erase = CommandOption(
    "--erase", "Permit erasing records and fields that the new schema does not have.")

  /// `parhelion schema export`.
  private static let export = Command(
    "schema export", "Print the schema of a container.",
    options: [ServerFolder.option, ContainerOption.container, ContainerOption.environment],
    discussion: languages
  ) { invocation, console in
    let address = try ContainerOption.address(invocation)
    return try await change(invocation) { server in
      try console.write(try await server.schema(of: address).text)
    }
  }

  /// `parhelion schema validate`.
  private static let validate = Command(
    "schema validate", "Check a schema, and show the changes that its import would make.",
    operands: ["FILE"],
    options: [ServerFolder.option, ContainerOption.container], discussion: languages
  ) { invocation, console in
    let (container, text) = (
      try ContainerOption.address(invocation).container, try text(invocation)
    )
    return try await change(invocation) { server in
      try printChanges(try await server.planImport(of: text, into: container), console)
    }
  }

  /// `parhelion schema import`.
  private static let importing = Command(
    "schema import", "Replace the schema of development.", operands: ["FILE"],
    options: [ServerFolder.option, ContainerOption.container, erase, dryRun],
    discussion: """
      \(languages) Records and values in development whose types and fields the schema does not \
      have are erased, which needs --erase. Types and fields of production cannot be removed.
      """
  ) { invocation, console in
    let (container, text) = (
      try ContainerOption.address(invocation).container, try text(invocation)
    )
    return try await change(invocation) { server in
      let replacement =
        invocation.has("--dry-run")
        ? try await server.planImport(of: text, into: container)
        : try await server.importSchema(
          text, into: container, permitsErasure: invocation.has("--erase"))
      try printChanges(replacement, console)
    }
  }

  /// `parhelion schema diff`.
  private static let diff = Command(
    "schema diff", "Show the differences between the schemas of development and production.",
    options: [ServerFolder.option, ContainerOption.container],
    discussion: "Exits 1 if they differ. \(languages)"
  ) { invocation, console in
    let container = try ContainerOption.address(invocation).container
    let difference = try await change(invocation) { try await $0.schemaDifference(of: container) }
    try console.write(difference.text)
    return difference.isEmpty ? .success : .failure
  }

  /// `parhelion schema deploy`.
  private static let deploy = Command(
    "schema deploy", "Deploy the schema of development to production.",
    options: [
      ServerFolder.option, ContainerOption.container,
      CommandOption(
        "--revoke-permissions",
        "Also revoke roles and permissions that development does not have."),
      dryRun,
    ],
    discussion:
      "\(languages) Types, fields and indexes are added to production, and never removed or changed there."
  ) { invocation, console in
    let (container, isRevoking) = (
      try ContainerOption.address(invocation).container, invocation.has("--revoke-permissions")
    )
    return try await change(invocation) { server in
      let difference =
        invocation.has("--dry-run")
        ? try await server.planDeployment(of: container, revokingPermissions: isRevoking)
        : try await server.deploySchema(of: container, revokingPermissions: isRevoking)
      try printChanges(difference, console)
    }
  }

  /// `parhelion schema reset`.
  private static let reset = Command(
    "schema reset",
    "Reset development to the schema of production, and erase all its records and zones.",
    options: [ServerFolder.option, ContainerOption.container, erase],
    discussion:
      "\(languages) Users stay, and so do their sessions and subscriptions. It needs --erase."
  ) { invocation, console in
    let container = try ContainerOption.address(invocation).container
    guard invocation.has("--erase") else {
      throw UsageError(
        "This erases all records and zones of development. Use --erase to confirm.")
    }
    return try await change(invocation) { server in
      try printChanges(try await server.resetDevelopment(of: container), console)
    }
  }
}

// MARK: - Shared helpers

extension SchemaCommands {
  private static func change(
    _ invocation: Invocation, _ body: (RecordServer) async throws -> Void
  ) async throws -> CommandStatus {
    try await change(invocation) { server in
      try await body(server)
      return .success
    }
  }

  private static func change<Result>(
    _ invocation: Invocation, _ body: (RecordServer) async throws -> Result
  ) async throws -> Result {
    try await ServerFolder(invocation).withAccounts { accounts in
      do {
        return try await body(accounts.server)
      } catch SchemaFailure.failed(let error) {
        throw error
      } catch SchemaFailure.wouldErase(let data) {
        throw CommandError("This would erase \(data). Use --erase to confirm.")
      } catch let failure as SchemaFailure {
        throw CommandError(failure.description)
      }
    }
  }

  private static func text(_ invocation: Invocation) throws(CommandError) -> [UInt8] {
    try NamedFile(invocation.operands[0]).bytes()
  }

  private static func printChanges(
    _ replacement: SchemaReplacement, _ console: any Console
  ) throws {
    try printChanges(replacement.difference, console)
    if replacement.erases { console.report("Erased by this: \(replacement.erased).") }
  }

  private static func printChanges(_ difference: SchemaDifference, _ console: any Console) throws {
    try console.write(difference.isEmpty ? "No changes.\n" : difference.text)
  }
}
