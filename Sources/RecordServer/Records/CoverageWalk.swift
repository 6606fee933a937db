import CloudRecords
import RecordStorage

/// Carries a change of shares down the trees of parents, behind a draft that was stored.
///
/// A tree may have more records than fit into memory. So each is read, stamped and stored by
/// itself, and kept in mind is the way down to it alone, with some of the names on each level:
///
/// ```
/// root ─▶ children, a hundred names at a time ─▶ the children of the one that was stamped ─▶ …
/// ```
///
/// What belongs where it should ends the way down: records that have a share of their own, and
/// those that the draft has moved.
struct CoverageWalk {
  /// A record of a draft whose children may belong to another share than before.
  struct Root {
    let name: String
    /// The share that covers children that have none of their own.
    let handedDown: String?
  }

  /// A record whose children are visited.
  private struct Level {
    let parent: Root
    /// Names that were read and not visited yet, the next one last.
    var names: [String] = []
    /// The child that was read last.
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
      while let (name, handedDown) = try nextChild() {
        if let next = try stamp(name, under: handedDown) { levels.append(Level(parent: next)) }
      }
    }
  }

  /// The next record, with what is handed down to it; nil when all were visited.
  private mutating func nextChild() throws -> (name: String, handedDown: String?)? {
    while var level = levels.popLast() {
      if level.names.isEmpty { try readNames(of: &level) }
      guard let name = level.names.popLast() else { continue }
      levels.append(level)
      return (name, level.parent.handedDown)
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

  /// Says of a record to which share it belongs now.
  ///
  /// - Returns: The record with what it hands down; nil where its children belong where they did.
  private func stamp(_ name: String, under handedDown: String?) throws -> Root? {
    guard let place = try draft.placeStored(name), case .record(let record) = place.entry else {
      return nil
    }
    let handedDown = record.shareName ?? handedDown
    let now = record.share.map { $0.rootName == nil ? nil : name } ?? handedDown
    guard now != record.coveringShareName else { return nil }
    var covered = record
    (covered.coveringShareName, covered.formerShares) = (
      now, try draft.former(of: place.entry, now: now)
    )
    try draft.move(covered, from: place, indexes, in: transaction)
    return Root(name: name, handedDown: handedDown)
  }
}
