import CloudRecords
import RecordStorage

/// Propagates a change of shares down the trees of records, after a draft was stored.
///
/// A tree may exceed memory. So each record is read, updated and stored individually, and only the
/// path to it is kept, with some child names per level:
///
/// ```
/// root ─▶ children, a hundred names at a time ─▶ the children of each updated one ─▶ …
/// ```
///
/// Records with their own share, and those that the draft moved, end the descent.
struct CoverageWalk {
  /// A record of a draft whose children may have another covering share than before.
  struct Root {
    let name: String
    /// The share that covers children without their own.
    let inheritedShare: String?
  }

  /// A level of the path: a record whose children are visited.
  private struct Level {
    let parent: Root
    /// Names that were read but not visited; the next one is last.
    var names: [String] = []
    /// The last child that was read.
    var last: StorageKey?
    var isAtEnd = false
  }

  private let draft: ZoneDraft
  private let indexes: ZoneIndexes
  private let transaction: any StorageWriting
  private var levels: [Level] = []

  init(below draft: ZoneDraft, in transaction: any StorageWriting) throws {
    self.draft = draft
    self.transaction = transaction
    indexes = try ZoneIndexes(of: draft.zone, draft.keys, in: transaction)
  }

  mutating func run(from roots: [Root]) throws {
    for root in roots {
      levels = [Level(parent: root)]
      while let (name, inheritedShare) = try nextChild() {
        if let next = try stamp(name, under: inheritedShare) { levels.append(Level(parent: next)) }
      }
    }
  }

  /// The next record, with the share that it inherits; nil at the end.
  private mutating func nextChild() throws -> (name: String, inheritedShare: String?)? {
    while var level = levels.popLast() {
      if level.names.isEmpty { try readNames(of: &level) }
      guard let name = level.names.popLast() else { continue }
      levels.append(level)
      return (name, level.parent.inheritedShare)
    }
    return nil
  }

  private func readNames(of level: inout Level) throws {
    guard !level.isAtEnd else { return }
    let all = draft.keys.children(of: level.parent.name)
    let range = level.last.map { StorageRange(from: $0.successor, to: all.upper) } ?? all
    let found = try transaction.entries(in: range, limit: ServerLimits.childrenAtOnce)
    level.isAtEnd = found.count < ServerLimits.childrenAtOnce
    level.last = found.last?.key
    level.names = try found.reversed().map {
      try ZoneKeys.texts(1, of: $0.key.bytes.span, after: all)[0]
    }
  }

  /// Updates the covering share of a record.
  ///
  /// - Returns: The record with the share for its children; nil if its children do not change.
  private func stamp(_ name: String, under inheritedShare: String?) throws -> Root? {
    guard let place = try draft.placeStored(name), case .record(let record) = place.entry else {
      return nil
    }
    let inheritedShare = record.shareName ?? inheritedShare
    let now = record.share.map { $0.rootName == nil ? nil : name } ?? inheritedShare
    guard now != record.coveringShareName else { return nil }
    var covered = record
    (covered.coveringShareName, covered.formerShares) = (
      now, try draft.former(of: place.entry, now: now)
    )
    try draft.move(covered, from: place, indexes, in: transaction)
    return Root(name: name, inheritedShare: inheritedShare)
  }
}
