import Foundation
import SQLiteStore

/// Compares external files with the rows that name them.
struct ExternalFileCheck {
  private let folder: URL?
  /// The first row that names each file.
  private var owners: [String: String] = [:]

  init(of snapshot: StoreSnapshot) { folder = snapshot.location.externalDataFolder }

  /// The URL of a file, if the store has a folder for files.
  func url(of name: String) -> URL? { folder?.appendingPathComponent(name) }

  /// The issue with a file that a row names, or nil.
  mutating func issue(with name: String, of value: String, in table: String, _ row: Int64)
    -> String?
  {
    if let owner = owners[name] {
      return
        "The file \(name) with the value of \(value) also belongs to \(owner): it is removed when one of them changes."
    }
    owners[name] = "row \(row) of \(table)"
    guard let url = url(of: name) else { return nil }
    let attributes: [FileAttributeKey: Any]
    do {
      attributes = try FileManager.default.attributesOfItem(atPath: url.path)
    } catch {
      return "The file \(name) with the value of \(value) is missing."
    }
    guard attributes[.type] as? FileAttributeType == .typeRegular else {
      return "\(name), where the value of \(value) should be, is not a file."
    }
    guard (attributes[.size] as? NSNumber)?.int64Value != 0 else {
      return "The file \(name) with the value of \(value) is empty."
    }
    return FileManager.default.isReadableFile(atPath: url.path)
      ? nil : "The file \(name) with the value of \(value) cannot be read."
  }

  /// The orphaned files, which a process leaves if it ends between its commit and the cleanup.
  func orphans() -> [String] {
    guard let folder, let files = try? FileManager.default.contentsOfDirectory(atPath: folder.path)
    else { return [] }
    return files.sorted().filter { UUID(uuidString: $0) != nil && owners[$0] == nil }
      .map { "The file \($0) belongs to no object." }
  }
}
