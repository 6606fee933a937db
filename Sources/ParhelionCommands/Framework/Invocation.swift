/// A parsed call of a command, validated against its declaration.
package struct Invocation: Sendable {
  /// The operands, in order.
  package let operands: [String]
  private let values: [String: [String]]
  /// The long names of the given flags and options.
  private let given: Set<String>

  /// Whether a flag was given, by its long name.
  package func has(_ flag: String) -> Bool { given.contains(flag) }

  /// The value of an option, by its long name.
  package func value(of option: String) -> String? { values[option]?.first }

  /// The values of a repeatable option, by its long name.
  package func values(of option: String) -> [String] { values[option] ?? [] }

  /// Parses the arguments after the command's name.
  ///
  /// Options and operands may be mixed; `--` ends the options.
  init(of command: Command, arguments: [String]) throws(UsageError) {
    var operands: [String] = []
    var values: [String: [String]] = [:]
    var given: Set<String> = []
    var rest = arguments[...]
    while let word = rest.popFirst() {
      if word == "--" {
        operands += rest
        break
      }
      guard word.hasPrefix("-"), word != "-" else {
        operands.append(word)
        continue
      }
      let (option, inline) = try Self.option(word, of: command)
      guard given.insert(option.name).inserted || option.isRepeatable else {
        throw UsageError("\(option.name) is given twice.", in: command)
      }
      if option.value != nil {
        values[option.name, default: []].append(
          try Self.value(of: option, inline: inline, rest: &rest, command))
      } else if inline != nil {
        throw UsageError("\(option.name) takes no value.", in: command)
      }
    }
    self.operands = operands
    self.values = values
    self.given = given
    try checkOperands(of: command)
  }

  private func checkOperands(of command: Command) throws(UsageError) {
    guard operands.count >= command.requiredOperands else {
      throw UsageError("\(command.operands[operands.count]) is missing.", in: command)
    }
    guard operands.count <= command.operands.count else {
      throw UsageError(
        "The operand \"\(operands[command.operands.count])\" is one too many.", in: command)
    }
  }

  private static func option(
    _ word: String, of command: Command
  ) throws(UsageError) -> (option: CommandOption, inline: String?) {
    let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(
      String.init)
    let name = parts[0]
    if let option = command.options.first(where: { $0.name == name || $0.shortName == name }) {
      return (option, parts.count > 1 ? parts[1] : nil)
    }
    let known = command.options.map(\.name) + ["--help"]
    throw UsageError(
      "There is no option \(name).\(Suggestion.text(for: name, among: known))", in: command)
  }

  private static func value(
    of option: CommandOption, inline: String?, rest: inout ArraySlice<String>, _ command: Command
  ) throws(UsageError) -> String {
    guard let value = inline ?? rest.popFirst() else {
      throw UsageError(
        "\(option.name) needs a value: \(option.name) \(option.value ?? "").", in: command)
    }
    guard option.choices.isEmpty || option.choices.contains(value) else {
      let suggestion = Suggestion.text(for: value, among: option.choices)
      throw UsageError(
        "\(option.name) cannot be \"\(value)\"; it is one of \(option.choices.joined(separator: ", ")).\(suggestion)",
        in: command)
    }
    return value
  }
}
