// Grocery lists that are the same on all devices of a person.
//
//   groceries                                    shows three devices with a cloud in memory
//   groceries [--device NAME] add NAME [LIST]    runs one command on one device
//   groceries [--device NAME] done|remove NAME
//   groceries [--device NAME] list|state
//
// A command uses the cloud that the environment or a file names, or else the server of this
// machine. Documentation/TwoDevices.md takes two devices from nothing to one list.
import CloudKit
import CloudKitTesting
import CoreData
import Foundation
import GroceryLists

if CommandLine.arguments.count > 1 {
  try await command(Array(CommandLine.arguments.dropFirst()))
} else {
  try await play()
}

/// Runs one command on one device, whose store is in the working folder, and syncs.
func command(_ words: [String]) async throws {
  var words = words
  var device = "Groceries"
  if words.count > 2, words[0] == "--device" {
    device = words[1]
    words.removeFirst(2)
  }
  let groceries = try await Groceries(
    file: URL(fileURLWithPath: "\(device).sqlite"),
    cloud: NSPersistentCloudKitContainerOptions(containerIdentifier: cloudIdentifier()))
  switch (words[0], words.count) {
  case ("add", 2...): try await groceries.add(words[1], to: words.count > 2 ? words[2] : "Home")
  case ("done", 2): try await groceries.change(words[1]) { $0.isDone = true }
  case ("remove", 2): try await groceries.remove(words[1])
  case ("list", 1): break
  case ("state", 1): print(groceries.container.syncState)
  default: fatalError("There is no such command: see the first lines of main.swift.")
  }
  do { try await groceries.sync() } catch {
    print("Not in step with the cloud: \(error.localizedDescription)")
  }
  for line in try await groceries.lines() { print(line) }
}

/// Returns the configured container, or one on the server that `parhelion serve` starts on this
/// machine.
func cloudIdentifier() -> String {
  if let configured = CKContainer.default().containerIdentifier { return configured }
  let development = CKContainer.Configuration.development(
    "iCloud.com.example.groceries", user: "ada")
  CKContainer.configure(development)
  return development.containerIdentifier
}

/// Shows how three devices of one person sync.
func play() async throws {
  let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
    "groceries-\(UUID().uuidString)")
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(at: folder) }
  let cloud = try await TestCloud()

  func device(_ name: String) async throws -> (Groceries, TestNetwork) {
    let device = try await cloud.signIn("ada")
    let options = NSPersistentCloudKitContainerOptions(container: device.container)
    return (
      try await Groceries(file: folder.appendingPathComponent(name), cloud: options), device.network
    )
  }
  func show(_ title: String, _ groceries: Groceries) async throws {
    print("\n\(title)")
    for line in try await groceries.lines() { print("  \(line)") }
  }

  let (phone, network) = try await device("Phone.sqlite")
  let (laptop, _) = try await device("Laptop.sqlite")
  try await phone.add("Milk", amount: "1 l", to: "Home")
  try await phone.add("Apples", to: "Home")
  try await phone.sync()
  try await laptop.sync()
  try await show("What the phone wrote, on the laptop", laptop)

  network.isOnline = false
  try await phone.change("Milk") { $0.isDone = true }
  try await laptop.change("Milk") { $0.amount = "2 l" }
  try await laptop.remove("Apples")
  try await laptop.sync()
  network.isOnline = true
  // The phone may be backing off, and the cloud's clock moves only on request.
  try await cloud.advance(by: .seconds(60))
  try await phone.sync()
  try await laptop.sync()
  try await show("Both changed the milk, the phone without a network", phone)

  try await phone.add("Cake", photo: Data(repeating: 7, count: 3 << 20), to: "Party")
  try await phone.sync()
  let (tablet, _) = try await device("Tablet.sqlite")
  try await tablet.sync()
  try await show("A new tablet, with a photo that went as a file", tablet)

  let lines = (try await phone.lines(), try await tablet.lines())
  print("\nThe phone and the tablet agree: \(lines.0 == lines.1)")
}
