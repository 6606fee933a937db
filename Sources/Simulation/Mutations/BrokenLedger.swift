import MirrorLedger
import MirrorModel
import SQLiteDriver

/// Defects of an engine's stored state, as triggers in the tables of its ledger.
extension Mutation {
  /// Plants the defect in a ledger, where it stays.
  func plant(in ledger: Ledger) throws {
    let triggers = triggers
    guard !triggers.isEmpty else { return }
    try ledger.write { connection in
      for (number, trigger) in triggers.enumerated() {
        try connection.execute("CREATE TRIGGER IF NOT EXISTS BROKEN_\(number) \(trigger)")
      }
    }
  }

  private var triggers: [String] {
    switch self {
    case .dropAcknowledgement:
      Self.rows.map { table, row in
        "AFTER UPDATE OF pending ON \(table) WHEN OLD.pending IS NOT NULL AND NEW.pending IS NULL "
          + "BEGIN UPDATE \(table) SET pending = OLD.pending, grp = OLD.grp WHERE \(row); END"
      }
    case .confuseReceipts:
      ["INSERT", "UPDATE OF system"].map { change in
        "AFTER \(change) ON PHM_OBJECT_SYSTEM WHEN NEW.system IS NOT (\(Self.neighbour)) BEGIN "
          + "UPDATE PHM_OBJECT_SYSTEM SET system = ifnull((\(Self.neighbour)), system) "
          + "WHERE \(Self.rows[0].row); END"
      }
    case .forgetDeferred:
      [Self.ignoring("INSERT ON PHM_DEFERRED", "NEW.kind IN (\(Self.deferred))")]
    case .forgetSuccessions: [Self.ignoring("INSERT ON PHM_DUPLICATE", "NEW.sent = 0")]
    case .forgetGrowth: [Self.ignoring("INSERT ON PHM_STATE", "NEW.name LIKE 'relisting%'")]
    case .yieldReferences:
      [
        "AFTER UPDATE OF sent ON PHM_OBJECT WHEN NEW.sent IS NOT NULL BEGIN UPDATE PHM_OBJECT "
          + "SET s0 = s0 & ~(SELECT ifnull(sum(1 << number), 0) FROM PHM_NAME WHERE kind = 1 "
          + "AND owner = NEW.entity AND name = 'board') WHERE \(Self.rows[0].row); END"
      ]
    case .partDoubles:
      [
        "AFTER INSERT ON PHM_DEFERRED WHEN NEW.kind = \(DeferredItem.Kind.surplus.rawValue) "
          + "AND NEW.dependency <> '' BEGIN DELETE FROM PHM_DEFERRED WHERE kind = NEW.kind "
          + "AND zone = NEW.zone AND record = NEW.record; INSERT OR REPLACE INTO PHM_DEFERRED("
          + "kind, entity, key, zone, record, property, dependency) VALUES(NEW.kind, 0, 0, "
          + "NEW.zone, NEW.record, 0, ''), (NEW.kind, 0, 0, NEW.zone, NEW.dependency, 0, ''); END"
      ]
    case .forgetReaders:
      Self.rows.flatMap { table, row in
        ["INSERT", "UPDATE OF readers"].map { change in
          "AFTER \(change) ON \(table)_SYSTEM WHEN NEW.readers IS NOT \(Self.allReaders) "
            + "BEGIN UPDATE \(table)_SYSTEM SET readers = \(Self.allReaders) WHERE \(row); END"
        }
      }
    case .forgetChild:
      [Self.ignoring("UPDATE OF zone ON PHM_OBJECT", "\(Self.moves) AND NEW.key % 3 = 0")]
    case .leavePairs: [Self.ignoring("UPDATE OF zone ON PHM_PAIR", Self.moves)]
    case .hideLowering:
      [
        "AFTER UPDATE OF readonly ON PHM_ZONE WHEN NEW.readonly BEGIN UPDATE PHM_ZONE "
          + "SET readonly = 0 WHERE number = NEW.number; END"
      ]
    case .dropStrayEdits:
      [
        "AFTER INSERT ON PHM_DEFERRED WHEN NEW.kind = \(DeferredItem.Kind.former.rawValue) BEGIN "
          + "UPDATE PHM_DEFERRED SET payload = NULL WHERE kind = NEW.kind AND zone = NEW.zone "
          + "AND record = NEW.record; END"
      ]
    default: []
    }
  }

  /// The tables of records, each with the condition that selects the row of a trigger.
  private static let rows = [
    (table: "PHM_OBJECT", row: "entity = NEW.entity AND key = NEW.key"),
    (
      table: "PHM_PAIR",
      row: "relationship = NEW.relationship AND first = NEW.first AND second = NEW.second"
    ),
  ]

  /// The system fields of the first other object of the entity.
  private static let neighbour =
    "SELECT s.system FROM PHM_OBJECT_SYSTEM s WHERE s.entity = NEW.entity AND s.key <> NEW.key "
    + "AND s.system IS NOT NULL ORDER BY s.key LIMIT 1"

  /// The bits of all readers.
  private static let allReaders = Int64.max >> 1

  /// The kinds of items that are deferred until records arrive.
  private static let deferred = [DeferredItem.Kind.reference, .contested, .pair].map {
    String($0.rawValue)
  }.joined(separator: ", ")

  /// The condition of an update by which this device moves a record to another zone.
  private static let moves =
    "NEW.zone <> OLD.zone AND NEW.pending = 0 AND NEW.tag IS NULL AND NEW.reach = 0"

  /// A trigger that drops a change of a row.
  private static func ignoring(_ change: String, _ condition: String) -> String {
    "BEFORE \(change) WHEN \(condition) BEGIN SELECT RAISE(IGNORE); END"
  }
}
