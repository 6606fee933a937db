import CloudKitClient
import CloudKitTesting
import CloudMirroring
import CloudRecords
import CloudTransport
import Foundation
import ManagedObjectModel
import ManagedObjects
import MirrorLedger
import MirrorModel
import ObjectRows
import SQLiteDriver
import SQLiteStore
import Synchronization

/// A device of a world: its stores in a separate folder, which are reopened at every restart.
final class SimulatedDevice {
  let name: String
  let network: SimulatedNetwork
  private let server: SimulatedServer
  private let disk: SimulatedDisk
  private let chance: SharedRandomness
  private let sizes: TransferSizes
  private let workload: Workload
  private let environment: CloudEnvironment
  /// The defect of its program, if any.
  private let mutation: Mutation?
  private let memory = TransportMemory()
  /// The user to whom the device belongs, even while another user is signed in.
  let owner: String
  /// The account that is signed in, or signs in at the next start.
  private(set) var account: String
  /// All users that have signed in.
  private(set) var users: Set<String>
  /// The model version of its program.
  private(set) var version: SimulatedModel.Version
  private let skewSeconds = SharedNumber()
  private var opened: Opened?
  /// The number of calls of `nextEngine()`, by which engines take turns.
  private var turn = 0
  /// Whether the store's file cannot grow.
  private(set) var isDiskFull = false

  /// The state of a running device.
  struct Opened {
    let container: NSPersistentCloudKitContainer
    let context: NSManagedObjectContext
    let crashPoints: SaveCrashPoints
  }

  init(
    _ name: String, at server: SimulatedServer, in world: URL, seed: UInt64, sizes: TransferSizes,
    workload: Workload, version: SimulatedModel.Version, environment: CloudEnvironment,
    power: SimulatedDisk.Power = .stays, mutation: Mutation? = nil, owner: String = World.user
  ) throws {
    self.mutation = mutation
    (self.owner, account, users) = (owner, owner, [owner])
    (self.workload, self.version, self.environment) = (workload, version, environment)
    (self.name, self.server, self.sizes) = (name, server, sizes)
    chance = SharedRandomness(seed: seed)
    disk = try SimulatedDisk(
      world.appendingPathComponent(name), kept: world.appendingPathComponent("\(name)-kept"),
      chance: SharedRandomness(seed: ~seed), power)
    network = SimulatedNetwork { [disk] in disk.keep(losesPower: $0) }
    disk.atCrashPoints { [network] in network.passCrashPoint(of: .transactions) }
  }

  private var cloud: TestCloud { server.cloud }

  // MARK: Starting and ending

  /// Starts the device and signs in.
  func start() async throws {
    let container = StackDependencies.$current.withValue(dependencies) {
      NSPersistentCloudKitContainer(
        name: "Simulation",
        managedObjectModel: SimulatedModel.make(version, for: workload, mutation))
    }
    let device = try await cloud.signIn(account, to: environment)
    let simulated = SimulatedTransport(device, network: network, server: server)
    let transport: any CloudTransport =
      if let mutation { BrokenTransport(simulated, mutation, memory) } else { simulated }
    let cloudContainer = CKContainer(
      device.binding(over: transport, dependencies: clientDependencies, accounts: accounts))
    container.persistentStoreDescriptions = workload.scopes.map { scope, file in
      let options = NSPersistentCloudKitContainerOptions(container: cloudContainer)
      options.databaseScope = scope
      options.isAutomatic = false
      (options.sizes, options.plantedBugs) = (sizes, mutation?.plantedBugs)
      let description = NSPersistentStoreDescription(url: disk.folder.appendingPathComponent(file))
      description.cloudKitContainerOptions = options
      return description
    }
    if workload.keepsDrafts {
      container.persistentStoreDescriptions[0].configuration = SimulatedModel.mirroredConfiguration
      let local = NSPersistentStoreDescription(
        url: disk.folder.appendingPathComponent("local.sqlite"))
      local.configuration = SimulatedModel.localConfiguration
      // A save goes to one store after the other: if the first one is full, nothing is saved.
      container.persistentStoreDescriptions.append(local)
    }
    try await container.loadPersistentStores()
    let crashPoints = SaveCrashPoints(of: container.persistentStoreCoordinator) { [network] in
      network.passCrashPoint(of: .saves)
    }
    opened = Opened(
      container: container, context: container.newBackgroundContext(), crashPoints: crashPoints)
    if let mutation { for engine in try engines() { try mutation.plant(in: engine.mirror.ledger) } }
    if isDiskFull { try setDiskFull(true) }
  }

