import CloudKitClient
import CloudKitTesting
import CloudMirroring
import CloudTransport
import Foundation
import ManagedObjectModel
import ManagedObjects
import ObjectRows
import PredicateLanguage

/// A user's device: a container with one mirrored store in a folder, and helpers for tests.
final class Device: Sendable {
  let container: NSPersistentCloudKitContainer
  let network: TestNetwork
  let file: URL
  private let context: NSManagedObjectContext

  /// Creates a device with a mirrored store.
  ///
  /// - Parameters:
  ///   - isAutomatic: Whether steps run automatically; otherwise `sync()` runs them.
  ///   - debouncesSaves: Whether frequent saves are debounced, as with a running clock.
  ///   - dependencies: The clock of an automatic device; nil for the cloud's clock.
  init(
    _ device: TestDevice, in folder: URL, isAutomatic: Bool = false,
    scope: CKDatabase.Scope = .private,
    model: NSManagedObjectModel = AddressBook.model(), file: URL? = nil,
    clockIsAheadBySeconds: Double = 0,
    debouncesSaves: Bool = false, through transport: (any CloudTransport)? = nil,
    dependencies: ClientDependencies? = nil, sizes: TransferSizes = TransferSizes(),
    logging: MirrorLogging? = nil,
    encryptedValues: CKContainer.Configuration.EncryptedValues = .device
  ) async throws {
    network = device.network
    self.file = file ?? folder.appendingPathComponent("\(UUID().uuidString).sqlite")
    container = NSPersistentCloudKitContainer(name: "Addresses", managedObjectModel: model)
    let description = NSPersistentStoreDescription(url: self.file)
    let options = NSPersistentCloudKitContainerOptions(
      container: isAutomatic
        ? CKContainer(
          device.binding(
            over: transport ?? device.transport, dependencies: dependencies ?? device.patient))
        : CKContainer(
          Self.impatient(
            device, clockIsAheadBySeconds, debouncesSaves, transport ?? device.transport,
            encryptedValues)))
    options.isAutomatic = isAutomatic
    options.databaseScope = scope
    options.sizes = sizes
    options.logging = logging
    description.cloudKitContainerOptions = options
    container.persistentStoreDescriptions = [description]
    try await container.loadPersistentStores()
    context = container.newBackgroundContext()
    context.automaticallyMergesChangesFromParent = true
  }

  /// A binding whose waits end at once, so that retries need no clock.
  private static func impatient(
    _ device: TestDevice, _ ahead: Double, _ debouncesSaves: Bool, _ transport: any CloudTransport,
    _ encryptedValues: CKContainer.Configuration.EncryptedValues
  ) -> ContainerBinding {
    let clock = device.cloud.clock
    var dependencies = ClientDependencies(
      now: { clock.now.addingTimeInterval(ahead) }, wait: { _ in try Task.checkCancellation() },
      chance: { 0.5 },
      makeName: { UUID().uuidString })
    dependencies.isRealTime = debouncesSaves
    let binding = device.binding(over: transport, dependencies: dependencies)
    if encryptedValues == .device { return binding }
    var configuration = binding.configuration
    configuration.encryptedValues = encryptedValues
    return ContainerBinding(configuration, transport: transport, dependencies: dependencies)
  }

  /// The engine of the store.
  var engine: MirrorEngine { container.mirroring.engines[0] }

  func sync() async throws { try await container.sync() }

  /// Closes the store, like the end of the program.
  func close() throws {
    for store in container.persistentStoreCoordinator.persistentStores {
      try container.persistentStoreCoordinator.remove(store)
    }
  }

  // MARK: Objects

  /// Changes objects, and saves.
  func save(_ body: @escaping @Sendable (NSManagedObjectContext) throws -> Void) async throws {
    try await context.perform { [context] in
      context.refreshAllObjects()
      try body(context)
      try context.save()
    }
  }

  /// Inserts an object of an entity and saves it.
  func add(_ entity: String, _ values: [String: any Sendable]) async throws {
    try await save { context in
      let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
      for (key, value) in values { object.setValue(value, forKey: key) }
    }
  }

  /// Changes the person with a name and saves.
  func change(_ name: String, _ values: [String: any Sendable]) async throws {
    try await save { context in
      let person = try context.person(name)
      for (key, value) in values { person.setValue(value, forKey: key) }
    }
  }

  /// Deletes the person with a name and saves.
  func delete(_ name: String) async throws {
    try await save { context in context.delete(try context.person(name)) }
  }

  /// The contents of the store as sorted lines of text, which are equal on devices that agree.
  func text() async throws -> [String] {
    try await container.performBackgroundTask { context in
      var lines: [String] = []
      for entity in ["Group", "Person", "Town"] {
        let request = NSFetchRequest<NSManagedObject>(entityName: entity)
        lines += try context.fetch(request).map(\.line).sorted()
      }
      return lines
    }
  }

  /// The names of all people, in order.
  func names() async throws -> [String] {
    try await container.performBackgroundTask { context in
      try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Person"))
        .compactMap { $0.value(forKey: "name") as? String }.sorted()
    }
  }

  /// The identifier of the person with a name.
  func person(_ name: String) async throws -> NSManagedObjectID {
    try await container.performBackgroundTask { context in try context.person(name).objectID }
  }

  /// The value of a person's property as text.
  func value(_ name: String, _ key: String) async throws -> String {
    try await container.performBackgroundTask { context in
      "\(try context.person(name).value(forKey: key) ?? "nil")"
    }
  }
}

/// The person that a test looks for does not exist.
struct NoSuchPerson: Error {
  let name: String
}

extension NSManagedObjectContext {
  func person(_ name: String) throws -> NSManagedObject {
    let request = NSFetchRequest<NSManagedObject>(entityName: "Person")
    request.predicate = NSPredicate(format: "name == %@", name)
    guard let person = try fetch(request).first else { throw NoSuchPerson(name: name) }
    return person
  }
}

extension NSManagedObject {
  /// The values of the object, and the names of related objects.
  fileprivate var line: String {
    let attributes = entity.attributesByName.keys.sorted().map {
      "\($0)=\(text(of: value(forKey: $0)))"
    }
    let related = entity.relationshipsByName.keys.sorted().map { "\($0)=\(names(of: $0))" }
    return "\(entity.name ?? "") \((attributes + related).joined(separator: " "))"
  }

  private func text(of value: Any?) -> String {
    switch value {
    case nil: "-"
    case let data as Data: "\(data.count) bytes"
    case let date as Date: "\(date.timeIntervalSinceReferenceDate)"
    case let value?: "\(value)"
    }
  }

  private func names(of relationship: String) -> String {
    if entity.relationshipsByName[relationship]?.isOrdered == true {
      let members = mutableOrderedSetValue(forKey: relationship)
      let objects = (0..<members.count).map { members.object(at: $0) }
      return objects.compactMap { ($0 as? NSManagedObject)?.title }.joined(separator: ",")
    }
    let value = value(forKey: relationship)
    let objects = (value as? NSSet)?.allObjects ?? value.map { [$0] } ?? []
    return objects.compactMap { ($0 as? NSManagedObject)?.title }.sorted().joined(separator: ",")
  }

  private var title: String? { value(forKey: entity.name == "Group" ? "title" : "name") as? String }
}

extension TestDevice {
  /// The dependencies of an automatic device, which waits by the cloud's clock.
  var patient: ClientDependencies {
    let clock = cloud.clock
    return ClientDependencies(
      now: { clock.now }, wait: { try await clock.wait(for: $0) }, chance: { 0.5 },
      makeName: { UUID().uuidString })
  }
}
