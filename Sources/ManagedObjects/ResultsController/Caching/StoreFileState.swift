import Foundation
import ObjectRows

/// Properties of a store's files that change with each write: sizes, dates, and the beginnings.
///
/// The beginning of a write-ahead log contains random numbers, which change when the log starts
/// again.
struct StoreFileState: Codable, Equatable {
  private let path: String
  private let main: Part
  private let log: Part?

  private struct Part: Codable, Equatable {
    let bytes: Int64
    let modified: Double
    let beginning: Data

    init?(_ url: URL, _ files: any FileSystem) {
      guard case .file(let bytes) = files.kind(of: url),
        let modified = files.modificationDate(of: url),
        let beginning = try? files.beginning(of: url, bytes: 100)
      else { return nil }
      self.bytes = bytes
      self.modified = modified.timeIntervalSinceReferenceDate
      self.beginning = beginning
    }
  }

  init?(_ url: URL, _ files: any FileSystem) {
    // A database without bytes is in memory.
    guard let main = Part(url, files), main.bytes > 0 else { return nil }
    path = url.path
    self.main = main
    let log = Part(URL(fileURLWithPath: url.path + "-wal"), files)
    // An empty log is the same as none.
    self.log = log?.bytes == 0 ? nil : log
  }
}
