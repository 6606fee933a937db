import BinaryCoding
package import CloudRecords

/// A token that identifies an application, with the container and environment that it may use.
package struct APIToken: Hashable, Sendable {
  /// Identifies the token to operators; it authenticates nothing.
  package let identifier: String
  package let container: ContainerAddress
  package let realm: Realm
  /// The operators' label for the application.
  package var label: String
  /// The web origins that may use the token, such as `https://example.com`; empty allows all.
  package var allowedOrigins: [String]
  /// The URL to which a browser is redirected after sign-in.
  ///
  /// If it is nil, the sign-in page posts the web token to the page that opened it, or shows it.
  package var callbackURL: String?
  package let created: Timestamp
  package var expires: Timestamp?
  package var revoked: Timestamp?

  /// Whether the token is valid.
  package func isGood(at now: Timestamp) -> Bool {
    revoked == nil && expires.map { now < $0 } ?? true
  }

  /// Whether a page of an origin may use the token.
  ///
  /// - Parameter origin: The origin from the browser; nil for other programs.
  package func allows(origin: String?) -> Bool {
    guard let origin, !allowedOrigins.isEmpty else { return true }
    return allowedOrigins.contains(Self.normalised(origin))
  }

  /// Lowercases an origin, whose scheme and host are case-insensitive.
  static func normalised(_ origin: String) -> String { origin.lowercased() }
}

// MARK: - Stored encoding

extension APIToken {
  private static let version: UInt8 = 1

  var bytes: [UInt8] {
    var form = BinaryWriter(capacity: 192)
    form.byte(Self.version)
    form.text(identifier)
    container.write(to: &form)
    form.number(realm.number)
    form.text(label)
    form.count(allowedOrigins.count)
    for origin in allowedOrigins { form.text(origin) }
    form.optional(callbackURL) { $0.text($1) }
    form.signed(created.milliseconds)
    form.optional(expires) { $0.signed($1.milliseconds) }
    form.optional(revoked) { $0.signed($1.milliseconds) }
    return form.bytes
  }

  init(bytes: [UInt8]) throws {
    var form = BinaryReader(bytes)
    guard try form.byte() == Self.version else { throw form.error("an unknown form of API token") }
    identifier = try form.text()
    container = try ContainerAddress(from: &form)
    realm = Realm(number: try form.number())
    label = try form.text()
    allowedOrigins = []
    for _ in 0..<(try form.count()) { allowedOrigins.append(try form.text()) }
    callbackURL = try form.optional { (form) throws(BinaryCodingError) in try form.text() }
    created = Timestamp(milliseconds: try form.signed())
    expires = try form.optional { (form) throws(BinaryCodingError) in
      Timestamp(milliseconds: try form.signed())
    }
    revoked = try form.optional { (form) throws(BinaryCodingError) in
      Timestamp(milliseconds: try form.signed())
    }
    guard form.isAtEnd else { throw form.error("extra bytes after the end of an API token") }
  }
}
