import ParhelionCommands

/// Calls of the tool in this process.
enum Commands {
  /// What came of a call.
  struct Outcome: CustomStringConvertible {
    let status: CommandStatus
    let result: String
    let messages: String

    var description: String { "\(status): \(result)\(messages)" }
  }

  /// - Parameter input: The lines of standard input.
  static func run(_ arguments: [String], input: [String] = []) -> Outcome {
    let console = RecordingConsole(input: input)
    let status = ParhelionTool.run(arguments, console: console)
    return Outcome(status: status, result: console.result, messages: console.messages)
  }
}
