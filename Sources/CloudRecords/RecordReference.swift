/// A field's link to another record of the same zone.
package struct RecordReference: Hashable, Sendable {
  /// What the link means when its target goes.
  ///
  /// The raw value is part of stored forms.
  package enum Action: UInt8, CaseIterable, Hashable, Sendable {
    /// Nothing: the link may lead nowhere.
    case none = 0
    /// The record that holds the link goes with its target.
    case deleteSelf = 1
    /// The target must exist when the link is saved, and cannot go while the link stands.
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
  /// The target's zone; nil for the zone of the record that holds the link.
  package var zone: RecordZoneIdentifier?
  package var action: Action

  package init(recordName: String, zone: RecordZoneIdentifier? = nil, action: Action = .none) {
    self.recordName = recordName
    self.zone = zone
    self.action = action
  }
}