  /// The storage for accounts and keys.
  private var accounts: CKContainer.Configuration.AccountStorage {
    workload.encrypts ? .folder(disk.folder.appendingPathComponent("accounts")) : .memory
  }

  /// Ends the program.
  func stop() throws {
    guard let opened else { return }
    self.opened = nil
    for store in opened.container.persistentStoreCoordinator.persistentStores {
      try opened.container.persistentStoreCoordinator.remove(store)
    }
  }

  /// Restarts with the disk's state at a crash within a step, or with the present one.
  func restart() async throws {
    try stop()
    if network.isDead { try disk.restoreFiles() }
    network.heal()
    try await start()
  }

  /// Loses power, and restarts with the durable state of the disk.
  func losePower() async throws {
    network.crash(losesPower: true)
    try await restart()
  }

  /// Restarts without its store.
  func lose() async throws {
    try stop()
    try disk.empty()
    try await start()
  }

  /// Restarts with another version of the program.
  func update(to version: SimulatedModel.Version) async throws {
    try stop()
    self.version = version
    try await start()
  }

  /// Restarts with another account.
  func signIn(as account: String) async throws {
    try stop()
    self.account = account
    users.insert(account)
    try await start()
  }

  /// Creates the user's keys for encrypted values.
  ///
  /// - Returns: The recovery code for other devices.
  func makeKeys() async throws -> String {
    let encryption = try engine().mirror.container.encryption
    _ = try await encryption.status()
    guard let code = try await encryption.recoveryCode() else { throw DeviceIsOff(name: name) }
    return code
  }

  /// Restores the user's keys, unless the device has them.
  func restoreKeys(by code: String) async throws {
    let encryption = try engine().mirror.container.encryption
    if try await !encryption.hasKeys() { try await encryption.recover(with: code) }
  }

  /// Initializes the schema of the development environment, as a developer's device does.
  func initializeSchema() async throws {
    let container = try running().container
    // The method blocks its thread, which must not be one that the server needs.
    let error: (any Error)? = await withCheckedContinuation { continuation in
      Thread.detachNewThread {
        do {
          try container.initializeCloudKitSchema()
          continuation.resume(returning: nil)
        } catch {
          continuation.resume(returning: error)
        }
      }
    }
    if let error { throw error }
  }

  private var dependencies: StackDependencies {
    var dependencies = StackDependencies.real
    let (clock, chance, skew) = (cloud.clock, chance, skewSeconds)
    dependencies.now = { clock.now.addingTimeInterval(skew.value) }
    dependencies.randomBits = { chance.bits() }
    dependencies.makeUUID = { chance.uuid() }
    dependencies.fileObserver = NullFileObserver()
    dependencies.files = SimulatedFiles()
    return dependencies
  }

  /// The client's dependencies, with delays that end immediately: retries do not advance the clock.
  private var clientDependencies: ClientDependencies {
    let (clock, chance, skew) = (cloud.clock, chance, skewSeconds)
    return ClientDependencies(
      now: { clock.now.addingTimeInterval(skew.value) },
      wait: { _ in try Task.checkCancellation() },
      chance: { chance.fraction() }, makeName: { chance.uuid().uuidString })
  }

  // MARK: Requests

  /// The deviation of the device's clock, in seconds.
  var skew: Double {
    get { skewSeconds.value }
    set { skewSeconds.value = newValue }
  }

  /// The time of the device's clock.
  var now: Date { cloud.clock.now.addingTimeInterval(skew) }

  /// Sets whether the store's file may grow.
  func setDiskFull(_ isFull: Bool) throws {
    isDiskFull = isFull
    for engine in try engines() {
      try engine.mirror.ledger.store.pool.write { connection in
        let most = isFull ? try connection.get(.pageCount) : Self.mostPages
        try connection.setPragma(named: "max_page_count", to: "\(most)")
      }
    }
  }

