package import CloudRecords
public import Foundation

// Sendable: immutable.
/// A file as the value of a field.
///
/// Saving the record uploads the file; the library reads it then, and never changes or deletes it. Fetching the record puts
/// the file at a place of the library's own: copy what you want to keep.
open class CKAsset: NSObject, NSSecureCoding, @unchecked Sendable {
  /// The file; nil for an asset that was fetched without its bytes.
  public let fileURL: URL?
  /// What the server calls the contents, once they are there.
  package let stored: AssetValue?
  /// Keeps a fetched file for as long as the asset lives.
  private let file: AssetFile?

  /// An asset of a file, which is read when its record is saved.
  ///
  /// - Precondition: The address is that of a file.
  public convenience init(fileURL: URL) {
    precondition(fileURL.isFileURL, "An asset is made of a file, which \(fileURL) is not. Download it first.")
    self.init(fileURL: fileURL, stored: nil)
  }

  package init(fileURL: URL?, stored: AssetValue?) {
    self.fileURL = fileURL
    self.stored = stored
    file = nil
  }

  /// An asset whose file was fetched.
  init(file: AssetFile, stored: AssetValue) {
    fileURL = URL(fileURLWithPath: file.path)
    self.stored = stored
    self.file = file
  }

  // MARK: Archives

  /// Reads an asset from an archive; nil where it holds none.
  public required init?(coder: NSCoder) {
    guard let path = coder.text(Key.path) else { return nil }
    fileURL = URL(fileURLWithPath: path)
    stored = nil
    file = nil
  }

  /// Writes the place of the file into an archive, not the file.
  open func encode(with coder: NSCoder) {
    coder.encode(fileURL.map { $0.path as NSString }, forKey: Key.path)
  }

  private enum Key {
    static let path = "AssetPath"
  }

  /// True: an asset is archived as a text.
  public static var supportsSecureCoding: Bool { true }

  /// The place of the file.
  open override var description: String { "<CKAsset: \(fileURL?.path ?? stored?.fileChecksum ?? "")>" }
}
