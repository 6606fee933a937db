import CloudRecords

extension RecordFields {
  /// Whether any value references records or files.
  ///
  /// Most records have none and need no further processing.
  var containsLinks: Bool { entries.contains { $0.field.value.holdsLinks } }
}

extension FieldValue {
  /// Whether the value is a reference or a list of references.
  var holdsReferences: Bool {
    switch self {
    case .reference, .list(of: .reference, _): true
    default: false
    }
  }

  /// Whether the value references records or files.
  var holdsLinks: Bool { holdsReferences || holdsFiles }
}
