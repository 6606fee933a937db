/// A field that every record has.
///
/// The raw value is the name in schemas and in stored queries; `apiName` is the name in requests.
package enum SystemField: String, CaseIterable, Hashable, Sendable {
  case recordIdentifier = "___recordID"
  case createdTime = "___createTime"
  case createdBy = "___createdBy"
  case modifiedTime = "___modTime"
  case modifiedBy = "___modifiedBy"
  case changeTag = "___etag"
  case parent = "___parent"
  case share = "___share"

  /// The name in requests, such as `createdTimestamp`.
  package var apiName: String {
    switch self {
    case .recordIdentifier: "recordName"
    case .createdTime: "createdTimestamp"
    case .createdBy: "createdUserRecordName"
    case .modifiedTime: "modifiedTimestamp"
    case .modifiedBy: "modifiedUserRecordName"
    case .changeTag: "recordChangeTag"
    case .parent: "parent"
    case .share: "share"
    }
  }

  /// The type of the field's values.
  ///
  /// Names of users and records count as references.
  package var type: FieldType {
    switch self {
    case .createdTime, .modifiedTime: .timestamp
    case .changeTag: .string
    case .recordIdentifier, .createdBy, .modifiedBy, .parent, .share: .reference
    }
  }

  private static let byAPIName = Dictionary(uniqueKeysWithValues: allCases.map { ($0.apiName, $0) })

  /// Creates a field from its name in requests, such as `recordName`.
  package init?(apiName: String) {
    guard let field = Self.byAPIName[apiName] else { return nil }
    self = field
  }
}
