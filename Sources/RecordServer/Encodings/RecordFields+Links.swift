import CloudRecords

extension RecordFields {
  /// Whether any value references records or files.
  ///
  /// Most records have none and need no further processing.
  var haveLinks: Bool {
    entries.contains { entry in
      switch entry.field.value {
      case .reference, .asset, .list(of: .reference, _), .list(of: .asset, _): true
      default: false
      }
    }
  }
}
