import CloudRecords

extension RecordFields {
  /// Whether a value is of a type that leads to other records or to files: most records have none,
  /// and need not be looked through for them.
  var haveLinks: Bool {
    entries.contains { entry in
      switch entry.field.value {
      case .reference, .asset, .list(of: .reference, _), .list(of: .asset, _): true
      default: false
      }
    }
  }
}
