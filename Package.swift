// swift-tools-version: 6.2
import PackageDescription

// MARK: - The layers

/// One line of the layer table: a module and what it may use.
///
/// The table is ordered, lowest first. A module depends only on lines above its own;
/// `checkedLayers` refuses anything else before a single file is compiled.
struct Layer {
  enum Kind {
    /// A module map of a library that the system provides.
    case system(pkgConfig: String, aptPackage: String)
    /// C sources of our own: only what Swift cannot express.
    case c
    case swift
    case executable
  }

  let name: String
  let kind: Kind
  let uses: [String]

  init(_ name: String, _ kind: Kind = .swift, uses: [String] = []) {
    self.name = name
    self.kind = kind
    self.uses = uses
  }
}

let layers: [Layer] = [
  Layer("CSQLite", .system(pkgConfig: "sqlite3", aptPackage: "libsqlite3-dev")),
  Layer("CSQLiteGatheredLog", .c, uses: ["CSQLite"]),
  Layer("CSimulatedDisk", .c, uses: ["CSQLite"]),
  Layer("COpenSSL", .system(pkgConfig: "libcrypto", aptPackage: "libssl-dev")),
  Layer("CSodium", .system(pkgConfig: "libsodium", aptPackage: "libsodium-dev")),
  Layer("CZlib", .system(pkgConfig: "zlib", aptPackage: "zlib1g-dev")),
  Layer("CTLS", .system(pkgConfig: "libssl", aptPackage: "libssl-dev")),
  Layer("CCurl", .system(pkgConfig: "libcurl", aptPackage: "libcurl4-openssl-dev")),
  Layer("CModelRegistry", .c),
  Layer("CObjectReferences", .c),
  Layer("CVariadics", .c),
  Layer("CHTTPSystem", .c),
  Layer("Cryptography", uses: ["COpenSSL", "CSodium"]),
  Layer("Compression", uses: ["CZlib"]),
  Layer("JSONCoding"),
  Layer("BinaryCoding"),
  Layer("SystemFiles"),
  Layer("OwnerOnlyFiles", uses: ["SystemFiles"]),
  Layer("TextMatching"),
  Layer("CloudRecords"),
  Layer("CloudSchema", uses: ["CloudRecords"]),
  Layer("HTTPServer", uses: ["CHTTPSystem", "CTLS", "SystemFiles"]),
  Layer("SQLiteDriver", uses: ["CSQLite", "CSQLiteGatheredLog", "TextMatching"]),
  Layer("RecordStorage"),
  Layer("SQLiteRecordStorage", uses: ["RecordStorage", "SQLiteDriver", "SystemFiles"]),
  Layer("CSQLiteReference", .c, uses: ["CSQLite"]),
  Layer("CloudWire", uses: ["CloudRecords", "JSONCoding"]),
  Layer("CloudTransport"),
  Layer("CurlTransport", uses: ["CCurl", "CloudTransport"]),
  Layer(
    "CloudEncryption",
    uses: ["BinaryCoding", "CloudRecords", "CloudWire", "Cryptography", "OwnerOnlyFiles"]),
  Layer(
    "RecordServer",
    uses: [
      "BinaryCoding", "CloudRecords", "CloudSchema", "CloudWire", "Cryptography", "JSONCoding",
      "RecordStorage",
    ]),
  Layer("AssetStorage", uses: ["CloudRecords", "Cryptography", "RecordServer", "SystemFiles"]),
  Layer(
    "RecordServerHTTP",
    uses: [
      "AssetStorage", "CloudRecords", "CloudWire", "Cryptography", "HTTPServer", "JSONCoding",
      "RecordServer",
      "RecordStorage",
    ]),
  Layer("GeographicLocations"),
  Layer("PropertyLists"),
  Layer("PredicateLanguage", uses: ["CVariadics", "TextMatching"]),
  Layer(
    "CloudKitClient",
    uses: [
      "CloudEncryption", "CloudRecords", "CloudTransport", "CloudWire", "Cryptography",
      "CurlTransport",
      "GeographicLocations", "HTTPServer", "JSONCoding", "OwnerOnlyFiles", "PredicateLanguage",
      "SystemFiles",
    ]),
  Layer(
    "CloudKitTesting",
    uses: [
      "AssetStorage", "CloudKitClient", "CloudRecords", "CloudTransport", "Cryptography",
      "HTTPServer", "RecordServer",
      "RecordServerHTTP", "RecordStorage",
    ]),
  Layer(
    "ManagedObjectModel",
    uses: ["CModelRegistry", "Compression", "Cryptography", "PredicateLanguage", "PropertyLists"]),
  Layer("ModelSource", uses: ["ManagedObjectModel", "PredicateLanguage"]),
  Layer("ObjectRows", uses: ["ManagedObjectModel", "PredicateLanguage"]),
  Layer(
    "SQLiteStore",
    uses: [
      "ManagedObjectModel", "ObjectRows", "PredicateLanguage", "PropertyLists", "SQLiteDriver",
      "TextMatching",
    ]),
  Layer(
    "ManagedObjects",
    uses: [
      "CObjectReferences", "ManagedObjectModel", "ObjectRows", "PredicateLanguage", "PropertyLists",
      "SQLiteStore",
      "TextMatching",
    ]),
  Layer(
    "CloudMirroring",
    uses: [
      "CloudKitClient", "CloudRecords", "ManagedObjectModel", "ManagedObjects", "ObjectRows",
      "PredicateLanguage",
      "SQLiteDriver", "SQLiteStore",
    ]),
  Layer(
    "Simulation",
    uses: [
      "CSimulatedDisk", "CloudKitClient", "CloudKitTesting", "CloudMirroring", "CloudRecords",
      "CloudTransport",
      "ManagedObjectModel",
      "ManagedObjects", "ObjectRows", "PredicateLanguage", "RecordStorage", "SQLiteDriver",
      "SQLiteRecordStorage",
      "SQLiteStore",
    ]),
  Layer(
    "CoreData",
    uses: [
      "CModelRegistry", "CloudMirroring", "ManagedObjectModel", "ManagedObjects", "ObjectRows",
      "PredicateLanguage",
    ]),
  Layer("CloudKit", uses: ["CloudKitClient", "GeographicLocations", "PredicateLanguage"]),
  // A product of its own: `canImport(CoreLocation)` is true in every package of a build that has a
  // module of the name.
  Layer("CoreLocation", uses: ["GeographicLocations"]),
  Layer("ClassGeneration", uses: ["Cryptography", "ManagedObjectModel", "ModelSource"]),
  Layer("SourceMigration"),
  Layer(
    "ParhelionCommands",
    uses: [
      "AssetStorage", "CloudMirroring", "CloudRecords", "CloudSchema", "HTTPServer", "JSONCoding",
      "ManagedObjectModel", "ManagedObjects", "ModelSource", "ObjectRows", "PredicateLanguage",
      "PropertyLists",
      "RecordServer", "RecordServerHTTP", "RecordStorage", "SQLiteDriver", "SQLiteRecordStorage",
      "SQLiteStore",
    ]),
  Layer("parhelion", .executable, uses: ["ParhelionCommands"]),
  Layer(
    "LaboratoryCommands",
    uses: [
      "CCurl", "CSQLiteReference", "CTLS", "CloudKitClient", "CloudMirroring", "CloudRecords",
      "CloudWire",
      "Cryptography", "JSONCoding", "ManagedObjectModel", "ManagedObjects", "ObjectRows",
      "ParhelionCommands",
      "PredicateLanguage", "RecordServer", "SQLiteDriver", "Simulation",
    ]),
  Layer("parhelion-lab", .executable, uses: ["LaboratoryCommands", "ParhelionCommands"]),
  Layer("modelc", .executable, uses: ["ClassGeneration", "ManagedObjectModel", "ModelSource"]),
  Layer("migrate-sources", .executable, uses: ["SourceMigration"]),
]

