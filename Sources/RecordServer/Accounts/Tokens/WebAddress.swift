import CloudRecords

/// What operators give as addresses of applications.
enum WebAddress {
  /// An origin as browsers write it: scheme, host, perhaps a port.
  static func origin(_ text: String) throws(CloudError) -> String {
    let origin = APIToken.normalised(text)
    let rest = afterScheme(of: origin, among: ["http", "https"])
    guard let rest, !rest.isEmpty, rest.utf8.allSatisfy(isPartOfHost) else {
      throw CloudError(
        .badRequest,
        "“\(text)” is no origin. One looks like https://example.com or http://localhost:8080.")
    }
    return origin
  }

  /// Where a browser can be sent: a page, or an application by a scheme of its own, but nothing
  /// that the browser would run.
  static func callback(_ text: String) throws(CloudError) -> String {
    let isPrintable = text.utf8.allSatisfy { (0x21..<0x7F).contains($0) }
    guard isPrintable, !text.utf8.contains(UInt8(ascii: "#")),
      let rest = afterScheme(of: text, among: nil),
      !rest.isEmpty
    else {
      throw CloudError(
        .badRequest,
        "“\(text)” is no address to call back. One looks like https://example.com/signed-in.")
    }
    return text
  }

  /// What follows `scheme://`.
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
