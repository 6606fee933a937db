/// The changes that a restored server lost.
///
/// The server sends this value to a client whose token is from before the restore. Change tags are
/// treated as numbers here. Parhelion's addition.
package struct LostHistory: Hashable, Sendable {
  /// Tags greater than `after`, up to `through`.
  package struct Range: Hashable, Sendable {
    package var after: UInt64
    /// Nil for an open range: the tags of a history that this server never had.
    package var through: UInt64?

    package init(after: UInt64, through: UInt64?) {
      self.after = after
      self.through = through
    }
  }

  /// In ascending order.
  package var lost: [Range]
  /// The tag up to which the client had read everything that the server still has; nil if that is
  /// unknown.
  package var readThrough: UInt64?

  package init(lost: [Range], readThrough: UInt64? = nil) {
    self.lost = lost
    self.readThrough = readThrough
  }
}

// MARK: - Checking tags

extension LostHistory {
  /// Whether the server lost the change that gave a record its tag.
  ///
  /// Use it only for tags that the client had before it received this value: later saves reuse the
  /// ranges.
  package func isLost(tag: String?) -> Bool {
    guard let number = Self.number(tag) else { return false }
    return lost.contains { $0.after < number && number <= $0.through ?? .max }
  }

  /// Whether the client had read this version of the record before the server was restored.
  package func wasRead(tag: String?) -> Bool {
    guard let readThrough, let number = Self.number(tag) else { return false }
    return number <= readThrough && !isLost(tag: tag)
  }

  /// The number of a tag; nil if the server cannot have created it.
  private static func number(_ tag: String?) -> UInt64? { tag.flatMap { UInt64($0, radix: 36) } }
}

// MARK: - Text form

extension LostHistory {
  /// The text that a client stores until it has read the zone again: `lost ranges;readThrough`.
  package var text: String {
    let ranges = lost.map { "\(Self.text($0.after))-\($0.through.map(Self.text) ?? "")" }
    return ranges.joined(separator: ",") + ";" + (readThrough.map(Self.text) ?? "")
  }

  /// Reads the form that `text` writes; nil for anything else.
  package init?(text: String) {
    let parts = text.split(separator: ";", omittingEmptySubsequences: false)
    guard parts.count == 2 else { return nil }
    var lost: [Range] = []
    for part in parts[0].split(separator: ",", omittingEmptySubsequences: true) {
      let ends = part.split(separator: "-", omittingEmptySubsequences: false)
      guard ends.count == 2, let after = UInt64(ends[0], radix: 36) else { return nil }
      let through = UInt64(ends[1], radix: 36)
      guard through != nil || ends[1].isEmpty else { return nil }
      lost.append(Range(after: after, through: through))
    }
    let readThrough = UInt64(parts[1], radix: 36)
    guard readThrough != nil || parts[1].isEmpty else { return nil }
    self.init(lost: lost, readThrough: readThrough)
  }

  private static func text(_ number: UInt64) -> String { String(number, radix: 36) }
}
