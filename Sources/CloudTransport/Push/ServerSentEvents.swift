/// Parses server-sent events (HTML's format `text/event-stream`) from a stream of bytes.
///
///     data: {"aps":…}      the event's data; several lines are joined by line feeds
///                          an empty line ends the event
///     :                    a comment, which keeps the connection alive
///     schema: 3f9c…        the schema's version: Parhelion's addition, which other clients ignore
///
/// Events without data are ignored, and so are names and identifiers. Parsing continues across
/// pieces.
package struct ServerSentEvents: Sendable {
  /// The maximum size of an event.
  ///
  /// Notifications have a few hundred bytes.
  private static let longestEvent = 1 << 20

  private var line: [UInt8] = []
  private var data: [UInt8]?
  private var schema: String?
  private var lastWasReturn = false

  package init() {}

  /// Parses bytes, and returns the data of the events that end in them.
  package mutating func take(_ bytes: [UInt8]) throws(TransportError) -> [[UInt8]] {
    var events: [[UInt8]] = []
    for byte in bytes {
      let isLineFeedOfReturn = byte == UInt8(ascii: "\n") && lastWasReturn
      lastWasReturn = byte == UInt8(ascii: "\r")
      if isLineFeedOfReturn { continue }
      guard byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") else {
        line.append(byte)
        continue
      }
      if let event = endLine() { events.append(event) }
    }
    guard line.count + (data?.count ?? 0) <= Self.longestEvent else {
      throw TransportError(
        .malformed, "An event has more than \(Self.longestEvent) bytes.", mayHaveArrived: true)
    }
    return events
  }

  /// Returns the latest schema version since the last call, or nil.
  package mutating func takeSchema() -> String? {
    defer { schema = nil }
    return schema
  }

  /// Parses a complete line, and returns the event that it ends, if any.
  private mutating func endLine() -> [UInt8]? {
    defer { line.removeAll(keepingCapacity: true) }
    guard !line.isEmpty else {
      defer { data = nil }
      return data
    }
    let name = line.prefix { $0 != UInt8(ascii: ":") }
    var value = line[name.endIndex...].dropFirst()
    if value.first == UInt8(ascii: " ") { value = value.dropFirst() }
    if name.elementsEqual("schema".utf8) { schema = String(decoding: value, as: UTF8.self) }
    guard name.elementsEqual("data".utf8) else { return nil }
    // The value is appended in place, because an event may have as many lines as bytes.
    if data != nil { data?.append(UInt8(ascii: "\n")) }
    data = data ?? []
    data?.append(contentsOf: value)
    return nil
  }
}
