import Foundation
import RecordStorage
import RecordStorageConformance
import SQLiteRecordStorage
import TestSupport
import Testing

@Suite(.endsAtAll, .tags(.threads)) struct `The SQLite storage` {
  @Test(arguments: ConformanceCheck.all)
  func `It conforms to the common checks`(check: ConformanceCheck) async throws {
    let folder = try TestFolder()
    try await check.run(
      on: StorageUnderTest(
        isDurable: true,
        restore: { [path = folder.path] engine in
          let backup = path + "/backup.sqlite"
          try await (try #require(engine as? SQLiteStorageEngine)).backUp(to: backup)
          return try await SQLiteStorageEngine.restore(
            from: backup, into: path + "/restored-folder")
        },
        issues: {
          try await (try #require($0 as? SQLiteStorageEngine)).issues(isThorough: true)
        },
        open: { [path = folder.path] in try SQLiteStorageEngine(folder: path) }))
  }
}
