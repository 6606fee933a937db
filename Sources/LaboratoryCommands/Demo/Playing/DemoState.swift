import ParhelionCommands

/// The state of the demonstration: everything that is drawn or awaited.
package struct DemoState: Sendable {
  /// The state of the server.
  package enum Server: Equatable, Sendable {
    case starting
    case running(port: UInt16)
    case killed(port: UInt16)
  }

  /// The last reported state of a device.
  package struct Device: Equatable, Sendable {
    package fileprivate(set) var view: DemoView?
    /// The changes of its content, oldest first.
    package fileprivate(set) var changes: [String] = []
    /// The time at which each title first appeared, in nanoseconds of the monotonic clock.
    package fileprivate(set) var firstSeen: [String: UInt64] = [:]

    package init() {}
  }

  /// The answer to an order.
  package enum Answer: Equatable, Sendable {
    case done(DemoSpan)
    case refused(String)
  }

  package var scene = (number: 0, count: 0, title: "")
  package var server = Server.starting
  package var seconds = 0.0
  package var latency: String?
  /// The log, oldest first.
  package private(set) var log: [String] = []
  package private(set) var devices: [DemoDeviceName: Device] = [:]
  package private(set) var answers: [Int: Answer] = [:]
  /// The server's content at its last reading, and the titles of notes whose attachments are files
  /// there.
  package private(set) var onServer = DemoContents()
  package private(set) var filed: Set<String> = []

  package init() {}

  /// The maximum number of log lines.
  private static let kept = 100

  /// The last reported content of a device.
  package func contents(of name: DemoDeviceName) -> DemoContents {
    devices[name]?.view?.contents ?? DemoContents()
  }

  /// Records a device's message.
  package mutating func take(_ message: DemoMessage, from name: DemoDeviceName) {
    switch message {
    case .done(let order, let span): answers[order] = .done(span)
    // The demonstration requests no sums.
    case .sum: break
    case .refused(let order, let reason): answers[order] = .refused(reason)
    case .shows(let view): devices[name, default: Device()].take(view)
    case .server(let contents, let filed): (onServer, self.filed) = (contents, Set(filed))
    }
  }

  /// Adds a line to the log.
  package mutating func say(_ line: String) { log = Array((log + [line]).suffix(Self.kept)) }

  /// The differences between the devices and the server, in sentences; empty if they agree.
  package var differences: [String] { DemoDeviceName.devices.flatMap { differences(of: $0) } }

  private func differences(of name: DemoDeviceName) -> [String] {
    guard let view = devices[name]?.view else {
      return ["The \(name.rawValue) has not shown anything."]
    }
    var sentences: [String] = []
    if view.pendingCount > 0 {
      let changes = Counted.text(view.pendingCount, "change")
      sentences.append("The \(name.rawValue) has \(changes) to send.")
    }
    guard view.contents != onServer else { return sentences }
    let lines = DemoChanges.lines(from: onServer, to: view.contents)
    return sentences
      + (lines.isEmpty ? ["something exists twice"] : lines).map {
        "The \(name.rawValue) differs from the server: \($0)"
      }
  }
}

extension DemoState.Device {
  fileprivate mutating func take(_ new: DemoView) {
    let known = Set(view?.contents.notes.map(\.title) ?? [])
    for note in new.contents.notes where !known.contains(note.title) && firstSeen[note.title] == nil
    {
      firstSeen[note.title] = new.seenAt
    }
    let lines = DemoChanges.lines(from: view?.contents ?? DemoContents(), to: new.contents)
    changes = Array((changes + lines).suffix(100))
    view = new
  }
}

/// The difference between two contents.
package enum DemoChanges {
  /// A line for each folder and note that was added (`+`), removed (`-`) or changed (`~`), folders
  /// first.
  package static func lines(from old: DemoContents, to new: DemoContents) -> [String] {
    let before = notes(old)
    let after = notes(new)
    let came = new.notes.filter { before[$0.title] == nil }.map { "+ \($0.line)" }
    let went = old.notes.filter { after[$0.title] == nil }.map { "- \($0.line)" }
    let changed = new.notes.filter { note in before[note.title].map { $0 != note } ?? false }.map {
      "~ \($0.line)"
    }
    let folders = new.folders.filter { !old.folders.contains($0) }.map { "+ folder \($0)" }
    let gone = old.folders.filter { !new.folders.contains($0) }.map { "- folder \($0)" }
    return folders + gone + went + changed + came
  }

  private static func notes(_ contents: DemoContents) -> [String: DemoNote] {
    Dictionary(contents.notes.map { ($0.title, $0) }, uniquingKeysWith: { first, _ in first })
  }
}
