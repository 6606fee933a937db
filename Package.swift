// swift-tools-version: 6.2
import Foundation
import PackageDescription

// The modules, lowest first: `NAME: USES | MORE | MORE`. What a module uses stands above it.
// `NAMETests` use the module, TestSupport, what follows the first bar, and all below these. What
// `NAMEServerTests` use, which start a server, follows a second bar. For a `system` library, it is
// the names of its pkg-config file and Debian package. In `Tests` is what tests share.
let layers = entries(
  """
  system CSQLite: | sqlite3 libsqlite3-dev
  system COpenSSL: | libcrypto libssl-dev
  system CSodium: | libsodium libsodium-dev
  system CZlib: | zlib zlib1g-dev
  system CTLS: | libssl libssl-dev
  system CCurl: | libcurl libcurl4-openssl-dev
  c CModelRegistry CObjectReferences CVariadics CHTTPSystem:
  c CSQLiteGatheredLog CSimulatedDisk CSQLiteReference: CSQLite
  shared CTestEnvironment CThreadSanitizer:
  shared CWatchedDisk: CSQLite
  shared TestSupport: CTestEnvironment CThreadSanitizer
  shared WatchedDisks: CSQLite CWatchedDisk TestSupport
  JSONCoding BinaryCoding SystemFiles TextMatching GeographicLocations PropertyLists
    SourceMigration SyncKernel:
  CloudRecords: BinaryCoding
  CloudTransport: SyncKernel
  RecordStorage: | RecordStorageConformance
  Cryptography: COpenSSL CSodium
  Compression: CZlib
  OwnerOnlyFiles: SystemFiles
  CloudSchema: CloudRecords
  HTTPServer: CHTTPSystem CTLS SystemFiles
  SQLiteDriver: CSQLite CSQLiteGatheredLog TextMatching
  shared RecordStorageConformance: RecordStorage TestSupport
  SQLiteRecordStorage: RecordStorage SQLiteDriver SystemFiles
    | RecordStorageConformance WatchedDisks
  CloudWire: CloudRecords JSONCoding
  shared CloudTransportConformance: CloudTransport TestSupport
  CurlTransport: CCurl CloudTransport | CloudTransportConformance RecordServerHTTP
  MailTransport: CCurl | HTTPServer
  CloudEncryption: BinaryCoding CloudRecords CloudWire Cryptography OwnerOnlyFiles
    | EncryptionTestSupport | EncryptionTestSupport RecordServer
  shared EncryptionTestSupport: CloudEncryption CloudRecords CloudWire
  RecordServer: BinaryCoding CloudRecords CloudSchema CloudWire Cryptography JSONCoding RecordStorage
    | | SQLiteRecordStorage
  AssetStorage: CloudRecords Cryptography RecordServer SystemFiles | SQLiteRecordStorage
  RecordServerHTTP: AssetStorage CloudRecords CloudWire Cryptography HTTPServer JSONCoding
    RecordServer RecordStorage | | SQLiteRecordStorage
  PredicateLanguage: CVariadics TextMatching | PredicateTestSupport
  shared PredicateTestSupport: PredicateLanguage
  CloudKitClient: CloudEncryption CloudRecords CloudTransport CloudWire Cryptography CurlTransport
    GeographicLocations HTTPServer JSONCoding OwnerOnlyFiles PredicateLanguage SyncKernel
    SystemFiles | ClientTestSupport | ClientTestSupport WatchedClouds
  CloudSyncEngine: CloudKitClient CloudRecords SyncKernel
    | ClientTestSupport | ClientTestSupport WatchedClouds
  shared ClientTestSupport: CloudKitClient CloudRecords CloudSyncEngine CloudTransport
  CloudKitTesting: AssetStorage CloudEncryption CloudKitClient CloudRecords CloudTransport
    Cryptography HTTPServer RecordServer RecordServerHTTP RecordStorage | CloudTransportConformance
  shared WatchedClouds: CloudKitClient CloudKitTesting CloudTransport CloudWire
  ManagedObjectModel: CModelRegistry Compression Cryptography PredicateLanguage PropertyLists
    | PredicateTestSupport SQLiteDriver
  ModelSource: ManagedObjectModel PredicateLanguage
  ObjectRows: ManagedObjectModel PredicateLanguage SystemFiles
  SQLiteStore: ManagedObjectModel ObjectRows PredicateLanguage PropertyLists SQLiteDriver
    TextMatching | ModelSource WatchedDisks
  ManagedObjects: CObjectReferences ManagedObjectModel ModelSource ObjectRows PredicateLanguage
    PropertyLists SQLiteStore TextMatching
  MirrorModel: CloudKitClient CloudRecords ManagedObjectModel ManagedObjects ObjectRows
    PredicateLanguage SyncKernel | CloudSchema MirroringTestSupport SQLiteStore
  MirrorLedger: CloudRecords ManagedObjectModel MirrorModel ObjectRows SQLiteDriver SQLiteStore
    | ManagedObjects MirroringTestSupport PredicateLanguage
  shared MirroringTestSupport: CloudKitClient ManagedObjectModel MirrorModel PredicateLanguage
  CloudMirroring: CloudKitClient CloudRecords ManagedObjectModel ManagedObjects MirrorLedger
    MirrorModel ObjectRows PredicateLanguage SQLiteDriver SQLiteStore SyncKernel
    | MirroringTestSupport | CloudKitTesting MirroringTestSupport ModelSource
  Simulation: CSimulatedDisk CloudKitClient CloudKitTesting CloudMirroring CloudRecords
    CloudTransport ManagedObjectModel ManagedObjects MirrorLedger MirrorModel ObjectRows
    PredicateLanguage RecordStorage SQLiteDriver SQLiteRecordStorage SQLiteStore | |
  public CoreData: CModelRegistry CloudMirroring ManagedObjectModel ManagedObjects ObjectRows
    PredicateLanguage
  public CloudKit: CloudKitClient CloudSyncEngine GeographicLocations PredicateLanguage
  public CoreLocation: GeographicLocations
  ClassGeneration: Cryptography ManagedObjectModel ModelSource
  ParhelionCommands: AssetStorage CloudKitClient CloudMirroring CloudRecords CloudSchema HTTPServer
    JSONCoding MailTransport ManagedObjectModel ManagedObjects MirrorLedger ModelSource ObjectRows
    PredicateLanguage PropertyLists RecordServer RecordServerHTTP RecordStorage SQLiteDriver
    SQLiteRecordStorage SQLiteStore SystemFiles | CommandTestSupport | CommandTestSupport
  shared CommandTestSupport: ParhelionCommands TestSupport
  LaboratoryCommands: BinaryCoding CCurl CSQLiteReference CTLS CloudEncryption CloudKitClient
    CloudMirroring CloudRecords CloudWire Cryptography JSONCoding ManagedObjectModel ManagedObjects
    MirrorModel ObjectRows ParhelionCommands PredicateLanguage RecordServer SQLiteDriver Simulation
    | CommandTestSupport
  executable parhelion: ParhelionCommands
  executable parhelion-lab: LaboratoryCommands ParhelionCommands
  executable modelc: ClassGeneration ManagedObjectModel ModelSource
  executable migrate-sources: SourceMigration
  """)