/// The layer table, after every line has been seen to depend only on lines above it.
let checkedLayers: [Layer] = {
  var below: Set<String> = []
  for layer in layers {
    for used in layer.uses where !below.contains(used) {
      let everyName = layers.map(\.name)
      let reason =
        everyName.contains(used)
        ? "which stands at or above it. Dependencies point downward: move the shared part below both."
        : "which is not in the table. Add a line for it, below its first user."
      fatalError("Layer table: \(layer.name) uses \(used), \(reason)")
    }
    guard below.insert(layer.name).inserted else {
      fatalError("Layer table: \(layer.name) is listed twice.")
    }
  }
  requireProductWithoutLaboratory()
  return layers
}()

/// Refuses a layer table in which the shipped server contains code of the laboratory.
func requireProductWithoutLaboratory() {
  let laboratory: Set<String> = [
    "CSQLiteReference", "CSimulatedDisk", "LaboratoryCommands", "Simulation",
  ]
  var shipped: Set<String> = ["parhelion"]
  for layer in layers.reversed() where shipped.contains(layer.name) {
    shipped.formUnion(layer.uses)
  }
  guard shipped.isDisjoint(with: laboratory) else {
    fatalError(
      "Layer table: parhelion contains \(shipped.intersection(laboratory)) of the laboratory.")
  }
}

