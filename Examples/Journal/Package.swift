// swift-tools-version: 6.2
import PackageDescription

// The model layer of an application as written for Apple's platforms. Its sources use nothing that
// only Parhelion has.
let coreData = Target.Dependency.product(
  name: "CoreData", package: "Parhelion", condition: .when(platforms: [.linux, .windows, .android]))

let package = Package(
  name: "Journal",
  platforms: [.macOS(.v15), .iOS(.v18)],
  dependencies: [.package(name: "Parhelion", path: "../..")],
  targets: [
    .target(
      name: "JournalModel", dependencies: [coreData], resources: [.process("Journal.xcdatamodeld")],
      plugins: [.plugin(name: "ManagedObjectModelPlugin", package: "Parhelion")]),
    .executableTarget(name: "journal", dependencies: ["JournalModel", coreData]),
    .testTarget(name: "JournalModelTests", dependencies: ["JournalModel", coreData]),
  ]
)
