import Foundation

/// A file's version, which reveals that the file has changed or was replaced.
///
/// Symbolic links are followed, so a link to another file is another version.
struct FileVersion: Equatable {
  let size: Int64
  private let date: Date?
  /// The numbers of the device and the inode.
  private let identity: [Int?]

  /// Reads a file's version; nil if there is no readable file.
  init?(_ path: String) {
    let path = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
    guard FileManager.default.isReadableFile(atPath: path),
      let attributes = try? FileManager.default.attributesOfItem(atPath: path),
      attributes[.type] as? FileAttributeType == .typeRegular,
      let size = (attributes[.size] as? NSNumber)?.int64Value
    else { return nil }
    self.size = size
    date = attributes[.modificationDate] as? Date
    identity = [.systemNumber, .systemFileNumber].map { (attributes[$0] as? NSNumber)?.intValue }
  }
}
