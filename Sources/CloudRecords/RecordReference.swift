/// A reference from a field to another record, usually of the same zone.
package struct RecordReference: Hashable, Sendable {
  /// The effect of the target's deletion on the referencing record.
  ///
  /// The raw value is stored.
  package enum Action: UInt8, CaseIterable, Hashable, Sendable {
    /// Nothing. The reference may dangle.
    case none = 0
    /// The referencing record is deleted too.
    case deleteSelf = 1
    /// The target must exist when the reference is saved, and cannot be deleted while it is
    /// referenced.
    case validate = 2

    package var name: String {
      switch self {
      case .none: "NONE"
      case .deleteSelf: "DELETE_SELF"
      case .validate: "VALIDATE"
      }
    }

    package init?(name: String) {
      guard let action = Self.allCases.first(where: { $0.name == name }) else { return nil }
      self = action
    }
  }

  package var recordName: String
  /// The target's zone; nil for the zone of the referencing record.
  package var zone: RecordZoneIdentifier?
  package var action: Action

  package init(recordName: String, zone: RecordZoneIdentifier? = nil, action: Action = .none) {
    self.recordName = recordName
    self.zone = zone
    self.action = action
  }
}
