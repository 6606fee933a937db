import CommandTestSupport
import ParhelionCommands
import Testing

@Suite struct `The command line tool` {
  private static let tool = CommandLineTool(
    commands: [
      Command(
        "box open", "Open a box.", operands: ["BOX", "[KEY]"],
        options: [
          CommandOption("--colour", short: "-c", choices: ["red", "green"], "Its colour."),
          CommandOption("--name", value: "NAME", "Its name."),
          CommandOption("--quiet", "Say nothing."),
          CommandOption("--tag", value: "TAG", isRepeatable: true, "One of its tags."),
        ]
      ) { invocation, console in
        let values = ["--colour", "--name"].compactMap { invocation.value(of: $0) }
        try console.writeLine(
          (invocation.operands + values + invocation.values(of: "--tag")
            + (invocation.has("--quiet") ? ["quiet"] : []))
            .joined(separator: "|"))
        return .success
      },
      Command("box shut", "Shut a box.") { _, _ in throw CommandError("It is stuck.") },
      Command("fail", "Fail a check.") { _, _ in .failure },
      Command("clash", "Find a wrong call.") { _, _ in
        throw UsageError("These contradict each other.")
      },
    ], version: "1.2")

  private func run(_ arguments: [String]) -> (
    status: CommandStatus, result: String, messages: String
  ) {
    let console = RecordingConsole()
    let status = Self.tool.run(arguments, console: console)
    return (status, console.result, console.messages)
  }

  static let calls: [([String], String)] = [
    (["box", "open", "a"], "a"), (["box", "open", "a", "b"], "a|b"),
    (["box", "open", "--colour", "red", "a"], "a|red"),
    (["box", "open", "a", "--colour=green"], "a|green"),
    (["box", "open", "-c", "red", "a"], "a|red"),
    (["box", "open", "--name", "-", "a"], "a|-"),
    (["box", "open", "--quiet", "--", "--name"], "--name|quiet"),
    (["box", "open", "--name", "", "a"], "a|"), (["box", "open", "-"], "-"),
    (["box", "open", "--tag", "b", "a", "--tag=a", "--tag", "b"], "a|b|a|b"),
  ]

  @Test func `Continuation lines of a list in help are indented`() {
    let lines = Commands.run(["serve", "--help"]).result.split(separator: "\n")
    let list = lines.drop { !$0.hasPrefix("- ") }
      .prefix { $0.hasPrefix("- ") || $0.hasPrefix("  ") && !$0.hasPrefix("  --") }
    #expect(list.contains { $0.hasPrefix("  ") })
    #expect(list.count { $0.hasPrefix("- ") } == lines.count { $0.hasPrefix("- ") })
  }

  @Test(arguments: calls) func `Operands and options reach the command`(
    arguments: [String], result: String
  ) {
    let outcome = run(arguments)
    #expect(outcome.status == .success)
    #expect(outcome.result == result + "\n")
  }

  static let mistakes: [([String], String)] = [
    ([], "usage: parhelion COMMAND"), (["bxo"], "Did you mean \"box\"?"),
    (["bxo"], "parhelion --help lists the commands."),
    (["box"], "box has the commands open, shut."),
    (["box"], "Which command of box?"),
    (["box", "opne"], "Did you mean \"open\"?"), (["box", "open"], "BOX is missing."),
    (["box", "open", "a", "b", "c"], "The operand \"c\" is one too many."),
    (["box", "open", "--nmae", "x", "a"], "Did you mean \"--name\"?"),
    (["box", "open", "a", "--name"], "--name needs a value"),
    (["box", "open", "a", "--quiet=1"], "takes no value"),
    (["box", "open", "a", "--colour", "blue"], "one of red, green"),
    (["box", "open", "a", "-c", "red", "-c", "red"], "twice"),
    (["box", "open", "a", "--quiet", "--quiet"], "twice"),
    (["clash"], "usage: parhelion clash"), (["--verbose"], "A command is missing"),
    (["zzz", "--help"], "no command \"zzz\""),
  ]

