import Foundation
import RecordStorage
import SQLiteRecordStorage

/// A folder for a store that is removed at the end of the value's lifetime, also after an `await`.
struct TestFolder: ~Copyable {
  let path: String

  init() throws {
    let url = FileManager.default.temporaryDirectory
      .appendingPathComponent("parhelion-\(UUID().uuidString)", isDirectory: true)
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    path = url.path
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  var database: String { path + "/records.sqlite" }

  /// The size of the database without its log.
  var databaseBytes: Int {
    get throws { try FileManager.default.attributesOfItem(atPath: database)[.size] as? Int ?? 0 }
  }
}
