import CloudRecords

/// Validates the web addresses of applications that operators enter.
enum WebAddress {
  /// Validates and normalizes an origin: scheme, host and optional port.
  static func origin(_ text: String) throws(CloudError) -> String {
    let origin = APIToken.normalised(text)
    let rest = afterScheme(of: origin, among: ["http", "https"])
    guard let rest, !rest.isEmpty, rest.utf8.allSatisfy(isPartOfHost) else {
      throw CloudError(
        .badRequest,
        "“\(text)” is not an origin such as https://example.com or http://localhost:8080.")
    }
    return origin
  }

  /// Validates a callback address: the URL of a page, or one with an application's custom scheme.
  ///
  /// Fragments and the schemes `javascript`, `data` and `file` are rejected.
  static func callback(_ text: String) throws(CloudError) -> String {
    let isPrintable = text.utf8.allSatisfy { (0x21..<0x7F).contains($0) }
    guard isPrintable, !text.utf8.contains(UInt8(ascii: "#")),
      let rest = afterScheme(of: text, among: nil),
      !rest.isEmpty
    else {
      throw CloudError(
        .badRequest,
        "“\(text)” is not a callback address such as https://example.com/signed-in.")
    }
    return text
  }

  /// The part after `scheme://`.
  private static func afterScheme(of text: String, among schemes: [String]?) -> Substring? {
    guard let colon = text.firstIndex(of: ":"), text[colon...].hasPrefix("://") else { return nil }
    let scheme = text[..<colon]
    let isScheme = scheme.utf8.allSatisfy { isAlphanumeric($0) || "+-.".utf8.contains($0) }
    guard isScheme, !scheme.isEmpty, !["javascript", "data", "file"].contains(scheme.lowercased())
    else { return nil }
    if let schemes, !schemes.contains(String(scheme)) { return nil }
    return text[text.index(colon, offsetBy: 3)...]
  }

  private static func isPartOfHost(_ byte: UInt8) -> Bool {
    isAlphanumeric(byte) || "-.:[]".utf8.contains(byte)
  }

  private static func isAlphanumeric(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
      || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }
}
