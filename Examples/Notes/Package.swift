// swift-tools-version: 6.1
import PackageDescription

// Apple's platforms have their own CoreData. With this condition the package builds there as
// before, and the plug-in generates empty code there.
let coreData = Target.Dependency.product(
  name: "CoreData", package: "Parhelion", condition: .when(platforms: [.linux, .windows, .android]))

let package = Package(
  name: "Notes",
  platforms: [.macOS(.v15), .iOS(.v18)],
  dependencies: [.package(name: "Parhelion", path: "../..")],
  targets: [
    .target(
      name: "NotesModel",
      dependencies: [coreData],
      resources: [.process("Notes.xcdatamodeld")],
      plugins: [.plugin(name: "ManagedObjectModelPlugin", package: "Parhelion")]),
    .executableTarget(name: "notes", dependencies: ["NotesModel", coreData]),
    .testTarget(name: "NotesModelTests", dependencies: ["NotesModel", coreData]),
  ]
)
