import Foundation

/// What tells that a file was changed, or that another one has taken its place.
///
/// Symbolic links are followed, as by whoever reads the file: a link that leads to another file is
/// another version.
struct FileVersion: Equatable {
  let size: Int64
  private let date: Date?
  /// The disk, and what tells the file from the others there.
  private let identity: [Int?]

  /// Nil where there is no file that can be read.
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