// MARK: - Targets

/// Swift 6 with the upcoming features of STYLE.md, for every module and every test.
let languageSettings: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

func target(for layer: Layer) -> Target {
  let uses = layer.uses.map { Target.Dependency(stringLiteral: $0) }
  switch layer.kind {
  case .system(let pkgConfig, let aptPackage):
    return .systemLibrary(name: layer.name, pkgConfig: pkgConfig, providers: [.apt([aptPackage])])
  case .c:
    return .target(name: layer.name, dependencies: uses)
  case .swift:
    return .target(
      name: layer.name, dependencies: uses, exclude: designNotes(of: layer.name),
      swiftSettings: languageSettings + [.strictMemorySafety()] + settings(of: layer.name),
      linkerSettings: linkedLibraries(of: layer.name))
  case .executable:
    return .executableTarget(
      name: layer.name, dependencies: uses,
      swiftSettings: languageSettings + [.strictMemorySafety()])
  }
}

/// TextMatching calls ICU, which every Foundation outside Apple's platforms brings along.
func linkedLibraries(of module: String) -> [LinkerSetting] {
  module == "TextMatching" ? [.linkedLibrary("_FoundationICU")] : []
}

/// What single modules need: readers and buffers that lend out their bytes say how long these live.
func settings(of module: String) -> [SwiftSetting] {
  switch module {
  case "JSONCoding": [.enableExperimentalFeature("Lifetimes")]
  case "LaboratoryCommands", "ParhelionCommands": compiledAsWholes
  default: []
  }
}

/// Modules that keep a `DESIGN.md` beside their sources.
let modulesWithDesignNotes: Set<String> = [
  "AssetStorage", "CloudEncryption", "CloudKitClient", "CloudMirroring", "CloudSchema",
  "HTTPServer", "JSONCoding",
  "ManagedObjectModel",
  "PredicateLanguage", "RecordServer",
  "RecordServerHTTP", "SQLiteDriver", "SQLiteRecordStorage", "SQLiteStore", "Simulation",
]

func designNotes(of module: String) -> [String] {
  modulesWithDesignNotes.contains(module) ? ["DESIGN.md"] : []
}

/// A test target mirrors the module it is named after and may use any module below the tests.
func tests(of module: String, using others: [String] = [], without excluded: [String] = [])
  -> Target
{
  .testTarget(
    name: "\(module)Tests",
    dependencies: ([module, "TestSupport"] + others).map { Target.Dependency(stringLiteral: $0) },
    exclude: excluded, swiftSettings: languageSettings + compiledAsWholes)
}

/// What the checks compile as whole modules, which takes two thirds of the time: all that no
/// example compiles again.
let compiledAsWholes: [SwiftSetting] =
  Context.environment["PARHELION_CHECKS"] == nil
  ? [] : [.unsafeFlags(["-whole-module-optimization", "-num-threads", "2"])]

