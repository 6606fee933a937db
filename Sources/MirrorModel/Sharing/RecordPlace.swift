package import CloudRecords

/// The zone and the number of moves of a record, which decide whether the record is its object's.
///
/// A record keeps its name when it moves. Devices see records with the same name in any order, and
/// all decide the same.
package struct RecordPlace: Hashable, Sendable {
  package var zone: RecordZoneIdentifier
  package var moves: Int64

  package init(zone: RecordZoneIdentifier, moves: Int64) {
    (self.zone, self.moves) = (zone, moves)
  }

  /// Decides which of two records with the same name is the object's.
  ///
  /// The record that moved more often is. After two concurrent moves, a share wins over the home
  /// zone, and of two shares the one with the smaller name. An unsent move yields to a sent one,
  /// since no other device knows it.
  ///
  /// - Parameters:
  ///   - present: The record in another zone that the device has for the object.
  ///   - isPresentSaved: Whether the server is known to have that record.
  ///   - isPresentSent: Whether the server may have that record.
  ///   - isFormer: Whether the object left this record on this device.
  package func decision(
    over present: RecordPlace, isPresentSaved: Bool, isPresentSent: Bool, isFormer: Bool,
    home: RecordZoneIdentifier
  ) -> MoveDecision {
    let yields = !isPresentSent && moves == present.moves
    guard yields || takesPlace(of: present, home: home) else {
      // The device that moved the object can tell which edits other devices made since, and applies
      // them to the new record.
      return .isStray(isLeftToMover: !isFormer && moves < present.moves)
    }
    // The device that moved the record deletes the former one, except after two concurrent moves.
    return .takesPlace(leavesPresent: isPresentSaved && moves != present.moves &+ 1)
  }

  /// Whether this record wins; knowledge that only one of the comparing devices has must not count.
  private func takesPlace(of present: RecordPlace, home: RecordZoneIdentifier) -> Bool {
    if moves != present.moves { return moves > present.moves }
    if zone == home || present.zone == home { return zone != home }
    return zone < present.zone
  }
}

/// The meaning of a record whose object has another record in another zone.
package enum MoveDecision: Hashable, Sendable {
  /// The record is the object's from now on.
  ///
  /// - Parameter leavesPresent: Whether this device deletes the present record.
  case takesPlace(leavesPresent: Bool)
  /// The object left the record, or the record lost against the present one. It is to be deleted.
  ///
  /// - Parameter isLeftToMover: Whether another device moved the object, and deletes the record.
  case isStray(isLeftToMover: Bool)
}

/// The decision about a record that a moved object has left.
package enum FormerRecordDecision: Hashable, Sendable {
  /// The server has the new record, or the object is gone.
  case delete
  /// The object came back, so the record is its own again.
  case stands
  /// The server may not have the new record yet.
  case wait

  /// A device's knowledge of a record of an object.
  package enum Knowledge: Hashable, Sendable {
    /// There is no such record.
    case none
    /// The record or a change of it is pending.
    case unsaved
    /// The server has the record.
    case saved
  }

  /// Decides about a former record.
  ///
  /// - Parameters:
  ///   - here: The object's record in the same zone.
  ///   - elsewhere: The object's record in another zone.
  package init(here: Knowledge, elsewhere: Knowledge) {
    switch (here, elsewhere) {
    case (.saved, _): self = .stands
    case (.unsaved, _), (.none, .unsaved): self = .wait
    case (.none, .none), (.none, .saved): self = .delete
    }
  }
}

/// Edits of a record by devices that did not know that its object had left it.
package enum StrayEdits {
  /// The properties whose values go to the object's new record.
  ///
  /// - Parameters:
  ///   - former: The digests of the record when the object left it.
  ///   - present: The digests of the record now.
  ///   - local: The digests of the object on this device, whose own changes win.
  package static func properties(
    former: [String: UInt64], present: [String: UInt64], local: [String: UInt64]
  ) -> Set<String> {
    Set(
      present.filter { name, digest in
        former[name].map { $0 != digest && $0 == local[name] } ?? false
      }.keys)
  }
}
