package import CloudRecords
public import Foundation

// Sendable: immutable.
/// A file that is the value of a field.
///
/// Saving the record reads and uploads the file, and never changes or deletes it. Fetching the
/// record downloads the file to a temporary folder, from which it is removed with the asset. Copy
/// the file to keep it.
///
/// A fetched asset can be used in other records. The server reuses the contents. If it no longer
/// has them, the file is uploaded again.
open class CKAsset: NSObject, NSSecureCoding, @unchecked Sendable {
  /// The URL of the file; nil if the asset was fetched without its file.
  public let fileURL: URL?
  /// The server's description of the file, after an upload or a fetch.
  package let stored: AssetValue?
  /// The record and field on the server that hold the file; nil for a new file.
  let origin: AssetOrigin?
  /// Whether this device encrypts the file before an upload, and decrypts it after a download.
  package let isSealed: Bool
  /// The object that keeps a temporary file as long as the asset exists.
  private let file: (any AnyObject & Sendable)?

  /// Creates an asset from a file, which is read when its record is saved.
  ///
  /// - Precondition: The URL is a file URL.
  public convenience init(fileURL: URL) {
    precondition(
      fileURL.isFileURL,
      "An asset requires a file URL, which \(fileURL) is not. Download the file first.")
    self.init(fileURL: fileURL, stored: nil)
  }

  /// Creates an asset whose file is sealed before the upload.
  package convenience init(sealing fileURL: URL) {
    self.init(fileURL: fileURL, stored: nil, isSealed: true)
  }

  init(fileURL: URL?, stored: AssetValue?, origin: AssetOrigin? = nil, isSealed: Bool = false) {
    self.fileURL = fileURL
    self.stored = stored
    self.origin = origin
    self.isSealed = isSealed
    file = nil
  }

  /// Creates the same asset with the server's description of its file.
  init(_ other: CKAsset, stored: AssetValue?, origin: AssetOrigin? = nil) {
    fileURL = other.fileURL
    self.stored = stored
    self.origin = origin
    isSealed = other.isSealed
    file = other.file
  }

  /// Creates an asset with an object that keeps its file alive.
  ///
  /// - Parameter isSealed: Whether the file is sealed before an upload.
  package init(fileURL: URL, owner: any AnyObject & Sendable, isSealed: Bool) {
    self.fileURL = fileURL
    stored = nil
    origin = nil
    self.isSealed = isSealed
    file = owner
  }

  /// Creates an asset from a downloaded file.
  ///
  /// - Parameter isSealed: Whether the file was sealed on the server, and was decrypted here.
  init(file: AssetFile, of asset: CKAsset, isSealed: Bool = false) {
    fileURL = URL(fileURLWithPath: file.path)
    stored = asset.stored
    origin = asset.origin
    self.isSealed = isSealed
    self.file = file
  }

  // MARK: Archives

  /// Creates an asset from an archive; nil if the archive contains none.
  public required init?(coder: NSCoder) {
    let (path, stored) = (coder.text(Key.path), AssetValue(coder: coder))
    guard path != nil || stored != nil else { return nil }
    fileURL = path.map { URL(fileURLWithPath: $0) }
    self.stored = stored
    origin = AssetOrigin(coder: coder)
    file = nil
    isSealed = coder.containsValue(forKey: Key.isSealed)
  }

  /// Encodes the file's path and the server's description of it into an archive, but not the file
  /// itself.
  open func encode(with coder: NSCoder) {
    if let fileURL { coder.encode(fileURL.path as NSString, forKey: Key.path) }
    stored?.encode(with: coder)
    origin?.encode(with: coder)
    if isSealed { coder.encode(true, forKey: Key.isSealed) }
  }

  private enum Key {
    static let path = "AssetPath"
    static let isSealed = "AssetIsSealed"
  }

  /// Whether the class supports secure coding, which it does.
  public static var supportsSecureCoding: Bool { true }

  /// The path of the file, or its checksum if there is no local file.
  open override var description: String {
    "<CKAsset: \(fileURL?.path ?? stored?.fileChecksum ?? "")>"
  }
}

/// Archives the server's description of a file, so that saving the record again needs no upload.
extension AssetValue {
  fileprivate init?(coder: NSCoder) {
    guard let checksum = coder.text(Key.checksum) else { return nil }
    self.init(
      fileChecksum: checksum, size: coder.decodeInt64(forKey: Key.size),
      referenceChecksum: coder.text(Key.reference),
      wrappingKey: coder.text(Key.wrapping), receipt: coder.text(Key.receipt))
  }

  fileprivate func encode(with coder: NSCoder) {
    coder.encode(fileChecksum as NSString, forKey: Key.checksum)
    coder.encode(size, forKey: Key.size)
    if let referenceChecksum { coder.encode(referenceChecksum as NSString, forKey: Key.reference) }
    if let wrappingKey { coder.encode(wrappingKey as NSString, forKey: Key.wrapping) }
    if let receipt { coder.encode(receipt as NSString, forKey: Key.receipt) }
  }

  private enum Key {
    static let checksum = "AssetFileChecksum"
    static let size = "AssetSize"
    static let reference = "AssetReferenceChecksum"
    static let wrapping = "AssetWrappingKey"
    static let receipt = "AssetReceipt"
  }
}
