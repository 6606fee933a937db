public import Foundation
public import Testing

/// The Core Data files written by Apple's tools that tests compare against.
///
/// They are not part of this repository. The folder is `PARHELION_FIXTURES`, or else
/// `shared/fixtures/coredata` next to the checkout. Tests that need them have the trait
/// `.requiresFixtures`, which skips them visibly if the folder is missing.
public enum Fixtures {
  /// The folder with `models`, `stores`, `compiled` and `version-hashes.json`, if it exists.
  public static let coreData: URL? = {
    let environment = ProcessInfo.processInfo.environment["PARHELION_FIXTURES"]
    let folder =
      environment.map { URL(fileURLWithPath: $0, isDirectory: true) } ?? besideTheCheckout
    return FileManager.default.fileExists(atPath: folder.path) ? folder : nil
  }()

  /// A file in the fixtures folder; fails the test if it is missing.
  public static func url(_ path: String) throws -> URL {
    let folder = try #require(
      coreData, "the fixtures folder is missing; mark the test .requiresFixtures")
    let url = folder.appendingPathComponent(path)
    try #require(FileManager.default.fileExists(atPath: url.path), "no fixture \(path)")
    return url
  }

  private static var besideTheCheckout: URL {
    URL(fileURLWithPath: #filePath)
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
      .appendingPathComponent("shared/fixtures/coredata", isDirectory: true)
  }
}

extension Trait where Self == ConditionTrait {
  /// Skips a test, with a message, if the folder of Apple's files is missing.
  public static var requiresFixtures: Self {
    .enabled(
      if: Fixtures.coreData != nil,
      "the folder of Core Data fixtures is missing (see TestSupport/Fixtures.swift)")
  }
}
