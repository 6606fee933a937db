import CloudRecords

/// The rules for names in schemas.
///
/// `CloudName` allows dots for system names. Other names cannot contain dots, because the schema
/// language has no syntax for them.
enum SchemaName {
  case recordType
  /// A field of a record type.
  case field(of: String)
  case role

  /// The remedy for invalid names.
  static let remedy = "Names are a letter, then letters, digits and underscores."

  /// Says what is wrong with a name, as the predicate of a sentence about it; nil if it is valid.
  func defect(in name: String) -> String? {
    let kind: CloudName = if case .recordType = self { .recordType } else { .fieldName }
    if let defect = kind.defect(in: name) { return defect }
    return name.utf8.contains(UInt8(ascii: ".")) && !isOfSystem(name)
      ? "has a dot, which only system names have" : nil
  }

  private func isOfSystem(_ name: String) -> Bool {
    switch self {
    case .recordType: SystemType(rawValue: name) != nil
    case .field(let type): SystemType(rawValue: type)?.field(named: name) != nil
    case .role: false
    }
  }
}
