public import Foundation

/// Calls a closure with a new temporary folder, which is removed afterwards.
public func withTemporaryDirectory<Result>(_ body: (URL) throws -> Result) throws -> Result {
  let url = try makeTemporaryDirectory()
  defer { try? FileManager.default.removeItem(at: url) }
  return try body(url)
}

/// Calls an asynchronous closure with a new temporary folder, which is removed afterwards.
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
