internal import CloudTransport

/// Header fields in libcurl's form.
enum RequestFields {
  /// Returns a line for each field, and a line that suppresses each field that libcurl would add.
  static func lines(_ fields: [(name: String, value: String)]) -> [String] {
    let removed = ["Content-Type", "Expect", "Accept"].filter { name in
      !fields.contains { $0.name.isFieldName(name) }
    }.map { "\($0):" }
    return fields.map { $0.value.isEmpty ? "\($0.name);" : "\($0.name): \($0.value)" } + removed
  }
}
