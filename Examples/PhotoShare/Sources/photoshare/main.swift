// Shows the devices of two people who share photos, with a cloud in memory.
import CloudKit
import CloudKitTesting
import CoreData
import Foundation
import PhotoSharing

let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
  "photoshare-\(UUID().uuidString)")
defer { try? FileManager.default.removeItem(at: folder) }
let cloud = try await TestCloud()

@MainActor struct Device {
  let stack: PhotoStack
  let sharing: CloudSharing

  init(_ name: String) async throws {
    let container = try await cloud.signIn("\(name)@example.com").container
    stack = try await PhotoStack(folder: folder.appendingPathComponent(name)) {
      NSPersistentCloudKitContainerOptions(container: container)
    }
    sharing = CloudSharing(stack: stack, cloud: container)
    try await stack.sync()
  }

  func show(_ title: String) throws {
    print("\n\(title)")
    for item in try PhotoListModel(stack: stack, provider: sharing).items() {
      guard let photo = try stack.photos().first(where: { $0.objectID == item.objectID }) else {
        continue
      }
      let detail = PhotoDetailModel(photo, stack: stack, provider: sharing)
      let tags = detail.tags.isEmpty ? "no tags" : detail.tags.joined(separator: ", ")
      print("  \(item.name): \(detail.rating), \(tags). \(detail.audience).")
    }
  }

  func photo(_ name: String) throws -> Photo {
    guard let photo = try stack.photos().first(where: { $0.displayName == name }) else {
      fatalError("There is no photo \(name).")
    }
    return photo
  }

  func tag(_ photo: String, _ tag: String) throws {
    let tagging = TaggingModel(try self.photo(photo), stack: stack, provider: sharing)
    tagging.filter = tag
    try tagging.createTag()
  }
}

let (ada, grace) = (try await Device("ada"), try await Device("grace"))
let list = PhotoListModel(stack: ada.stack, provider: ada.sharing)
let picture = Data(repeating: 7, count: 100_000)
try list.add("Aurora", data: picture)
try list.add("Eclipse", data: picture)
try ada.tag("Aurora", "Night")
try await ada.stack.sync()
try ada.show("Ada's photos")

let share = try await list.createShare(of: try ada.photo("Aurora"), title: "Northern lights")
try await ada.stack.sync()
let participants = ParticipantsModel(share, provider: ada.sharing)
try await participants.invite("grace@example.com")
guard let link = participants.link else { fatalError("A saved share has a link.") }
try await grace.sharing.accept(link)
try RatingModel(try grace.photo("Aurora"), stack: grace.stack, provider: grace.sharing).add(5)

// Both people add a tag with the same name before they sync.
try grace.tag("Aurora", "Green")
try ada.tag("Aurora", "Green")
for device in [ada, grace, ada, grace] { try await device.stack.sync() }
try grace.show("Grace accepted, rated and tagged the photo, as Ada did")

let marked = try await ada.stack.deduplicate().marked.count
for device in [ada, grace] { try await device.stack.sync() }
try grace.show("Ada's device merged \(marked) duplicate")

try await ShareListModel(provider: ada.sharing).end(share)
try await grace.stack.sync()
try ada.show("Ada stopped sharing")
try grace.show("Grace's photos")
