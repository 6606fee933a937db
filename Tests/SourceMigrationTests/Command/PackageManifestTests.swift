import SourceMigration
import Testing

@Suite struct PackageManifestTests {
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
  func `A target's setting overrides the package's`(_ target: String, _ isSwift6: Bool)
    throws
  {
    #expect(try #require(PackageManifest(Self.manifest)).isSwift6(target: target) == isSwift6)
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
  func `The package's modes override the tools version`(_ manifest: String, _ isSwift6: Bool)
    throws
  {
    #expect(try #require(PackageManifest(manifest)).isSwift6(target: "A") == isSwift6)
  }

  @Test(arguments: [
    (#"5.9|[.target(name: "A")], swiftLanguageVersions: [.version("6")]"#, true),
    (#"6.0|[.target(name: "A", swiftSettings: [.swiftLanguageMode(.version("5"))])]"#, false),
  ])
  func `A version may be a string`(_ parts: String, _ isSwift6: Bool) throws {
    let (version, targets) = (parts.prefix(3), parts.dropFirst(4))
    let text = "// swift-tools-version:\(version)\nlet package = Package(targets: \(targets))"
    #expect(try #require(PackageManifest(text)).isSwift6(target: "A") == isSwift6)
  }

  @Test func `Blank lines may precede the tools version`() throws {
    let text = "\n\n// swift-tools-version:6.0\nlet package = Package(name: \"Notes\")"
    #expect(try #require(PackageManifest(text)).isSwift6(target: "A"))
  }

  @Test(arguments: [
    (".target(name: \"A\")", false),
    (
      ".target(name: \"A\", plugins: [.plugin(name: \"ManagedObjectModelPlugin\", package: \"parhelion\")])",
      true
    ),
    (".target(name: \"A\", plugins: [\"ManagedObjectModelPlugin\"])", true),
    (".target(name: \"A\", plugins: [.plugin(name: \"Other\", package: \"other\")])", false),
    (".target(name: \"A\", plugins: [])", false),
    (".target(name: \"A\", plugins: shared)", true),
    (".target(name: \"A\", dependencies: [shared], plugins: [\"Other\", shared])", true),
    ("target(\"A\")", true),
  ])
  func `A target has the plug-ins of its own list or of a shared one`(
    _ target: String, _ hasPlugin: Bool
  )
    throws
  {
    let shared = "let shared = \"ManagedObjectModelPlugin\"\n"
    let manifest = try #require(
      PackageManifest("\(shared)let package = Package(targets: [\(target)])"))
    #expect(manifest.usesModelPlugin(target: "A") == hasPlugin)
    let without = try #require(
      PackageManifest("let package = Package(targets: [.target(name: \"A\")])"))
    #expect(!without.usesModelPlugin(target: "A"))
  }

  @Test func `A plug-in added in a loop runs on every target`() throws {
    let text = """
      let package = Package(targets: [.target(name: "A")])
      for target in package.targets { target.plugins = [.plugin(name: "ManagedObjectModelPlugin")] }
      """
    #expect(try #require(PackageManifest(text)).usesModelPlugin(target: "A"))
  }
}
