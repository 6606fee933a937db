/// What a device says: one line on its standard output.
package enum DemoMessage: Codable, Equatable, Sendable {
  /// An order was carried out.
  ///
  /// `saveBegan` says when its save began, by the machine's clock of nanoseconds; 0 where it saved nothing.
  case done(order: Int, saveBegan: UInt64)
  /// An order could not be carried out.
  case refused(order: Int, reason: String)
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
    (self.contents, self.phase, self.pendingCount, self.seenAt) = (contents, phase, pendingCount, seenAt)
  }
}
