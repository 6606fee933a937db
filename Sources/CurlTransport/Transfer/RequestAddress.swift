internal import CloudTransport

/// What can be said about an address before it is used, and shown of it afterwards.
enum RequestAddress {
  /// Refuses what libcurl would take for something else than an address of HTTP.
  static func fault(in address: String) -> TransportFault? {
    let lowered = address.prefix(8).lowercased()
    guard lowered.hasPrefix("http://") || lowered.hasPrefix("https://") else {
      return TransportFault(.address, "“\(shown(address))” does not begin with https:// or http://.")
    }
    guard address.utf8.count <= Limits.addressBytes else {
      return TransportFault(
        .address, "The address at \(host(of: address)) has more than \(Limits.addressBytes) bytes. Send less in it.")
    }
    guard address.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
      return TransportFault(
        .address,
        "The address at \(host(of: address)) has characters that addresses must not have. Percent-encode them.")
    }
    return nil
  }

  /// The host and port, without who asks for what: tokens stand there.
  static func host(of address: String) -> String {
    guard let start = address.firstRange(of: "://")?.upperBound else { return shown(address) }
    let authority = address[start...].prefix { !"/?#".contains($0) }
    return shown(
      authority.lastIndex(of: "@").map { String(authority[authority.index(after: $0)...]) } ?? String(authority))
  }

  private static func shown(_ text: String) -> String { String(text.prefix { !"?#".contains($0) }.prefix(80)) }
}

/// What can be said about header fields before they are sent.
enum RequestFields {
  /// Refuses fields that would become two, or end the head.
  static func fault(in fields: [(name: String, value: String)]) -> TransportFault? {
    for (name, value) in fields
    where !isName(name) || value.utf8.contains(where: { $0 < 0x20 && $0 != 9 || $0 == 0x7F }) {
      return TransportFault(
        .address,
        "The field “\(name.prefix(80))” has a name or a value with characters that header fields must not have.")
    }
    return nil
  }

  private static func isName(_ name: String) -> Bool {
    !name.isEmpty && name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && !"\"(),/:;<=>?@[\\]{}".utf8.contains($0) }
  }

  /// The lines that libcurl wants, with those fields left out that it would add.
  static func lines(_ fields: [(name: String, value: String)]) -> [String] {
    let given = Set(fields.map { $0.name.lowercased() })
    let removed = ["Content-Type", "Expect", "Accept"].filter { !given.contains($0.lowercased()) }.map { "\($0):" }
    return fields.map { $0.value.isEmpty ? "\($0.name);" : "\($0.name): \($0.value)" } + removed
  }
}