  @Test(arguments: mistakes) func `A usage error ends with status 64 and a helpful line`(
    arguments: [String], words: String
  ) {
    let outcome = run(arguments)
    #expect(outcome.status == .usage)
    #expect(outcome.status.rawValue == 64)
    #expect(outcome.result.isEmpty)
    #expect(outcome.messages.contains(words), "\(outcome.messages)")
  }

  static let helps: [([String], String)] = [
    (["--help"], "box open BOX"), (["help"], "box shut"), (["help", "box"], "Shut a box."),
    (["box", "--help"], "Open a box."),
    (["box", "open", "--help"], "--colour red|green"), (["help", "box", "open"], "-c, --colour"),
    (["box", "open", "-h"], "usage: parhelion box open BOX [KEY]"),
    (["box", "open", "-h"], "[--quiet]\n       [--tag TAG]…\n"), (["--version"], "parhelion 1.2"),
  ]

  @Test(arguments: helps) func `Help is a result`(arguments: [String], words: String) {
    let outcome = run(arguments)
    #expect(outcome.status == .success)
    #expect(outcome.result.contains(words), "\(outcome.result)")
    #expect(outcome.messages.isEmpty)
  }

  @Test func `A failure ends with status 1 and its reason, a failed check with status 1`() {
    #expect(run(["box", "shut"]).status == .failure)
    #expect(run(["box", "shut"]).messages == "parhelion: It is stuck.\n")
    #expect(run(["fail"]).status == .failure)
  }

  @Test func `Every command has help`() {
    for command in ParhelionTool.commands where command.program == nil {
      let console = RecordingConsole()
      #expect(ParhelionTool.run(command.path + ["--help"], console: console) == .success)
      let words = console.result.split(whereSeparator: \.isWhitespace).joined(separator: " ")
      #expect(words.contains(command.summary) && command.summary.hasSuffix("."))
    }
  }

  /// The lines that are longer than the usual width of a terminal.
  private func longLines(_ text: String) -> [Substring] {
    text.split(separator: "\n").filter { $0.count > 80 }
  }

  @Test func `Help fits in eighty columns and lists the allowed values`() {
    let console = RecordingConsole()
    #expect(ParhelionTool.run(["--help"], console: console) == .success)
    #expect(longLines(console.result).isEmpty, "\(longLines(console.result))")
    for command in ParhelionTool.commands where command.program == nil {
      let console = RecordingConsole()
      _ = ParhelionTool.run(command.path + ["--help"], console: console)
      let long = longLines(console.result)
      #expect(long.isEmpty, "\(command.name): \(long.joined(separator: "\n"))")
      for choice in command.options.flatMap(\.choices) { #expect(console.result.contains(choice)) }
    }
  }

  @Test func `A long name in help has its description on the next line`() {
    let tool = CommandLineTool(
      commands: [
        Command(
          "box", "Open a box.",
          options: [
            CommandOption("--tag", value: "TAG", "One of its tags."),
            CommandOption(
              "--colour", choices: ["ultramarine", "vermilion", "jade"], "Its colour."),
          ]
        ) { _, _ in .success }
      ], version: "1")
    let console = RecordingConsole()
    #expect(tool.run(["box", "--help"], console: console) == .success)
    #expect(
      console.result.hasSuffix(
        """
          --tag TAG   One of its tags.
          --colour ultramarine|vermilion|jade
                      Its colour.
          -h, --help  Print this text.

        """), "\(console.result)")
  }

  @Test(arguments: [["serve", "extra"], ["bxo"], ["share"], ["user", "role", "grnt"]])
  func `The lines after a usage error fit in eighty columns`(arguments: [String]) {
    let console = RecordingConsole()
    #expect(ParhelionTool.run(arguments, console: console) == .usage)
    #expect(longLines(console.messages).isEmpty, "\(console.messages)")
  }
}