/// The tests of the object graph in which no threads meet: `Scripts/check-threads` need not compile
/// them.
let testsWithoutThreads: [String] =
  Context.environment["PARHELION_THREADS"] == nil
  ? []
  : [
    "Application", "Errors", "Fixtures", "GeneratedAccessorTests.swift", "GeneratedCode",
    "History/ContextHistoryTests.swift", "History/HistoryFilterTests.swift",
    "History/HistoryRequestTests.swift",
    "LinkedModelTests.swift", "MergePolicies", "Notifications", "PredicateTests.swift",
    "RelationshipTests.swift",
    "Transformers", "Undo", "ValueTests.swift",
    "Context/ConflictTests.swift", "Context/ContextPropertyTests.swift",
    "Context/DeletingTests.swift",
    "Context/EventTests.swift", "Context/FaultingTests.swift", "Context/FetchingTests.swift",
    "Context/ObjectTableTests.swift", "Context/OrdinalTableTests.swift",
    "Context/OwnerRunsTests.swift",
    "Context/ParentTests.swift", "Context/QueueCheckTests.swift", "Context/SavedSetsTests.swift",
    "Context/StatementTests.swift", "Context/UndoTests.swift",
    "Coordinator/DamagedFileTests.swift", "Coordinator/NSPersistentStoreCoordinatorTests.swift",
    "Coordinator/OpeningFailureTests.swift", "Coordinator/QueryGenerationTests.swift",
    "Coordinator/SQLiteStoresTests.swift", "Coordinator/StoreCopyTests.swift",
    "Integration/SQLiteStoreTests.swift",
    "Integration/TraceTests.swift",
  ]

