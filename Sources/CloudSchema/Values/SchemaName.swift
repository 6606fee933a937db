import CloudRecords

/// What names in schemas may look like.
///
/// `CloudName` allows dots, which names of the system have; nobody else may use them, since the
/// language of schemas has no way to say so.
enum SchemaName {
  case recordType
  /// A field of the record type that is given.
  case field(of: String)
  case role

  /// The sentence for names that are refused.
  static let remedy = "Names are a letter, then letters, digits and underscores."

  /// What is wrong with a name, as the end of a sentence that begins with it; nil if nothing is.
  func fault(in name: String) -> String? {
    let kind: CloudName = if case .recordType = self { .recordType } else { .fieldName }
    if let fault = kind.fault(in: name) { return fault }
    return name.utf8.contains(UInt8(ascii: ".")) && !isOfSystem(name)
      ? "has a dot, which only the system's names have" : nil
  }

  private func isOfSystem(_ name: String) -> Bool {
    switch self {
    case .recordType: SystemType(rawValue: name) != nil
    case .field(let type): SystemType(rawValue: type)?.field(named: name) != nil
    case .role: false
    }
  }
}
