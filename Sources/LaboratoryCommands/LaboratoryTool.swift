package import ParhelionCommands

/// The benchmarks, the simulator and the demonstration: the commands that `parhelion` passes on.
package enum LaboratoryTool {
  /// Every command, in the order of the help.
  package static let commands: [Command] = [
    SimulateCommand.command,
    BenchCommands.local,
    BenchCommands.server,
    BenchCommands.client,
    BenchCommands.sync,
    BenchCommands.push,
    DemoCommand.command,
    DemoDeviceCommand.command,
  ]

  /// Runs one call, without the program's own name among the arguments.
  package static func run(_ arguments: [String], console: any Console) -> CommandStatus {
    CommandLineTool(commands: commands, version: ParhelionTool.version).run(
      arguments, console: console)
  }
}
