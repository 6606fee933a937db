import CloudKitTesting
import CloudMirroring
import Foundation
import ManagedObjectModel
import ManagedObjects
import ObjectRows
import PredicateLanguage
import TestSupport
import Testing

/// Three devices end with equal stores, whatever they and the network do.
@Suite("Random devices", .endsAtAll)
struct RandomDevicesTests {
  @Test(arguments: [5, 13, 18, 20, 42, 49] as [UInt64])
  func `Three devices converge`(seed: UInt64) async throws {
    try await converge(seed, isOrdered: false)
  }

  @Test(arguments: [1, 2, 3, 4, 5, 6] as [UInt64])
  func `Three devices converge on the same orders`(seed: UInt64) async throws {
    try await converge(seed, isOrdered: true)
  }

  private func converge(_ seed: UInt64, isOrdered: Bool) async throws {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      var devices: [Device] = []
      for _ in 0..<3 {
        devices.append(
          try await Device(
            cloud.signIn("ada"), in: folder, model: AddressBook.model(isOrdered: isOrdered)))
      }
      var generator = SeededGenerator(seed: seed)
      for _ in 0..<120 { try await step(devices, &generator, isOrdered) }
      for device in devices { device.network.heal() }
      for _ in 0..<3 { for device in devices { try await device.sync() } }
      let texts = [
        try await devices[0].text(), try await devices[1].text(), try await devices[2].text(),
      ]
      #expect(!texts[0].isEmpty)
      #expect(texts[0] == texts[1], "seed \(seed)")
      #expect(texts[1] == texts[2], "seed \(seed)")
      for device in devices {
        #expect(device.container.syncState.isUpToDate, "seed \(seed)")
        try device.close()
      }
      #expect(cloud.serverErrors.isEmpty)
    }
  }

  private func step(_ devices: [Device], _ generator: inout SeededGenerator, _ isOrdered: Bool)
    async throws
  {
    let device = devices[Int.random(in: 0..<3, using: &generator)]
    if Int.random(in: 0..<3, using: &generator) == 0 {
      let faults: [TestNetwork.Fault] = [
        .lostResponse, .lostRequest, .repeatedRequest, .unavailable(retryAfterSeconds: 60),
      ]
      if let fault = faults.randomElement(using: &generator), Bool.random(using: &generator) {
        let place = Int.random(in: 0..<4, using: &generator)
        for number in 0..<4 { device.network.inject(number == place ? fault : nil) }
      }
      // Network failures are expected here.
      try? await device.sync()
      device.network.heal()
      return
    }
    let change = Change(&generator, isOrdered)
    try await device.save { try change.apply(to: $0) }
  }
}

/// A change to the address book.
private struct Change: Sendable {
  let kind: Int
  let numbers: [Int]

  init(_ generator: inout SeededGenerator, _ isOrdered: Bool) {
    kind = Int.random(in: 0..<(isOrdered ? 11 : 9), using: &generator)
    numbers = (0..<4).map { _ in Int.random(in: 0..<1_000, using: &generator) }
  }

  func apply(to context: NSManagedObjectContext) throws {
    let people = try all("Person", "name", context)
    let (towns, groups) = (try all("Town", "name", context), try all("Group", "title", context))
    switch kind {
    case 0, 1: insert("Person", "name", context)
    case 2: insert("Town", "name", context)
    case 3: insert("Group", "title", context)
    case 4: pick(people, 0)?.setValue("mail \(numbers[1])", forKey: "email")
    case 5: pick(people, 0)?.setValue(pick(towns, 1), forKey: "town")
    case 6: pick(people, 0)?.setValue(numbers[1], forKey: "age")
    case 7:
      guard let group = pick(groups, 0), let person = pick(people, 1) else { return }
      toggle(person, in: group)
    case 9: pick(towns, 0).map { move(in: $0.mutableOrderedSetValue(forKey: "people")) }
    case 10: pick(groups, 0).map { move(in: $0.mutableOrderedSetValue(forKey: "members")) }
    default: if let object = pick(people + towns + groups, 0) { context.delete(object) }
    }
  }

  private func toggle(_ person: NSManagedObject, in group: NSManagedObject) {
    guard group.entity.relationshipsByName["members"]?.isOrdered == true else {
      let members = group.mutableSetValue(forKey: "members")
      return members.contains(person) ? members.remove(person) : members.add(person)
    }
    let members = group.mutableOrderedSetValue(forKey: "members")
    if members.contains(person) { return members.remove(person) }
    members.insert(person, at: numbers[2] % (members.count + 1))
  }

  private func move(in members: NSMutableOrderedSet) {
    guard members.count > 1 else { return }
    members.moveObjects(
      at: IndexSet(integer: numbers[1] % members.count), to: numbers[2] % members.count)
  }

  private func insert(_ entity: String, _ key: String, _ context: NSManagedObjectContext) {
    let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
    object.setValue("\(entity) \(numbers[0]) \(numbers[1])", forKey: key)
  }

  /// Sorted, so that each run has the same order.
  private func all(_ entity: String, _ key: String, _ context: NSManagedObjectContext) throws
    -> [NSManagedObject]
  {
    let request = NSFetchRequest<NSManagedObject>(entityName: entity)
    request.sortDescriptors = [NSSortDescriptor(key: key, ascending: true)]
    return try context.fetch(request)
  }

  private func pick(_ objects: [NSManagedObject], _ number: Int) -> NSManagedObject? {
    objects.isEmpty ? nil : objects[numbers[number] % objects.count]
  }
}
