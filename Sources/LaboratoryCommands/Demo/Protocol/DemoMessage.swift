/// A message of a device: one line on its standard output.
package enum DemoMessage: Codable, Equatable, Sendable {
  /// An order was carried out.
  ///
  /// The span is that of its save, or of the save that it waited for, if any.
  case done(order: Int, span: DemoSpan)
  /// An order failed.
  case refused(order: Int, reason: String)
  /// The counts and the digest of the device's content.
  case sum(order: Int, DemoSum)
  /// The device's present content.
  case shows(view: DemoView)
  /// The server's content, and the titles of the notes whose attachments are files there.
  case server(contents: DemoContents, filed: [String])
}

/// A device's content and sync state.
package struct DemoView: Codable, Equatable, Sendable {
  package let contents: DemoContents
  package let phase: String
  /// The number of pending changes.
  package let pendingCount: Int
  /// The time at which the content was available, by the system's monotonic clock in nanoseconds.
  package let seenAt: UInt64

  package init(contents: DemoContents, phase: String, pendingCount: Int, seenAt: UInt64) {
    (self.contents, self.phase, self.pendingCount, self.seenAt) = (
      contents, phase, pendingCount, seenAt
    )
  }
}
