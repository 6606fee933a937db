import BinaryCoding
package import CloudRecords
import CloudWire
import Cryptography
package import RecordStorage

/// Self-contained addresses and receipts, authenticated with a secret of the server.
///
/// The server stores nothing for them, and clients cannot forge them.
///
/// | kind | contents |
/// |---|---|
/// | 1, upload | expiry, realm, database, user, record if named, field, owner, a unique name |
/// | 2, download | expiry, checksum, size |
/// | 3, receipt | expiry, realm, user, record, field, checksum, size, database, owner |
///
/// The record, field, database and owner of a receipt are nil if it is not limited to them.
///
/// The kind is the first sealed byte, so that a ticket of one kind cannot be used as another.
package struct AssetTickets: AssetReceipts, AssetAddresses {
  enum Kind: UInt8 {
    case upload = 1
    case download = 2
    case receipt = 3
    /// The values that `marks(of:in:)` derives; never issued as a ticket.
    case mark = 4
  }

  /// The paths of the server that require a ticket.
  package static let (uploadPath, downloadPath) = ("/assets/upload", "/assets/download")
  /// The query parameter with the ticket.
  ///
  /// Logs omit the query.
  package static let parameter = "ticket"

  let secret: AssetSecret
  let dependencies: ServerDependencies

  /// Returns the tickets of a server, whose secret is loaded from its storage or created there.
  package static func open(
    _ engine: any StorageEngine, dependencies: ServerDependencies,
    randomBytes: (Int) -> [UInt8] = SecureRandom.bytes
  ) async throws -> AssetTickets {
    let secret = try await AssetSecret.open(engine, fresh: randomBytes(Secret.byteCount))
    return AssetTickets(secret: secret, dependencies: dependencies)
  }

  /// Creates tickets sealed with a given secret.
  package init(secretBytes: [UInt8], dependencies: ServerDependencies) {
    self.init(secret: AssetSecret(SecretRing(current: secretBytes)), dependencies: dependencies)
  }

  private init(secret: AssetSecret, dependencies: ServerDependencies) {
    self.secret = secret
    self.dependencies = dependencies
  }
}

extension AssetTickets {
  package func learn(_ secrets: SecretRing) { secret.learn(secrets) }
}

// MARK: - Uploads

extension AssetTickets {
  package func upload(for grant: UploadGrant) -> String {
    var form = TicketEncoding(.upload, grant.expires)
    form.writer.number(grant.realm.number)
    form.writer.byte(grant.scope.rawValue)
    form.writer.text(grant.userRecordName)
    form.writer.optional(grant.recordName) { $0.text($1) }
    form.writer.text(grant.fieldName)
    form.writer.text(grant.owner)
    // A unique name distinguishes two uploads for one field at the same time. Otherwise a request
    // for the state of one could get the state of the other.
    form.writer.text(dependencies.makeName())
    return address(Self.uploadPath, form)
  }

  /// Opens the ticket of an upload address.
  ///
  /// - Parameter evenExpired: Whether an expired ticket is valid too.
  package func uploadGrant(_ ticket: String, evenExpired: Bool = false) throws(CloudError)
    -> UploadGrant
  {
    try read(ticket, .upload, evenExpired: evenExpired) {
      (form, expires) throws(BinaryCodingError) in
      let realm = Realm(number: try form.number())
      guard let scope = DatabaseScope(rawValue: try form.byte()) else {
        throw form.error("an unknown database")
      }
      let user = try form.text()
      let record = try form.optional { (form) throws(BinaryCodingError) in try form.text() }
      let field = try form.text()
      return UploadGrant(
        realm: realm, scope: scope, owner: try form.text(), userRecordName: user,
        recordName: record,
        fieldName: field, expires: expires)
    }
  }
}

// MARK: - Downloads

extension AssetTickets {
  package func download(of asset: AssetValue) -> String? {
    guard let checksum = AssetChecksum(text: asset.fileChecksum) else { return nil }
    var form = TicketEncoding(.download, downloadExpiry)
    form.writer.data(checksum.digest)
    form.writer.signed(asset.size)
    return address(Self.downloadPath, form)
  }

  /// Opens the ticket of a download address.
  package func downloadGrant(_ ticket: String) throws(CloudError) -> DownloadGrant {
    try read(ticket, .download) { (form, expires) throws(BinaryCodingError) in
      guard let checksum = AssetChecksum(digest: try form.data()) else {
        throw form.error("no checksum")
      }
      return DownloadGrant(checksum: checksum, size: try form.signed(), expires: expires)
    }
  }

  /// The expiry of a new download address.
  ///
  /// It is rounded down to a multiple of a quarter of the lifetime. So a file's address stays the
  /// same for that time, and proxies can cache it.
  private var downloadExpiry: Timestamp {
    let life = max(4, Int64(dependencies.limits.assetAddressSeconds) * 1_000)
    let end = dependencies.now().milliseconds + life
    return Timestamp(milliseconds: end - end % (life / 4))
  }
}

// MARK: - Receipts