  /// SQLite's default limit of pages in a file.
  private static let mostPages: Int64 = 4_294_967_294

  /// The engines of the mirrored stores, in order.
  func engines() throws -> [MirrorEngine] {
    guard let engines = opened?.container.mirroring.engines, !engines.isEmpty else {
      throw DeviceIsOff(name: name)
    }
    return engines
  }

  func engine() throws -> MirrorEngine { try engines()[0] }

  /// An engine with a step that is due; engines take turns.
  func nextEngine() throws -> MirrorEngine? {
    let engines = try engines()
    turn += 1
    return engines.indices.lazy.map { engines[($0 + self.turn) % engines.count] }.first {
      $0.machine.due(at: $0.mirror.now) != nil
    }
  }

  /// Gives all engines a reason to run.
  func note(_ trigger: MirrorMachine.Trigger) throws {
    for engine in try engines() { engine.note(trigger) }
  }

  /// Runs all due steps, without checks in between.
  func runAllSteps() async throws {
    try note(.asked)
    for _ in 0..<SimulationLimits.stepsInRound {
      guard let engine = try nextEngine() else { return }
      _ = await engine.runNextStep()
    }
  }

  /// Applies a user's change, and saves.
  func save(_ change: Change) async throws -> [Effect] {
    let context = try running().context
    return try await context.perform { [context] in
      context.refreshAllObjects()
      do {
        let effects = try change.apply(to: context)
        if context.hasChanges { try context.save() }
        return effects
      } catch {
        context.rollback()
        throw error
      }
    }
  }

  /// Deletes all objects as a user would; for a mutation.
  func deleteEverything() async throws {
    try await running().container.performBackgroundTask { context in
      for entity in SimulatedModel.entities.filter(context.knows) {
        try context.fetch(NSFetchRequest<NSManagedObject>(entityName: entity)).forEach(
          context.delete)
      }
      try context.save()
    }
  }

  func contents() async throws -> DeviceContents {
    try await running().container.performBackgroundTask { try DeviceContents($0) }
  }

  /// The number of pending entries of all engines.
  func pendingCount() throws -> Int {
    try engines().reduce(0) { try $0 + $1.mirror.ledger.outbox.pendingAmount().count }
  }

  /// The record names of objects, by key.
  func recordNames(_ contents: DeviceContents) throws -> [String: String] {
    let names = try running().container.recordIDs(for: contents.identifiers.values.map(\.self))
    return contents.identifiers.compactMapValues { names[$0]?.recordName }
  }

  /// The record names of objects that the device considers exported and durable.
  func durableNames(_ contents: DeviceContents) throws -> [String: String] {
    let names = try recordNames(contents)
    let keys = Set(try durable(Array(names.keys), of: contents))
    return names.filter { keys.contains($0.key) }
  }

  /// The objects among the given ones that the device considers exported and durable.
  func durable(_ keys: [String], of contents: DeviceContents) throws -> [String] {
    let container = try running().container
    return try keys.filter { key in
      guard let objectID = contents.identifiers[key],
        case .durable = try container.syncState(of: objectID)
      else { return false }
      return true
    }
  }

  /// The objects for which the device misjudges whether the signed-in user may change them.
  func misjudgedPermissions(_ contents: DeviceContents) throws -> [String] {
    let container = try running().container
    return contents.identifiers.filter { key, objectID in
      container.canUpdateRecord(forManagedObjectWith: objectID) != Ownership.has(account, key)
    }.keys.sorted()
  }

  func running() throws -> Opened {
    guard let opened else { throw DeviceIsOff(name: name) }
    return opened
  }
}

/// The error if a device that is not running is used.
struct DeviceIsOff: Error {
  let name: String
}

/// A number that a world sets and closures read.
final class SharedNumber: Sendable {
  private let number = Mutex(0.0)

  var value: Double {
    get { number.withLock(\.self) }
    set { number.withLock { $0 = newValue } }
  }
}
