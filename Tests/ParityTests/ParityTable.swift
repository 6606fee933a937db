import Foundation

/// The state of each listed symbol, as values and as the page `Documentation/Parity.md`.
struct ParityTable {
  enum State: String {
    case done
    case foundation = "done (Foundation's own)"
    case partly
    case unavailable
    case notYet = "not yet"
  }

  struct Row {
    let entry: ParityList.Entry
    let state: State
  }

  let sections: [(title: String, rows: [Row])]

  init(list: ParityList, ours: [PublicSymbols], foundation: PublicSymbols) {
    sections = list.sections.map { section in
      (
        section.title,
        section.entries.map { Row(entry: $0, state: Self.state(of: $0, ours, foundation)) }
      )
    }
  }

  private static func state(
    of entry: ParityList.Entry, _ ours: [PublicSymbols], _ foundation: PublicSymbols
  ) -> State {
    if ours.contains(where: { $0.available.contains(entry.name) }) {
      return entry.gap == nil ? .done : .partly
    }
    // The toolchain's extractor omits unavailable symbols.
    if entry.isRefused { return .unavailable }
    if foundation.available.contains(entry.name) { return .foundation }
    return .notYet
  }

  /// The page as Markdown.
  ///
  /// Equal symbols give equal text.
  var markdown: String {
    var lines = [
      "# Parity with Apple's API", "",
      "The state of each public symbol that Parhelion aims at. A test compares this page with",
      "`Parity.symbols` and the compiled modules; `Scripts/update-parity` rewrites it.",
      "",
      "| area | done | partly | unavailable | not yet |", "|---|---|---|---|---|",
    ]
    for section in sections {
      let count = { (states: State...) in section.rows.count { states.contains($0.state) } }
      lines.append(
        "| \(section.title) | \(count(.done, .foundation)) | \(count(.partly)) | \(count(.unavailable)) "
          + "| \(count(.notYet)) |")
    }
    for section in sections {
      lines += ["", "## \(section.title)", "", "| symbol | state |", "|---|---|"]
      lines += section.rows.map { row in
        "| `\(row.entry.name)` | \(row.state.rawValue)\(row.entry.gap.map { ": \($0)" } ?? "") |"
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }
}