extension AssetTickets {
  package func receipt(_ receipt: AssetReceipt) -> String {
    var form = TicketEncoding(.receipt, receipt.expires)
    form.writer.number(receipt.realm.number)
    form.writer.text(receipt.userRecordName)
    form.writer.optional(receipt.recordName) { $0.text($1) }
    form.writer.optional(receipt.fieldName) { $0.text($1) }
    form.writer.data(receipt.checksum.digest)
    form.writer.signed(receipt.size)
    form.writer.optional(receipt.scope) { $0.byte($1.rawValue) }
    form.writer.optional(receipt.owner) { $0.text($1) }
    return secret.seal(form.writer.bytes)
  }

  package func defect(of asset: AssetValue, for use: AssetUse) -> AssetReceiptDefect? {
    guard let text = asset.receipt else { return .missing }
    guard let receipt = opened(text), receipt.checksum.text == asset.fileChecksum,
      receipt.size == asset.size
    else {
      return .forged
    }
    guard receipt.realm == use.realm, receipt.userRecordName == use.userRecordName else {
      return .otherUser
    }
    guard receipt.scope ?? use.scope == use.scope, receipt.owner ?? use.owner == use.owner else {
      return .otherDatabase
    }
    guard receipt.recordName ?? use.recordName == use.recordName,
      receipt.fieldName ?? use.fieldName == use.fieldName
    else { return .otherRecord }
    return receipt.expires > dependencies.now() ? nil : .expired
  }

  private func opened(_ text: String) -> AssetReceipt? {
    guard let message = secret.open(text, at: dependencies.now()) else { return nil }
    var form = BinaryReader(message)
    do throws(BinaryCodingError) {
      guard try form.byte() == Kind.receipt.rawValue else { return nil }
      return try AssetReceipt(from: &form)
    } catch {
      return nil
    }
  }

  package func marks(
    of checksum: AssetChecksum, in realm: Realm
  ) -> (referenceChecksum: String, wrappingKey: String) {
    var form = BinaryWriter(capacity: 48)
    form.byte(Kind.mark.rawValue)
    form.number(realm.number)
    form.data(checksum.digest)
    let code = secret.code(of: form.bytes)
    // Apple's clients expect a version with 20 bytes, and a key of 16 bytes. This server only needs
    // them to be the same for equal files.
    return (
      Base64Text.text([1] + code[..<20]),
      Base64Text.text(DigestAlgorithm.sha256.hash(code).prefix(16).map(\.self))
    )
  }
}

extension AssetReceipt {
  fileprivate init(from form: inout BinaryReader) throws(BinaryCodingError) {
    let expires = Timestamp(milliseconds: try form.signed())
    let realm = Realm(number: try form.number())
    let user = try form.text()
    let record = try form.optional { (form) throws(BinaryCodingError) in try form.text() }
    let field = try form.optional { (form) throws(BinaryCodingError) in try form.text() }
    guard let checksum = AssetChecksum(digest: try form.data()) else {
      throw form.error("no checksum")
    }
    let size = try form.signed()
    let scope = try form.optional(Self.scope)
    let owner = try form.optional { (form) throws(BinaryCodingError) in try form.text() }
    self.init(
      checksum: checksum, size: size, realm: realm, scope: scope, owner: owner,
      userRecordName: user,
      recordName: record, fieldName: field, expires: expires)
  }

  private static func scope(from form: inout BinaryReader) throws(BinaryCodingError)
    -> DatabaseScope
  {
    guard let scope = DatabaseScope(rawValue: try form.byte()) else {
      throw form.error("an unknown database")
    }
    return scope
  }
}

// MARK: - Sealing

/// A ticket that is being encoded, and that begins with the kind and the expiry.
private struct TicketEncoding {
  var writer = BinaryWriter(capacity: 160)

  init(_ kind: AssetTickets.Kind, _ expires: Timestamp) {
    writer.byte(kind.rawValue)
    writer.signed(expires.milliseconds)
  }
}

extension AssetTickets {
  private func address(_ path: String, _ form: TicketEncoding) -> String {
    "\(path)?\(Self.parameter)=\(secret.seal(form.writer.bytes))"
  }

  private func read<Grant>(
    _ ticket: String, _ kind: Kind, evenExpired: Bool = false,
    _ read: (inout BinaryReader, Timestamp) throws(BinaryCodingError) -> Grant
  ) throws(CloudError) -> Grant {
    guard let message = secret.open(ticket, at: dependencies.now()),
      let (grant, expires) = try? Self.parts(of: message, kind, read)
    else {
      throw CloudError(
        .accessDenied, "The address was not issued by this server. Request a new one.")
    }
    guard evenExpired || expires > dependencies.now() else {
      throw CloudError(.accessDenied, "The address has expired. Request a new one.")
    }
    return grant
  }

  private static func parts<Grant>(
    of message: [UInt8], _ kind: Kind,
    _ read: (inout BinaryReader, Timestamp) throws(BinaryCodingError) -> Grant
  ) throws(BinaryCodingError) -> (Grant, Timestamp) {
    var form = BinaryReader(message)
    guard try form.byte() == kind.rawValue else { throw form.error("another kind of ticket") }
    let expires = Timestamp(milliseconds: try form.signed())
    return (try read(&form, expires), expires)
  }
}
