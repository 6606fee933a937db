/// What a device says: one line on its standard output.
package enum DemoMessage: Codable, Equatable, Sendable {
  /// An order was carried out.
  ///
  /// The span is that of its save, or of the save that was waited for; none where there was none.
  case done(order: Int, span: DemoSpan)
  /// An order could not be carried out.
  case refused(order: Int, reason: String)
  /// How much the device has.
  case sum(order: Int, DemoSum)
  /// What the device has now.
  case shows(view: DemoView)
  /// What the server has, and the titles of the notes whose attachments are files there.
  case server(contents: DemoContents, filed: [String])
}

/// What a device shows: its contents, and where its changes are.
package struct DemoView: Codable, Equatable, Sendable {
  package let contents: DemoContents
  package let phase: String
  /// The changes that wait to be sent.
  package let pendingCount: Int
  /// When the contents were there to be shown, by the machine's clock of nanoseconds.
  package let seenAt: UInt64

  package init(contents: DemoContents, phase: String, pendingCount: Int, seenAt: UInt64) {
    (self.contents, self.phase, self.pendingCount, self.seenAt) = (
      contents, phase, pendingCount, seenAt
    )
  }
}
