// swift-tools-version: 6.2
import PackageDescription

// An application whose store is mirrored to all devices of its user. The library is written as for
// Apple's platforms. Without arguments, the program uses a cloud in memory.
let platforms = TargetDependencyCondition.when(platforms: [.linux, .windows, .android])
let coreData = Target.Dependency.product(
  name: "CoreData", package: "Parhelion", condition: platforms)
let cloudKit = Target.Dependency.product(
  name: "CloudKit", package: "Parhelion", condition: platforms)
let cloudKitTesting = Target.Dependency.product(name: "CloudKitTesting", package: "Parhelion")

let package = Package(
  name: "Groceries",
  platforms: [.macOS(.v15), .iOS(.v18)],
  dependencies: [.package(name: "Parhelion", path: "../..")],
  targets: [
    .target(
      name: "GroceryLists", dependencies: [coreData],
      resources: [.process("Groceries.xcdatamodeld")],
      plugins: [.plugin(name: "ManagedObjectModelPlugin", package: "Parhelion")]),
    .executableTarget(
      name: "groceries", dependencies: ["GroceryLists", coreData, cloudKit, cloudKitTesting]),
    .testTarget(
      name: "GroceryListsTests",
      dependencies: ["GroceryLists", coreData, cloudKit, cloudKitTesting]),
  ]
)
