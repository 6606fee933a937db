/// One command of the tool: how it is called, what it is for, and what it does.
package struct Command: Sendable {
  /// What runs a command.
  ///
  /// It writes its result to the console, and throws `CommandError` when it cannot go on.
  package typealias Action = @Sendable (Invocation, any Console) throws -> CommandStatus

  /// The words that call it, such as `model show`.
  package let path: [String]
  /// One line that says what it does.
  package let summary: String
  /// The operands by the names that help gives them; all are required, except those in brackets,
  /// such as `[DIR]`.
  package let operands: [String]
  /// The options that it takes besides `--help`.
  package let options: [CommandOption]
  /// Anything more that help should say.
  package let discussion: String
  /// Whether help passes over it: the tool alone calls it, in processes that it starts.
  package private(set) var isHidden = false
  /// The program that runs the command; nil when it is this one.
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
  /// The program reads the arguments and explains the command: this one passes them on as they are.
  package init(_ word: String, _ summary: String, of program: SiblingProgram) {
    self.init(word, summary) { _, _ in
      throw CommandError("\(program.name) runs the command \(word).")
    }
    self.program = program
  }

  /// The command as one that help passes over.
  package func hidden() -> Command {
    var command = self
    command.isHidden = true
    return command
  }

  /// The words that call it, as one text.
  package var name: String { path.joined(separator: " ") }

  var requiredOperands: Int { operands.count { !$0.hasPrefix("[") } }

  /// How it is called, in one line.
  package var usage: String { usageParts.joined(separator: " ") }

  /// The parts of the usage, none of which is to be broken.
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
  /// What help calls the value: the choices, or `NAME` where these would fill a line; nil makes the
  /// option a flag.
  package let value: String?
  /// The values that are allowed; empty allows all.
  package let choices: [String]
  /// Whether it may be given several times.
  package let isRepeatable: Bool
  /// One line that says what it does.
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

  /// The most characters of choices that stand in the place of a value.
  private static let charactersOfChoices = 32

  var usage: String { [shortName ?? name, value].compactMap(\.self).joined(separator: " ") }

  /// The summary, with the choices where the value does not name them.
  var explanation: String {
    guard !choices.isEmpty, value == "NAME" else { return summary }
    return "\(summary) One of \(choices.joined(separator: ", "))."
  }

  /// The option of every command that can give its result as a document.
  package static let json = CommandOption("--json", "Print one JSON document on standard output.")
}
