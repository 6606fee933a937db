// swift-tools-version: 6.2
import PackageDescription

// Photos that people share. The library is written as for Apple's platforms, with its view logic
// but without a user interface. Its tests run with a test double of the cloud, and with a cloud in
// memory.
let platforms = TargetDependencyCondition.when(platforms: [.linux, .windows, .android])
let coreData = Target.Dependency.product(
  name: "CoreData", package: "Parhelion", condition: platforms)
let cloudKit = Target.Dependency.product(
  name: "CloudKit", package: "Parhelion", condition: platforms)
let cloudKitTesting = Target.Dependency.product(name: "CloudKitTesting", package: "Parhelion")

let package = Package(
  name: "PhotoShare",
  platforms: [.macOS(.v15), .iOS(.v18)],
  dependencies: [.package(name: "Parhelion", path: "../..")],
  targets: [
    .target(
      name: "PhotoSharing", dependencies: [coreData, cloudKit],
      resources: [.process("PhotoShare.xcdatamodeld")],
      plugins: [.plugin(name: "ManagedObjectModelPlugin", package: "Parhelion")]),
    .executableTarget(
      name: "photoshare", dependencies: ["PhotoSharing", coreData, cloudKit, cloudKitTesting]),
    .testTarget(
      name: "PhotoSharingTests",
      dependencies: ["PhotoSharing", coreData, cloudKit, cloudKitTesting]),
  ]
)
