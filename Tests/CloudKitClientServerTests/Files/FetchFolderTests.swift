import CloudKitClient
import CloudKitTesting
import Foundation
import Synchronization
import TestSupport
import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The files that a program leaves after fetching.
@Suite("Folders of fetched files")
struct FetchFolderTests {
  /// Fetches a record with a file.
  private static func fetch(_ folder: String) async throws -> CKRecord {
    let file = URL(fileURLWithPath: folder + "/picture")
    try Data("a picture".utf8).write(to: file)
    let device = try await TestCloud().signIn("anna")
    let database = device.container.privateCloudDatabase
    let record = CKRecord(recordType: "Note", recordID: CKRecord.ID(recordName: "one"))
    record["picture"] = CKAsset(fileURL: file)
    try await database.save(record)
    let fetched = try await database.record(for: record.recordID)
    // Retains the session, as a program's container does.
    Self.kept.withLock { $0.append((device, database)) }
    return fetched
  }

  private static let kept = Mutex<[(TestDevice, CKDatabase)]>([])

  private static func names(in folder: URL) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path).filter {
      $0.hasPrefix("parhelion-assets")
    }
  }

  @Test func `Folders are deleted at the end of the program`() async throws {
    try await withTemporaryDirectory { folder in
      await #expect(processExitsWith: .exitCode(7)) { [path = folder.path as String] in
        unsafe setenv("TMPDIR", path, 1)
        let fetched = try await FetchFolderTests.fetch(path)
        precondition((fetched["picture"] as CKAsset?)?.fileURL?.path.hasPrefix(path) == true)
        exit(7)
      }
      let left = try Self.names(in: folder)
      #expect(left == [])
    }
  }

  @Test func `The next process deletes the folders of a killed one`() async throws {
    try await withTemporaryDirectory { folder in
      await #expect(processExitsWith: .signal(SIGKILL)) { [path = folder.path as String] in
        unsafe setenv("TMPDIR", path, 1)
        _ = try await FetchFolderTests.fetch(path)
        kill(getpid(), SIGKILL)
      }
      let before = try Self.names(in: folder)
      #expect(before.count == 1)
      await #expect(processExitsWith: .signal(SIGKILL)) { [path = folder.path as String] in
        unsafe setenv("TMPDIR", path, 1)
        let before = try FetchFolderTests.names(in: URL(fileURLWithPath: path))
        _ = try await FetchFolderTests.fetch(path)
        let after = try FetchFolderTests.names(in: URL(fileURLWithPath: path))
        precondition(before.count == 1 && after.count == 1 && before != after)
        kill(getpid(), SIGKILL)
      }
      // That process was killed, too.
      FetchFolder.removeLeftovers(in: folder.path)
      let left = try Self.names(in: folder)
      #expect(left == [])
    }
  }

  @Test func `Folders stay while they are in use`() async throws {
    try await withTemporaryDirectory { folder in
      let fetched = try await Self.fetch(folder.path)
      let file = try #require((fetched["picture"] as CKAsset?)?.fileURL)
      FetchFolder.removeLeftovers(in: FileManager.default.temporaryDirectory.path)
      #expect(try Data(contentsOf: file) == Data("a picture".utf8))
    }
  }
}
