internal import CloudTransport

/// Header fields as libcurl wants them.
enum RequestFields {
  /// A line for each field; and one for each that libcurl would add, so that it does not.
  static func lines(_ fields: [(name: String, value: String)]) -> [String] {
    let removed = ["Content-Type", "Expect", "Accept"].filter { name in
      !fields.contains { $0.name.isFieldName(name) }
    }.map { "\($0):" }
    return fields.map { $0.value.isEmpty ? "\($0.name);" : "\($0.name): \($0.value)" } + removed
  }
}