typealias Entry = (kind: String, name: String, uses: [String], more: [[String]])
func entries(_ table: String) -> [Entry] {
  table.replacing("\n  ", with: " ").split(separator: "\n").flatMap { line in
    let parts = line.split(separator: /[:|]/, omittingEmptySubsequences: false)
      .map { $0.split(separator: " ").map(String.init) }
    let kind = parts[0][0].first?.isLowercase == true ? parts[0][0] : "swift"
    return parts[0].filter { $0 != kind }.map { (kind, $0, parts[1], Array(parts.dropFirst(2))) }
  }
}
// What each module stands on, itself included. A module must use only modules above it.
let below: [String: Set<String>] = layers.reduce(into: [:]) { below, entry in
  below[entry.name] = entry.uses.reduce(into: [entry.name]) { all, used in
    guard let more = below[used] else { fatalError("\(used) must stand above \(entry.name).") }
    all.formUnion(more)
  }
}
func closure(_ names: [String]) -> Set<String> { Set(names.flatMap { below[$0] ?? [] }) }
func dependencies(_ names: [String]) -> [Target.Dependency] {
  closure(names).sorted().map { .byName(name: $0) }
}
let laboratory = ["CSQLiteReference", "CSimulatedDisk", "LaboratoryCommands", "Simulation"]
precondition(closure(["parhelion"]).isDisjoint(with: laboratory), "The server has laboratory code.")
let tests: [Entry] =
  layers.filter { $0.kind == "swift" }.flatMap { layer in
    zip(["Tests", "ServerTests"], layer.more.isEmpty ? [[]] : layer.more).map {
      (layer.name, layer.name + $0, [layer.name, "TestSupport"] + $1, [])
    }
  } + [("public", "ParityTests", ["CoreData", "CloudKit"], [])]
