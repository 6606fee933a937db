public import Foundation

/// A fresh folder for one test, removed with everything in it when the closure ends.
public func withTemporaryDirectory<Result>(_ body: (URL) throws -> Result) throws -> Result {
  let url = try makeTemporaryDirectory()
  defer { try? FileManager.default.removeItem(at: url) }
  return try body(url)
}

/// A fresh folder for one test that waits for something, removed with everything in it when the
/// closure ends.
public func withTemporaryDirectory<Result>(_ body: (URL) async throws -> Result) async throws
  -> Result
{
  let url = try makeTemporaryDirectory()
  defer { try? FileManager.default.removeItem(at: url) }
  return try await body(url)
}

private func makeTemporaryDirectory() throws -> URL {
  let url = FileManager.default.temporaryDirectory
    .appendingPathComponent("parhelion-\(UUID().uuidString)", isDirectory: true)
  try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  return url
}
