/// One command of the tool: its name, arguments, help, and action.
package struct Command: Sendable {
  /// The code of a command.
  ///
  /// It writes its result to the console, and throws `CommandError` if it fails.
  package typealias Action = @Sendable (Invocation, any Console) throws -> CommandStatus

  /// The words of its name, such as `model show`.
  package let path: [String]
  /// A one-line description.
  package let summary: String
  /// The operands by the names that help shows; all are required, except those in brackets, such as
  /// `[DIR]`.
  package let operands: [String]
  /// The options other than `--help`.
  package let options: [CommandOption]
  /// Further text for the help.
  package let discussion: String
  /// Whether help omits the command: only the tool calls it, in processes that the tool starts.
  package private(set) var isHidden = false
  /// The program that runs the command; nil for this one.
  package private(set) var program: SiblingProgram?
  let action: Action

  package init(
    _ path: String, _ summary: String, operands: [String] = [], options: [CommandOption] = [],
    discussion: String = "",
    action: @escaping Action
  ) {
    self.path = path.split(separator: " ").map(String.init)
    self.summary = summary
    self.operands = operands
    self.options = options
    self.discussion = discussion
    self.action = action
  }

  /// Creates a command that another program runs, with all commands whose names begin with the same
  /// word.
  ///
  /// The program parses the arguments and has the help; this one passes the arguments on.
  package init(_ word: String, _ summary: String, of program: SiblingProgram) {
    self.init(word, summary) { _, _ in
      throw CommandError("\(program.name) runs the command \(word).")
    }
    self.program = program
  }

  /// The command, omitted from help.
  package func hidden() -> Command {
    var command = self
    command.isHidden = true
    return command
  }

  /// The words of its name, as one text.
  package var name: String { path.joined(separator: " ") }

  var requiredOperands: Int { operands.count { !$0.hasPrefix("[") } }

  /// The parts of the usage, each of which must stay on one line.
  var usageParts: [String] {
    ["parhelion", name] + operands + options.map { "[\($0.usage)]\($0.isRepeatable ? "…" : "")" }
  }
}

/// An option of a command: a flag, or a name with a value.
package struct CommandOption: Hashable, Sendable {
  /// The long name with its dashes, such as `--format`.
  package let name: String
  /// A short name, such as `-o`.
  package let shortName: String?
  /// The value's name in the help: the choices, or `NAME` if these would fill a line; nil makes the
  /// option a flag.
  package let value: String?
  /// The permitted values; if empty, all are permitted.
  package let choices: [String]
  /// Whether it may be given more than once.
  package let isRepeatable: Bool
  /// A one-line description.
  package let summary: String

  package init(
    _ name: String, short shortName: String? = nil, value: String? = nil, choices: [String] = [],
    isRepeatable: Bool = false, _ summary: String
  ) {
    self.name = name
    self.shortName = shortName
    self.value = value ?? Self.value(for: choices)
    self.choices = choices
    self.isRepeatable = isRepeatable
    self.summary = summary
  }

  private static func value(for choices: [String]) -> String? {
    guard !choices.isEmpty else { return nil }
    let alternatives = choices.joined(separator: "|")
    return alternatives.count > charactersOfChoices ? "NAME" : alternatives
  }

  /// The maximum length of choices that the help shows in place of the value.
  private static let charactersOfChoices = 32

  var usage: String { [shortName ?? name, value].compactMap(\.self).joined(separator: " ") }

  /// The summary, with the choices if the value does not show them.
  var explanation: String {
    guard !choices.isEmpty, value == "NAME" else { return summary }
    return "\(summary) One of \(choices.joined(separator: ", "))."
  }

  /// The option of every command with a JSON result.
  package static let json = CommandOption("--json", "Print one JSON document on standard output.")
}