let testTargets: [Target] = [
  .target(name: "CTestEnvironment", path: "Tests/CTestEnvironment"),
  .target(name: "CThreadSanitizer", path: "Tests/CThreadSanitizer"),
  .target(name: "CWatchedDisk", dependencies: ["CSQLite"], path: "Tests/CWatchedDisk"),
  .target(
    name: "WatchedDisks", dependencies: ["CSQLite", "CWatchedDisk", "TestSupport"],
    path: "Tests/WatchedDisks",
    swiftSettings: languageSettings),
  .target(
    name: "TestSupport", dependencies: ["CTestEnvironment", "CThreadSanitizer"],
    path: "Tests/TestSupport",
    swiftSettings: languageSettings),
  .target(
    name: "RecordStorageConformance", dependencies: ["RecordStorage", "TestSupport"],
    path: "Tests/RecordStorageConformance", swiftSettings: languageSettings),
  .target(
    name: "CloudTransportConformance", dependencies: ["CloudTransport", "TestSupport"],
    path: "Tests/CloudTransportConformance", swiftSettings: languageSettings),
  tests(of: "RecordStorage", using: ["RecordStorageConformance"]),
  tests(of: "Cryptography"),
  tests(of: "Compression"),
  tests(of: "JSONCoding"),
  tests(of: "BinaryCoding"),
  tests(of: "SystemFiles"),
  tests(of: "OwnerOnlyFiles"),
  tests(of: "TextMatching"),
  tests(of: "CloudRecords"),
  tests(of: "CloudSchema", using: ["CloudRecords"]),
  tests(of: "HTTPServer", using: ["CTLS"]),
  tests(
    of: "SQLiteRecordStorage",
    using: ["CSQLite", "RecordStorage", "RecordStorageConformance", "SQLiteDriver", "WatchedDisks"]),
  tests(of: "CloudWire", using: ["CloudRecords", "JSONCoding"]),
  tests(
    of: "CloudEncryption",
    using: [
      "BinaryCoding", "CloudRecords", "CloudWire", "Cryptography", "RecordServer", "RecordStorage",
    ]),
  tests(
    of: "RecordServer",
    using: [
      "CloudRecords", "CloudSchema", "CloudWire", "Cryptography", "JSONCoding", "RecordStorage",
      "SQLiteDriver",
      "SQLiteRecordStorage",
    ]),
  tests(
    of: "AssetStorage",
    using: [
      "CloudRecords", "CloudWire", "Cryptography", "RecordServer", "RecordStorage",
      "SQLiteRecordStorage",
    ]),
  tests(
    of: "RecordServerHTTP",
    using: [
      "AssetStorage", "CloudRecords", "CloudWire", "Cryptography", "HTTPServer", "RecordServer",
      "RecordStorage",
      "SQLiteRecordStorage",
    ]),
  tests(of: "CloudTransport"),
  tests(
    of: "CurlTransport",
    using: [
      "CloudRecords", "CloudTransport", "CloudTransportConformance", "Cryptography", "HTTPServer",
      "RecordServer",
      "RecordServerHTTP", "RecordStorage",
    ]),
  tests(
    of: "CloudKitTesting", using: ["CloudKitClient", "CloudTransport", "CloudTransportConformance"]),
  tests(of: "GeographicLocations"),
  tests(
    of: "CloudKitClient",
    using: [
      "CloudKitTesting", "CloudRecords", "CloudTransport", "CloudWire", "Cryptography",
      "CurlTransport",
      "GeographicLocations", "HTTPServer", "JSONCoding", "PredicateLanguage", "RecordServer",
      "RecordServerHTTP",
      "RecordStorage",
    ]),
  tests(of: "SQLiteDriver", using: ["CSQLite", "TextMatching"]),
  tests(of: "PropertyLists"),
  tests(of: "PredicateLanguage", using: ["TextMatching"]),
  tests(
    of: "ManagedObjectModel",
    using: ["CModelRegistry", "Compression", "PredicateLanguage", "PropertyLists", "SQLiteDriver"]),
  tests(of: "ModelSource", using: ["ManagedObjectModel", "PredicateLanguage"]),
  tests(of: "ObjectRows", using: ["ManagedObjectModel"]),
  tests(
    of: "SQLiteStore",
    using: [
      "ManagedObjectModel", "ModelSource", "ObjectRows", "PredicateLanguage", "PropertyLists",
      "SQLiteDriver",
      "WatchedDisks",
    ]),
  tests(
    of: "ManagedObjects",
    using: [
      "ManagedObjectModel", "ModelSource", "ObjectRows", "PredicateLanguage", "PropertyLists",
      "SQLiteDriver",
      "SQLiteStore",
    ],
    without: testsWithoutThreads),
  tests(
    of: "CloudMirroring",
    using: [
      "CloudKitClient", "CloudKitTesting", "CloudRecords", "CloudSchema", "CloudTransport",
      "ManagedObjectModel",
      "ManagedObjects", "ModelSource", "ObjectRows", "PredicateLanguage", "SQLiteDriver",
      "SQLiteStore",
    ]),
  tests(of: "Simulation", using: ["CloudKitTesting", "CloudTransport"]),
  tests(of: "ClassGeneration", using: ["ManagedObjectModel", "ModelSource"]),
  tests(of: "SourceMigration"),
  tests(
    of: "ParhelionCommands",
    using: [
      "CloudKitClient", "CloudRecords", "Cryptography", "ManagedObjectModel", "ManagedObjects",
      "ModelSource",
      "ObjectRows", "PredicateLanguage", "RecordServer", "RecordServerHTTP", "SQLiteDriver",
      "SQLiteRecordStorage", "SQLiteStore",
    ]),
  tests(
    of: "LaboratoryCommands", using: ["CloudKitClient", "CloudMirroring", "ParhelionCommands"]),
  // Reads the compiled public modules, so it is built after them.
  .testTarget(
    name: "ParityTests", dependencies: ["CloudKit", "CoreData"], swiftSettings: languageSettings),
]

let plugins: [Target] = [
  .plugin(name: "ManagedObjectModelPlugin", capability: .buildTool(), dependencies: ["modelc"]),
  .plugin(
    name: "MigrateSourcesPlugin",
    capability: .command(
      intent: .custom(
        verb: "migrate-core-data-sources",
        description:
          "Rewrite @objc, #keyPath, #selector and hook overrides so that Core Data sources also build on Linux"
      ),
      permissions: [
        .writeToPackageDirectory(
          reason: "Rewrites the source files of the chosen targets, after showing a diff.")
      ]),
    dependencies: ["migrate-sources"]),
]

