package import CloudRecords
package import ObjectRows

/// Something that waits for something else before it is applied or done.
///
/// All deferred work is an item of some kind. Items live in one table, and are resolved when their
/// dependency arrives, when a feed ends, or when their record is refetched.
package struct DeferredItem: Hashable, Sendable {
  /// The kind of a deferred item; the raw values are those of the table.
  package enum Kind: Int, CaseIterable, Sendable {
    /// A to-one reference to a record that has not arrived.
    case reference = 1
    /// A one-to-one reference whose target another object still references, until the feed ends.
    case contested = 2
    /// A join record with an end that has not arrived.
    case pair = 3
    /// An order that names members that have not arrived.
    case order = 4
    /// A value that this program cannot read, such as one whose transformer fails.
    case value = 5
    /// A record that no device can read: a file is gone, or a value is damaged.
    case unreadable = 6
    /// A record whose values cannot be read before keys arrive or a person is confirmed, with the
    /// kind of the error as payload.
    case sealed = 7
    /// A record that absorbed a duplicate which this device does not know. It waits for the end of
    /// the feed, because relationships of the duplicate may arrive later.
    case successor = 8
    /// A public record that the store could not use, with its tag as reason, so that it is not
    /// fetched again.
    case ignored = 9
    /// A duplicate that is to merge into its dependency, the winner, at the end of the feed.
    case duplicate = 10
    /// A second record of a pair, to delete once the server has the one that it depends on.
    case surplus = 11
    /// The former record of an object or a pair that moved to another zone, with its tag as reason
    /// and the digests of its properties. It is deleted when the server has the new record.
    case former = 12
    /// An object in a share's zone whose related objects may have to follow. Only the ledger uses
    /// it.
    case moving = 13
  }

  /// The subject that waits: a property of an object, a record, or a join record.
  package enum Subject: Hashable, Sendable {
    case property(RowKey, ordinal: Int)
    case record(RecordIdentifier)
    /// A join record of a relationship, in the direction of the ledger.
    case pair(RecordIdentifier, entity: String, relationship: String)
  }

  package let kind: Kind
  package let subject: Subject
  /// The zone of the record and of the dependency; nil for values.
  package let zone: RecordZoneIdentifier?
  /// The name of the record that it waits for.
  package let dependency: String?
  package let reason: String?
  package let payload: [UInt8]?

  package init(
    _ kind: Kind, _ subject: Subject, in zone: RecordZoneIdentifier? = nil,
    dependency: String? = nil, reason: String? = nil, payload: [UInt8]? = nil
  ) {
    (self.kind, self.subject, self.dependency) = (kind, subject, dependency)
    (self.reason, self.payload) = (reason, payload)
    switch subject {
    case .property: self.zone = zone
    case .record(let record), .pair(let record, _, _): self.zone = record.zone
    }
  }

  /// A reference of an object that waits for a record, or for the object that has its target.
  package static func reference(
    _ source: RowKey, _ ordinal: Int, to target: RecordIdentifier, isContested: Bool = false
  ) -> Self {
    Self(
      isContested ? .contested : .reference, .property(source, ordinal: ordinal), in: target.zone,
      dependency: target.recordName)
  }

  /// The record that it waits for.
  package var target: RecordIdentifier? {
    guard let zone, let dependency else { return nil }
    return RecordIdentifier(recordName: dependency, zone: zone)
  }

  /// The object and the ordinal of a property.
  package var property: (object: RowKey, ordinal: Int)? {
    if case .property(let object, let ordinal) = subject { (object, ordinal) } else { nil }
  }

  /// The record that waits.
  package var record: RecordIdentifier? {
    switch subject {
    case .property: nil
    case .record(let record), .pair(let record, _, _): record
    }
  }
}

extension DeferredItem.Kind {
  /// The kinds of to-one references; a reference waits for one target at a time.
  package static let references: [Self] = [.reference, .contested]
  /// The kinds whose subject is a property.
  package static let ofProperties: [Self] = references + [.order, .value]
  /// The kinds that a received record settles.
  package static let ofRecords: [Self] = [.unreadable, .sealed, .successor]
}

extension DeferredItem: Comparable {
  /// Compares subject, kind and dependency, so that the order is the same in each run.
  package static func < (one: Self, other: Self) -> Bool { one.sortKey < other.sortKey }

  private var sortKey: (Int32, Int64, Int, String, Int, String) {
    let place = property.map { ($0.object.layoutIndex, $0.object.key, $0.ordinal) } ?? (-1, 0, 0)
    return (
      place.0, place.1, place.2, record?.recordName ?? "", kind.rawValue, dependency ?? ""
    )
  }
}
