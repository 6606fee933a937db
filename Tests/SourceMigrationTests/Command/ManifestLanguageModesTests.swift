import SourceMigration
import Testing

@Suite struct ManifestLanguageModesTests {
  private static let manifest = """
    // swift-tools-version: 6.0
    import PackageDescription
    let shared: [SwiftSetting] = [.swiftLanguageMode(.v5), .enableUpcomingFeature("ExistentialAny")]
    let package = Package(
      name: "Notes",
      targets: [
        .target(name: "Old", swiftSettings: [.swiftLanguageMode(.v5)]),
        .target(name: "New", dependencies: [.target(name: "Old")]),
        .executableTarget(name: "Explicit", swiftSettings: [.swiftLanguageMode(.v6)]),
        .testTarget(name: "Shared", swiftSettings: shared),
      ])
    """

  @Test(arguments: [
    ("Old", false), ("New", true), ("Explicit", true), ("Shared", false), ("Unknown", true),
  ])
  func `A target's own setting comes before the package's`(_ target: String, _ isSwift6: Bool)
    throws
  {
    #expect(try #require(ManifestLanguageModes(Self.manifest)).isSwift6(target: target) == isSwift6)
  }

  @Test(arguments: [
    ("// swift-tools-version: 5.9\nlet package = Package(targets: [.target(name: \"A\")])", false),
    (
      "// swift-tools-version:6.1\nlet package = Package(targets: [.target(name: \"A\")], swiftLanguageModes: [.v5])",
      false
    ),
    (
      "// swift-tools-version:5.9\nlet package = Package(targets: [.target(name: \"A\")], swiftLanguageVersions: [.v5, .v6])",
      true
    ),
  ])
  func `The package's modes come before the tools version`(_ manifest: String, _ isSwift6: Bool)
    throws
  {
    #expect(try #require(ManifestLanguageModes(manifest)).isSwift6(target: "A") == isSwift6)
  }
}
