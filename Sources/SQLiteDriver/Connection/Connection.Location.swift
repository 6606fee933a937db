extension Connection {
  /// The location of a database.
  package enum Location: Hashable, Sendable {
    /// A file, whose path is taken literally and never as a URI.
    case file(String)
    /// A private database in memory, which disappears with its connection.
    case memory
    /// SQLite's URI form, as <https://www.sqlite.org/uri.html> describes it, for parameters that
    /// `Options` lacks.
    case uri(String)
  }
}

extension Connection.Location: CustomStringConvertible {
  package var description: String {
    switch self {
    case .file(let path): path
    case .memory: ":memory:"
    case .uri(let uri): uri
    }
  }
}

extension Connection.Location {
  /// The URI that SQLite opens.
  ///
  /// A path becomes a URI in which `%`, `?` and `#` are percent-encoded, so that a file can have
  /// the name `file:a?b`.
  func uri(isImmutable: Bool) -> String {
    switch self {
    case .memory: return ":memory:"
    case .uri(let uri):
      guard isImmutable else { return uri }
      return uri + (uri.utf8.contains(UInt8(ascii: "?")) ? "&" : "?") + "immutable=1"
    case .file(let path):
      let scheme = path.utf8.first == UInt8(ascii: "/") ? "file://" : "file:"
      return scheme + Self.percentEncoded(path) + (isImmutable ? "?immutable=1" : "")
    }
  }

  private static func percentEncoded(_ path: String) -> String {
    let digits = Array("0123456789ABCDEF".utf8)
    var encoded: [UInt8] = []
    encoded.reserveCapacity(path.utf8.count)
    for byte in path.utf8 {
      switch byte {
      case UInt8(ascii: "%"), UInt8(ascii: "?"), UInt8(ascii: "#"):
        encoded += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 0xF)]]
      default: encoded.append(byte)
      }
    }
    return String(decoding: encoded, as: UTF8.self)
  }
}
