/// The text of `--help`, and of errors about unknown commands.
struct HelpText {
  let commands: [Command]

  /// The list of all commands.
  var overview: String {
    """
    usage: parhelion COMMAND …

    \(list(commands))

    parhelion COMMAND --help explains a command; parhelion --version prints the version.

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
    let usage = ParagraphText.lines(["usage:"] + command.usageParts, width: Self.columns, indent: 7)
    var text = usage.joined(separator: "\n") + "\n\n\(command.summary)\n"
    if !command.discussion.isEmpty {
      text +=
        "\n" + ParagraphText.lines(command.discussion, width: Self.columns).joined(separator: "\n")
        + "\n"
    }
    let help = CommandOption("--help", short: "-h", "Print this text.")
    let rows = (command.options + [help]).map { option in
      let names = [option.shortName, option.name].compactMap(\.self).joined(separator: ", ")
      return (names + (option.value.map { " \($0)" } ?? ""), option.explanation)
    }
    return text + "\n\(columns(rows))\n"
  }

  /// The line width of help, which every terminal supports.
  private static let columns = 100

  /// Whether the words are a prefix of a command's name.
  func isGroup(_ words: [String]) -> Bool {
    !words.isEmpty
      && commands.contains { $0.path.count > words.count && $0.path.starts(with: words) }
  }

  /// The error for words that begin no command's name.
  func unknownCommand(_ words: [String]) -> UsageError {
    let hint = "commands: \(commands.map(\.name).joined(separator: ", "))"
    guard let first = words.first else { return UsageError("A command is missing.", hint: hint) }
    guard let depth = (1...words.count).last(where: { isGroup(Array(words.prefix($0))) }) else {
      let known = Set(commands.flatMap { [$0.path[0], $0.name] }).sorted()
      return UsageError(
        "There is no command \"\(first)\".\(Suggestion.text(for: first, among: known))", hint: hint)
    }
    let (group, members) = (
      words.prefix(depth).joined(separator: " "), members(of: words.prefix(depth))
    )
    let all = "\(group) has the commands \(members.joined(separator: ", "))"
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
  private func columns(_ rows: [(String, String)]) -> String {
    let width = rows.map(\.0.count).max() ?? 0
    let place = width + 4
    return rows.map { row in
      let name = "  " + row.0 + String(repeating: " ", count: width - row.0.count + 2)
      let lines = ParagraphText.lines(row.1, width: max(Self.columns - place, 40))
      return name + lines.joined(separator: "\n" + String(repeating: " ", count: place))
    }.joined(separator: "\n")
  }
}
