/// The text of `--help`, and of errors about unknown commands.
struct HelpText {
  let commands: [Command]

  /// The list of all commands.
  var overview: String {
    """
    usage: parhelion COMMAND …

    \(list(commands))

    parhelion COMMAND --help explains a command.
    parhelion --version prints the version.

    """
  }

  /// The help for some words: a command, a group of commands, or everything.
  func text(for words: [String]) throws(UsageError) -> String {
    if words.isEmpty { return overview }
    if let command = commands.first(where: { $0.path == words }) { return text(for: command) }
    guard isGroup(words) else { throw unknownCommand(words) }
    let members = commands.filter { $0.path.starts(with: words) }
    return "usage: parhelion \(words.joined(separator: " ")) COMMAND …\n\n\(list(members))\n"
  }

  /// The help of one command.
  func text(for command: Command) -> String {
    var text = "\(Self.usage(of: command))\n\n\(Self.wrapped(command.summary))\n"
    if !command.discussion.isEmpty { text += "\n\(Self.wrapped(command.discussion))\n" }
    let help = CommandOption("--help", short: "-h", "Print this text.")
    let rows = (command.options + [help]).map { option in
      let names = [option.shortName, option.name].compactMap(\.self).joined(separator: ", ")
      return (names + (option.value.map { " \($0)" } ?? ""), option.explanation)
    }
    return text + "\n\(columns(rows))\n"
  }

  /// The usage of a command, in as many lines as it needs.
  static func usage(of command: Command) -> String {
    ParagraphText.lines(["usage:"] + command.usageParts, width: Self.columns, indent: 7)
      .joined(separator: "\n")
  }

  private static func wrapped(_ text: String) -> String {
    ParagraphText.lines(text, width: Self.columns).joined(separator: "\n")
  }

  /// The line width of help: that of a new terminal's window.
  private static let columns = 80

  /// Whether the words are a proper prefix of a command's name.
  func isGroup(_ words: [String]) -> Bool {
    !words.isEmpty
      && commands.contains { $0.path.count > words.count && $0.path.starts(with: words) }
  }

  /// The error for words that name no command.
  func unknownCommand(_ words: [String]) -> UsageError {
    let hint = "parhelion --help lists the commands."
    guard let first = words.first else { return UsageError("A command is missing.", hint: hint) }
    guard let depth = (1...words.count).last(where: { isGroup(Array(words.prefix($0))) }) else {
      let known = Set(commands.flatMap { [$0.path[0], $0.name] }).sorted()
      return UsageError(
        "There is no command \"\(first)\".\(Suggestion.text(for: first, among: known))", hint: hint)
    }
    let (group, members) = (
      words.prefix(depth).joined(separator: " "), members(of: words.prefix(depth))
    )
    let all = Self.wrapped("\(group) has the commands \(members.joined(separator: ", ")).")
    guard words.count > depth else { return UsageError("Which command of \(group)?", hint: all) }
    let suggestion = Suggestion.text(for: words[depth], among: members)
    return UsageError("There is no command \"\(group) \(words[depth])\".\(suggestion)", hint: all)
  }

  /// The distinct words that may follow those of a group.
  private func members(of group: ArraySlice<String>) -> [String] {
    commands.filter { $0.path.count > group.count && $0.path.starts(with: group) }.map {
      $0.path[group.count]
    }
    .reduce(into: []) { members, word in if !members.contains(word) { members.append(word) } }
  }

  private func list(_ commands: [Command]) -> String {
    columns(commands.map { (([$0.name] + $0.operands).joined(separator: " "), $0.summary) })
  }

  /// Two columns: names, and their descriptions, wrapped if necessary.
  ///
  /// The description of a long name begins on the next line.
  private func columns(_ rows: [(String, String)]) -> String {
    let width = rows.map(\.0.count).filter { $0 <= Self.charactersOfNames }.max() ?? 0
    let margin = "\n" + String(repeating: " ", count: width + 4)
    return rows.map { name, description in
      let lines = ParagraphText.lines(description, width: Self.columns - width - 4)
      let gap =
        name.count > width ? margin : String(repeating: " ", count: width - name.count + 2)
      return "  \(name)\(gap)\(lines.joined(separator: margin))"
    }.joined(separator: "\n")
  }

  /// The maximum length of names that have their descriptions on the same line.
  private static let charactersOfNames = 30
}
