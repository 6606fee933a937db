public import Foundation

/// A fresh folder for one test, removed with everything in it when the closure ends.
public func withTemporaryDirectory<Result>(_ body: (URL) throws -> Result) throws -> Result {
  let url = FileManager.default.temporaryDirectory
    .appendingPathComponent("parhelion-\(UUID().uuidString)", isDirectory: true)
  try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(at: url) }
  return try body(url)
}
