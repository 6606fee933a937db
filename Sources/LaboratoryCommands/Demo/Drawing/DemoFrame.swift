/// One frame: both devices side by side, the server above, the log below.
package struct DemoFrame: Equatable, Sendable {
  /// The lines, each as long as the terminal is wide.
  package let lines: [String]

  /// The minimum size of a frame; smaller terminals show a part of it.
  package static let smallest = (columns: 40, rows: 14)
  /// The default number of rows.
  package static let usualRows = 24

  /// Draws a state of the demonstration.
  ///
  /// - Parameters:
  ///   - columns: The width of the terminal.
  ///   - rows: The maximum number of lines.
  package init(_ state: DemoState, columns: Int, rows: Int = usualRows) {
    let (columns, rows) = (max(columns, Self.smallest.columns), max(rows, Self.smallest.rows))
    let half = (columns - 3) / 2
    let sides = DemoDeviceName.devices.map { Self.column($0, state, width: half, rows: rows - 9) }
    let pairs = zip(sides[0], sides[1]).map { "\($0) │ \($1)" }
    let rule = String(repeating: "─", count: columns)
    let log = Array(state.log.suffix(3))
    var lines = [Self.title(state, columns), Self.server(state.server), rule]
    lines += pairs.prefix(2)
    lines.append(rule)
    lines += pairs.dropFirst(2)
    lines.append(rule)
    lines += log + Array(repeating: "", count: 3 - log.count)
    lines.append(state.latency ?? "")
    self.lines = lines.map { Self.fitted($0, to: columns) }
  }

  /// A text, truncated or padded with spaces to a width.
  package static func fitted(_ text: String, to width: Int) -> String {
    let count = text.count
    if count <= width { return text + String(repeating: " ", count: width - count) }
    return text.prefix(max(0, width - 1)) + "…"
  }

  private static func title(_ state: DemoState, _ columns: Int) -> String {
    let time = "\((state.seconds * 10).rounded() / 10) s"
    let scene =
      state.scene.count == 0
      ? "" : "  \(state.scene.number)/\(state.scene.count)  \(state.scene.title)"
    return fitted("Parhelion\(scene)", to: columns - time.count - 1) + " " + time
  }

  private static func server(_ server: DemoState.Server) -> String {
    switch server {
    case .starting: "Server: starting"
    case .running(let port): "Server: running at 127.0.0.1:\(port)"
    case .killed(let port): "Server: KILLED, not listening at 127.0.0.1:\(port)"
    }
  }

  /// A device's two status lines, and its latest changes.
  private static func column(_ name: DemoDeviceName, _ state: DemoState, width: Int, rows: Int)
    -> [String]
  {
    let device = state.devices[name] ?? DemoState.Device()
    let changes = Array(device.changes.suffix(rows - 2))
    var lines = facts(name, device.view)
    lines += changes
    lines += Array(repeating: "", count: rows - 2 - changes.count)
    return lines.map { fitted($0, to: width) }
  }

  private static func facts(_ name: DemoDeviceName, _ view: DemoView?) -> [String] {
    guard let view else { return [name.rawValue.uppercased(), "no store"] }
    let contents = view.contents
    return [
      "\(name.rawValue.uppercased())  \(view.phase), \(view.pendingCount) to send",
      "\(count(contents.notes, "note")) in \(count(contents.folders, "folder")), digest \(contents.digest)",
    ]
  }

  private static func count(_ things: [some Any], _ name: String) -> String {
    "\(things.count) \(name)\(things.count == 1 ? "" : "s")"
  }
}