// `PARHELION_TESTS=SQLiteStore,CloudWireTests` builds modules with their tests, or test targets.
// With `PARHELION_USERS`, their users but commands come along, with tests that start no server.
let part = Context.environment["PARHELION_TESTS"]?.split(separator: ",").map(String.init)
let chosen = part ?? layers.map(\.name)
let users = (Context.environment["PARHELION_USERS"] == nil ? [] : layers).filter {
  !$0.name.hasSuffix("Commands") && $0.uses.contains(where: chosen.contains)
}.map(\.name)
let shared = Set(layers.filter { $0.kind != "swift" && chosen.contains($0.name) }.map(\.name))
let chosenTests = tests.filter { test in
  chosen.contains(test.name) || chosen.contains(test.kind) || !shared.isDisjoint(with: test.uses)
    || users.contains(test.kind) && test.name == test.kind + "Tests"
}
let named = chosen + users
// Tests of commands run the programs, too.
let programs = layers.filter { $0.kind == "executable" && $0.uses.allSatisfy(named.contains) }
let needed = closure(named + programs.map(\.name) + chosenTests.flatMap(\.uses))
// The upcoming features of STYLE.md, for every module and every test.
let features = "ExistentialAny InternalImportsByDefault MemberImportVisibility "
let language = (features + "NonisolatedNonsendingByDefault").split(separator: " ")
  .map { SwiftSetting.enableUpcomingFeature(String($0)) }
let safe = language + [.strictMemorySafety()]
// The checks compile as wholes what no example compiles again, in two thirds of the time.
let isCheck = Context.environment["PARHELION_CHECKS"] != nil
let wholes: [SwiftSetting] = isCheck ? [.unsafeFlags(["-wmo", "-num-threads", "2"])] : []
let forTests = language + wholes
func target(for entry: Entry) -> Target {
  let (name, isShared) = (entry.name, entry.kind.hasPrefix("shared"))
  let path = (isShared ? "Tests/" : "Sources/") + name
  let notes = "\(Context.packageDirectory)/\(path)/DESIGN.md"
  let uses = entry.uses.map(Target.Dependency.init(stringLiteral:))
  switch entry.kind {
  case "system":
    return .systemLibrary(
      name: name, pkgConfig: entry.more[0][0], providers: [.apt([entry.more[0][1]])])
  case "executable": return .executableTarget(name: name, dependencies: uses, swiftSettings: safe)
  default:
    return .target(
      name: name, dependencies: uses, path: path,
      exclude: FileManager.default.fileExists(atPath: notes) ? ["DESIGN.md"] : [],
      swiftSettings: (isShared ? language : safe)
        + (name.hasSuffix("Commands") ? wholes : [])
        + (name == "JSONCoding" ? [.enableExperimentalFeature("Lifetimes")] : []),
      linkerSettings: name == "TextMatching" ? [.linkedLibrary("_FoundationICU")] : [])
  }
}
// The program that `Scripts/fuzz` builds, and llhttp to compare requests with.
let oracle = Context.environment["PARHELION_LLHTTP"].map { folder in
  [CSetting.unsafeFlags(["-I\(folder)/llhttp", "-I\(folder)/include/llhttp", "-Wno-everything"])]
}
let fuzzed = ["CHTTPOracle"] + dependencies(["ModelSource", "RecordServerHTTP", "SourceMigration"])
let fuzzing: [Target] = [
  .target(name: "CHTTPOracle", path: "Fuzz/Oracle", cSettings: oracle),
  .executableTarget(name: "fuzz", dependencies: fuzzed, path: "Fuzz/Drivers", swiftSettings: safe),
]
let migration = Target.PluginCapability.command(
  intent: .custom(verb: "migrate-core-data-sources", description: "Rewrite sources for Linux"),
  permissions: [.writeToPackageDirectory(reason: "Rewrites targets, after showing a diff.")])
let plugins: [Target] = [
  .plugin(name: "ManagedObjectModelPlugin", capability: .buildTool(), dependencies: ["modelc"]),
  .plugin(name: "MigrateSourcesPlugin", capability: migration, dependencies: ["migrate-sources"]),
]
let libraries = layers.filter { $0.kind == "public" }.map(\.name) + ["CloudKitTesting"]
let products =
  libraries.map { Product.library(name: $0, targets: [$0]) }
  + ["parhelion", "parhelion-lab", "modelc"].map { .executable(name: $0, targets: [$0]) }
  + plugins.map { .plugin(name: $0.name, targets: [$0.name]) }
let package = Package(
  name: "Parhelion", products: part == nil ? products : [],
  targets: layers.filter { needed.contains($0.name) }.map(target(for:))
    + chosenTests.map {
      .testTarget(name: $0.name, dependencies: dependencies($0.uses), swiftSettings: forTests)
    } + (part == nil ? plugins + (Context.environment["PARHELION_FUZZ"] == nil ? [] : fuzzing) : [])
)
