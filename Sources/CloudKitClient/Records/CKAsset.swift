package import CloudRecords
public import Foundation

// Sendable: immutable.
/// A file as the value of a field.
///
/// Saving the record uploads the file; the library reads it then, and never changes or deletes it.
/// Fetching the record puts the file at a place of the library's own: copy what you want to keep.
///
/// An asset that was fetched can be set in other records, too: the server gives them the same
/// contents, and where it has them no more, the file is uploaded again.
open class CKAsset: NSObject, NSSecureCoding, @unchecked Sendable {
  /// The file; nil for an asset that was fetched without its bytes.
  public let fileURL: URL?
  /// What the server calls the contents, once they are there.
  package let stored: AssetValue?
  /// Where the server has the contents; nil for a file that was not there yet.
  let place: AssetPlace?
  /// Whether the file is sealed before it is uploaded, or came sealed and was opened, where values
  /// are sealed on this device.
  package let isSealed: Bool
  /// Keeps the file for as long as the asset lives, where the file goes with it.
  private let file: (any AnyObject & Sendable)?

  /// An asset of a file, which is read when its record is saved.
  ///
  /// - Precondition: The address is that of a file.
  public convenience init(fileURL: URL) {
    precondition(
      fileURL.isFileURL, "An asset is made of a file, which \(fileURL) is not. Download it first.")
    self.init(fileURL: fileURL, stored: nil)
  }

  /// An asset of a file that is sealed before it is uploaded, for who keeps a replica.
  package convenience init(sealing fileURL: URL) {
    self.init(fileURL: fileURL, stored: nil, isSealed: true)
  }

  init(fileURL: URL?, stored: AssetValue?, place: AssetPlace? = nil, isSealed: Bool = false) {
    self.fileURL = fileURL
    self.stored = stored
    self.place = place
    self.isSealed = isSealed
    file = nil
  }

  /// The same file, which the server has by now.
  init(_ other: CKAsset, stored: AssetValue?, place: AssetPlace? = nil) {
    fileURL = other.fileURL
    self.stored = stored
    self.place = place
    isSealed = other.isSealed
    file = other.file
  }

  /// An asset whose file goes with something that lives as long as the asset.
  package init(fileURL: URL, keeper: any AnyObject & Sendable) {
    self.fileURL = fileURL
    stored = nil
    place = nil
    isSealed = false
    file = keeper
  }

  /// An asset whose file was fetched.
  ///
  /// - Parameter isSealed: Whether the server has the file sealed, and it was opened here.
  init(file: AssetFile, of asset: CKAsset, isSealed: Bool = false) {
    fileURL = URL(fileURLWithPath: file.path)
    stored = asset.stored
    place = asset.place
    self.isSealed = isSealed
    self.file = file
  }

  // MARK: Archives

  /// Reads an asset from an archive; nil where it holds none.
  public required init?(coder: NSCoder) {
    let (path, stored) = (coder.text(Key.path), AssetValue(coder: coder))
    guard path != nil || stored != nil else { return nil }
    fileURL = path.map { URL(fileURLWithPath: $0) }
    self.stored = stored
    place = AssetPlace(coder: coder)
    file = nil
    isSealed = coder.containsValue(forKey: Key.isSealed)
  }

  /// Writes the place of the file into an archive, and what the server calls its contents; not the
  /// file.
  open func encode(with coder: NSCoder) {
    if let fileURL { coder.encode(fileURL.path as NSString, forKey: Key.path) }
    stored?.encode(with: coder)
    place?.encode(with: coder)
    if isSealed { coder.encode(true, forKey: Key.isSealed) }
  }

  private enum Key {
    static let path = "AssetPath"
    static let isSealed = "AssetIsSealed"
  }

  /// True: an asset is archived as a text.
  public static var supportsSecureCoding: Bool { true }

  /// The place of the file.
  open override var description: String {
    "<CKAsset: \(fileURL?.path ?? stored?.fileChecksum ?? "")>"
  }
}

/// What the server calls a file, in archives: a record that is saved again needs no other upload.
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
