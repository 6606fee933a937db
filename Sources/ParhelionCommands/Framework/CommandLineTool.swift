/// The command-line tool: finds the command for its arguments, and runs it.
package struct CommandLineTool: Sendable {
  /// Every command, in the order of the help.
  package let commands: [Command]
  /// The output of `--version`.
  package let version: String

  private static let helpWords: Set<String?> = ["help", "--help", "-h"]

  package init(commands: [Command], version: String) {
    self.commands = commands
    self.version = version
  }

  /// Runs the tool once.
  ///
  /// The arguments exclude the tool's own name.
  package func run(_ arguments: [String], console: any Console) -> CommandStatus {
    do {
      return try dispatch(arguments, console)
    } catch let error as UsageError {
      console.report("parhelion: \(error.message)\n\(error.hint)")
      return .usage
    } catch is ProcessConsole.ReaderGone {
      return .failure
    } catch {
      console.report("parhelion: \(error)")
      return .failure
    }
  }

  private func dispatch(_ arguments: [String], _ console: any Console) throws -> CommandStatus {
    if let program = program(for: arguments) { try program.replaceProcess(arguments: arguments) }
    let help = HelpText(commands: commands.filter { !$0.isHidden })
    switch arguments.first {
    case nil:
      console.report(help.overview)
      return .usage
    case "--version":
      try console.writeLine("parhelion \(version)")
      return .success
    case "help", "--help", "-h":
      try console.write(help.text(for: Array(arguments.dropFirst())))
      return .success
    default:
      return try runCommand(arguments, help, console)
    }
  }

  /// The program that runs a call, or prints the help of its command; nil for this one.
  private func program(for arguments: [String]) -> SiblingProgram? {
    let word =
      Self.helpWords.contains(arguments.first) ? arguments.dropFirst().first : arguments.first
    return commands.first { $0.path.first == word }?.program
  }

  private func runCommand(_ arguments: [String], _ help: HelpText, _ console: any Console) throws
    -> CommandStatus
  {
    let words = arguments.prefix { !$0.hasPrefix("-") }
    let asksForHelp = arguments.prefix { $0 != "--" }.contains { $0 == "--help" || $0 == "-h" }
    guard let command = commands.first(where: { words.starts(with: $0.path) }) else {
      guard asksForHelp, help.isGroup(Array(words)) else { throw help.unknownCommand(Array(words)) }
      try console.write(help.text(for: Array(words)))
      return .success
    }
    if asksForHelp {
      try console.write(help.text(for: command))
      return .success
    }
    let invocation = try Invocation(
      of: command, arguments: Array(arguments.dropFirst(command.path.count)))
    do {
      return try command.action(invocation, console)
    } catch let error as UsageError {
      throw UsageError(error.message, in: command)
    }
  }
}
