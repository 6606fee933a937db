package import ParhelionCommands

/// The `parhelion-lab` tool: the benchmarks, the simulator, and the demonstration, which
/// `parhelion` forwards to it.
package enum LaboratoryTool {
  /// Every command, in the order of the help.
  package static let commands: [Command] = [
    SimulateCommand.command,
    BenchCommands.local,
    BenchCommands.server,
    BenchCommands.client,
    BenchCommands.sync,
    BenchCommands.push,
    BenchCommands.sharing,
    DemoCommand.command,
    DemoDeviceCommand.command,
  ]

  /// Runs the tool once.
  ///
  /// The arguments exclude the tool's own name.
  package static func run(_ arguments: [String], console: any Console) -> CommandStatus {
    CommandLineTool(commands: commands, version: ParhelionTool.version).run(
      arguments, console: console)
  }
}
