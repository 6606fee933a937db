// swift-tools-version: 6.2
import PackageDescription

// Two targets, each with its own model and hand-written classes.
let coreData = Target.Dependency.product(
  name: "CoreData", package: "Parhelion", condition: .when(platforms: [.linux, .windows, .android]))
let models = Target.PluginUsage.plugin(name: "ManagedObjectModelPlugin", package: "Parhelion")

let package = Package(
  name: "Library",
  platforms: [.macOS(.v15), .iOS(.v18)],
  dependencies: [.package(name: "Parhelion", path: "../..")],
  targets: [
    .target(
      name: "Catalog", dependencies: [coreData], resources: [.process("Catalog.xcdatamodeld")],
      swiftSettings: [
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
      ],
      plugins: [models]),
    // The module is isolated to the main actor by default, but generated code is not.
    .target(
      name: "Lending", dependencies: [coreData], exclude: ["Lending.xcdatamodel"],
      swiftSettings: [.defaultIsolation(MainActor.self)], plugins: [models]),
    // The program links both modules and imports neither.
    .executableTarget(name: "library", dependencies: ["Catalog", "Lending", coreData]),
    .testTarget(name: "CatalogTests", dependencies: ["Catalog", coreData]),
    .testTarget(name: "LendingTests", dependencies: ["Lending", coreData]),
  ]
)
