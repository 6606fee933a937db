// swift-tools-version: 6.2
import PackageDescription

// Apple's small CloudKit samples as a library and a command-line program. The library is written as
// for Apple's platforms. Without arguments, the program uses a cloud in memory.
let cloudKit = Target.Dependency.product(
  name: "CloudKit", package: "Parhelion", condition: .when(platforms: [.linux, .windows, .android]))
let cloudKitTesting = Target.Dependency.product(name: "CloudKitTesting", package: "Parhelion")

let package = Package(
  name: "Contacts",
  platforms: [.macOS(.v15), .iOS(.v18)],
  dependencies: [.package(name: "Parhelion", path: "../..")],
  targets: [
    .target(name: "ContactBook", dependencies: [cloudKit]),
    .executableTarget(name: "contacts", dependencies: ["ContactBook", cloudKit, cloudKitTesting]),
    .testTarget(
      name: "ContactBookTests", dependencies: ["ContactBook", cloudKit, cloudKitTesting]),
  ]
)
