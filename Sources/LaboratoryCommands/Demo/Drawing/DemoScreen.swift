import Foundation
package import ParhelionCommands

/// Shows the demonstration: drawn in place, as log lines, or not at all.
package final class DemoScreen {
  /// The style of the output.
  package enum Style: Sendable {
    case drawn, lines, silent
  }

  private let console: any Console
  private let style: Style
  /// The number of lines of the frame on the terminal.
  private var standing = 0

  package init(_ console: any Console, _ style: Style) {
    (self.console, self.style) = (console, style)
  }

  /// Prints a line of the log in the style `lines`; drawn frames contain the log themselves.
  func say(_ line: String, at seconds: Double) throws {
    guard style == .lines else { return }
    let time = "\((seconds * 10).rounded() / 10)"
    try console.writeLine(
      String(repeating: " ", count: max(0, 5 - time.count)) + "\(time) s  \(line)")
  }

  /// Draws a frame over the previous one.
  func draw(_ state: DemoState) throws {
    guard style == .drawn else { return }
    let (columns, rows) = Self.size
    let frame = DemoFrame(state, columns: columns, rows: min(rows - 1, DemoFrame.usualRows))
    let back = standing == 0 ? Escape.hideCursor : "\r" + Escape.up(standing)
    let lines = frame.lines.enumerated().map { index, line in
      Escape.clearLine + (index == 0 ? Escape.bold + line + Escape.plain : line) + "\n"
    }
    try console.write(back + lines.joined())
    standing = lines.count
  }

  /// Leaves the last frame on the terminal, and restores the cursor.
  func close() {
    guard standing > 0 else { return }
    standing = 0
    // If the terminal is gone, the cursor does not matter.
    try? console.write(Escape.showCursor)
  }

  /// The columns and rows of the terminal.
  private static var size: (columns: Int, rows: Int) {
    var size = winsize()
    guard unsafe ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0,
      size.ws_row > 0
    else {
      return (80, DemoFrame.usualRows + 1)
    }
    return (Int(size.ws_col), Int(size.ws_row))
  }

  /// Control sequences of terminals (ECMA-48).
  private enum Escape {
    static let bold = "\u{1B}[1m"
    static let plain = "\u{1B}[0m"
    static let clearLine = "\u{1B}[2K"
    static let hideCursor = "\u{1B}[?25l"
    static let showCursor = "\u{1B}[?25h"
    static func up(_ lines: Int) -> String { "\u{1B}[\(lines)A" }
  }
}
