// swift-tools-version: 6.1
import PackageDescription

// Apple's platforms have their own CoreData. There, this condition leaves out Parhelion's product,
// and the code that the plug-in generates is empty.
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
