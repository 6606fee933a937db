import LaboratoryCommands
import ParhelionCommands

/// Runs the laboratory's commands in this process.
enum Commands {
  /// The outcome of a call.
  struct Outcome: CustomStringConvertible {
    let status: CommandStatus
    let result: String
    let messages: String

    var description: String { "\(status): \(result)\(messages)" }
  }

  static func run(_ arguments: [String]) -> Outcome {
    let console = RecordingConsole()
    let status = LaboratoryTool.run(arguments, console: console)
    return Outcome(status: status, result: console.result, messages: console.messages)
  }

  /// Calls a command of the shipped tool.
  static func runParhelion(_ arguments: [String]) -> Outcome {
    let console = RecordingConsole()
    let status = ParhelionTool.run(arguments, console: console)
    return Outcome(status: status, result: console.result, messages: console.messages)
  }
}
