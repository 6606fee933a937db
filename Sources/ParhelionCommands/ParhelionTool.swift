/// The `parhelion` tool: the table of its commands.
///
/// The simulator, the benchmarks, and the demonstration are in a separate program, `parhelion-lab`.
package enum ParhelionTool {
  /// The version that `parhelion --version` prints.
  package static let version = "0.1.0"

  /// Every command, in the order of the help.
  package static let commands: [Command] =
    [ServeCommand.command]
    + UserCommands.all + RoleCommands.all + SessionCommands.all + TokenCommands.all
    + KeyCommands.all
    + SchemaCommands.all
    + FolderCommands.all + [UsageCommand.command] + ShareCommands.all
    + [
      ModelCommands.initialize,
      ModelCommands.addEntity,
      ModelCommands.addRelationship,
      ModelCommands.show,
      ModelCommands.hash,
      ModelCommands.compile,
      ModelCommands.mapping,
      ModelCommands.diff,
      StoreCommands.inspect,
      StoreCommands.dump,
      StoreCommands.check,
      Command("simulate", "Play devices and a server with faults, from one seed.", of: .laboratory),
      Command("bench", "Measure stores, the server, the client and mirroring.", of: .laboratory),
      Command("demo", "Demonstrate a server and two devices that stay in sync.", of: .laboratory),
    ]

  /// Runs the tool once.
  ///
  /// The arguments exclude the tool's own name.
  package static func run(_ arguments: [String], console: any Console) -> CommandStatus {
    CommandLineTool(commands: commands, version: version).run(arguments, console: console)
  }
}
