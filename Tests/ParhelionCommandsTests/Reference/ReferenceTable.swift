import CloudKitClient
import CloudRecords
import ParhelionCommands

/// A documentation table whose rows come from the code.
enum ReferenceTable: String, CaseIterable {
  /// The limits that `--limit` sets.
  case limits
  /// The error codes of the server.
  case errors
  /// The options of `parhelion serve`.
  case options
  /// A container's settings, in configuration files and as variables.
  case configuration

  /// The table as Markdown.
  ///
  /// The same code always gives the same text.
  var markdown: String {
    let rows =
      switch self {
      case .limits: [["name", "default", "limits"]] + Self.limitRows
      case .errors: [["code", "status", "meaning, and what to do"]] + Self.errorRows
      case .options: [["option", "meaning"]] + Self.optionRows
      case .configuration: [["key", "variable", "meaning"]] + Self.configurationRows
      }
    let lines = rows.map(Self.line)
    let rule = "|" + String(repeating: "---|", count: rows[0].count)
    return ([lines[0], rule] + lines.dropFirst()).joined(separator: "\n") + "\n"
  }

  private static var limitRows: [[String]] {
    LimitOption.all.map { [code($0.name), "\($0.defaultValue)", $0.summary] }
  }

  private static var errorRows: [[String]] {
    CloudErrorCode.allCases.map { [code($0.rawValue), "\($0.httpStatus)", $0.meaning] }
  }

  private static var optionRows: [[String]] {
    let options = ParhelionTool.commands.first { $0.name == "serve" }?.options ?? []
    return options.map { option in
      let name = [option.name, option.value].compactMap(\.self).joined(separator: " ")
      return [code(name), option.summary + (option.isRepeatable ? " May be repeated." : "")]
    }
  }

  private static var configurationRows: [[String]] {
    ConfigurationSetting.allCases.map { setting in
      [
        setting.standsInFiles ? code(setting.rawValue) : "–", code(setting.variable),
        setting.meaning,
      ]
    }
  }

  private static func code(_ text: String) -> String { "`\(text)`" }

  /// A row with the bars in its cells escaped.
  ///
  /// A bar would end a cell, even in code.
  private static func line(_ cells: [String]) -> String {
    "| " + cells.map { $0.replacing("|", with: "\\|") }.joined(separator: " | ") + " |"
  }
}
