package import ParhelionCommands

/// Calls of the tool in this process.
package enum Commands {
  /// The outcome of a call.
  package struct Outcome: CustomStringConvertible {
    package let status: CommandStatus
    package let result: String
    package let messages: String

    package var description: String { "\(status): \(result)\(messages)" }
  }

  /// Runs a command.
  ///
  /// - Parameter input: The lines of standard input.
  package static func run(_ arguments: [String], input: [String] = []) -> Outcome {
    let console = RecordingConsole(input: input)
    let status = ParhelionTool.run(arguments, console: console)
    return Outcome(status: status, result: console.result, messages: console.messages)
  }
}