/// Where `Scripts/fuzz` found the sources of llhttp, which requests are compared with; without them
/// they are not.
let oracleSettings: [CSetting] =
  Context.environment["PARHELION_LLHTTP"].map { folder in
    [.unsafeFlags(["-I\(folder)/llhttp", "-I\(folder)/include/llhttp", "-Wno-everything"])]
  } ?? []

/// The program that `Scripts/fuzz` builds, with a sanitizer in every module; no other build knows
/// it.
let fuzzing: [Target] =
  Context.environment["PARHELION_FUZZ"] == nil
  ? []
  : [
    .target(name: "CHTTPOracle", path: "Fuzz/Oracle", cSettings: oracleSettings),
    .executableTarget(
      name: "fuzz",
      dependencies: [
        "CHTTPOracle", "CloudRecords", "CloudSchema", "CloudWire", "Compression", "HTTPServer",
        "JSONCoding",
        "ManagedObjectModel",
        "ModelSource", "PredicateLanguage", "PropertyLists", "RecordServer", "RecordServerHTTP",
        "RecordStorage",
        "SourceMigration",
      ],
      path: "Fuzz/Drivers", swiftSettings: languageSettings + [.strictMemorySafety()]),
  ]

// MARK: - Part of the package

/// The tests to build, and nothing that they do not need: `PARHELION_TESTS=SQLiteStore,ObjectRows
/// swift build …`.
///
/// Nil, the usual case, builds the whole package. With `PARHELION_USERS` set, the tests of the
/// modules that use one of these come along.
let chosenTests: Set<String>? = Context.environment["PARHELION_TESTS"].map { names in
  var modules = Set(names.split(separator: ",").map(String.init))
  if Context.environment["PARHELION_USERS"] != nil {
    modules.formUnion(layers.filter { !modules.isDisjoint(with: $0.uses) }.map(\.name))
  }
  return Set(modules.map { "\($0)Tests" })
}

/// These tests, and what tests have in common as far as they use it.
let chosenTestTargets: [Target] = {
  guard let chosenTests else { return testTargets }
  var wanted = chosenTests
  // What tests have in common is listed before them, and uses what is listed before it.
  for target in testTargets.reversed() where wanted.contains(target.name) {
    wanted.formUnion(target.usedNames)
  }
  return testTargets.filter { wanted.contains($0.name) }
}()

extension Target {
  /// The targets that this one uses.
  var usedNames: [String] {
    dependencies.compactMap { if case .byNameItem(let name, _) = $0 { name } else { nil } }
  }
}

/// The layers that the chosen tests stand on.
let chosenLayers: [Layer] = {
  guard chosenTests != nil else { return checkedLayers }
  var needed: Set<String> = []
  for target in chosenTestTargets { needed.formUnion(target.usedNames) }
  // The tests of the commands run the tool itself, too.
  if needed.contains("ParhelionCommands") { needed.insert("parhelion") }
  if needed.contains("LaboratoryCommands") { needed.insert("parhelion-lab") }
  for layer in checkedLayers.reversed() where needed.contains(layer.name) {
    needed.formUnion(layer.uses)
  }
  return checkedLayers.filter { needed.contains($0.name) }
}()

let products: [Product] = [
  .library(name: "CoreData", targets: ["CoreData"]),
  .library(name: "CloudKit", targets: ["CloudKit"]),
  .library(name: "CloudKitTesting", targets: ["CloudKitTesting"]),
  .library(name: "CoreLocation", targets: ["CoreLocation"]),
  .executable(name: "parhelion", targets: ["parhelion"]),
  .executable(name: "parhelion-lab", targets: ["parhelion-lab"]),
  .executable(name: "modelc", targets: ["modelc"]),
  .plugin(name: "ManagedObjectModelPlugin", targets: ["ManagedObjectModelPlugin"]),
  .plugin(name: "MigrateSourcesPlugin", targets: ["MigrateSourcesPlugin"]),
]

let package = Package(
  name: "Parhelion",
  products: chosenTests == nil ? products : [],
  targets: chosenLayers.map(target(for:)) + (chosenTests == nil ? plugins + fuzzing : [])
    + chosenTestTargets,
  swiftLanguageModes: [.v6]
)
