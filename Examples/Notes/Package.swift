// swift-tools-version: 6.1
import PackageDescription

// An application's package as its author would write it. On Apple's platforms CoreData is the system's own, so the
// dependency carries a condition; the plug-in generates code that is empty there.
let package = Package(
  name: "Notes",
  platforms: [.macOS(.v14), .iOS(.v17)],
  dependencies: [.package(name: "Parhelion", path: "../..")],
  targets: [
    .target(
      name: "Notes",
      dependencies: [
        .product(name: "CoreData", package: "Parhelion", condition: .when(platforms: [.linux, .windows, .android]))
      ],
      resources: [.process("Notes.xcdatamodeld")],
      plugins: [.plugin(name: "ManagedObjectModelPlugin", package: "Parhelion")]),
    .executableTarget(
      name: "notes-demo",
      dependencies: [
        "Notes",
        .product(name: "CoreData", package: "Parhelion", condition: .when(platforms: [.linux, .windows, .android])),
      ]),
    .testTarget(
      name: "NotesTests",
      dependencies: [
        "Notes",
        .product(name: "CoreData", package: "Parhelion", condition: .when(platforms: [.linux, .windows, .android])),
      ]),
  ]
)
