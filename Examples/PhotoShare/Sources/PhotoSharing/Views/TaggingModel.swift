import CoreData
import Foundation

/// The tags that a photo has, and those that it can get.
@MainActor public final class TaggingModel {
  /// One row of the list.
  public struct Row: Equatable, Sendable {
    /// The name of the tag.
    public let name: String
    /// Whether the photo has the tag.
    public let isChecked: Bool
    /// The number of photos with the tag.
    public let photoCount: Int
  }

  private let stack: PhotoStack
  private let provider: any SharingProvider
  private let photo: Photo
  /// The text that the names of shown tags contain, and the name of a new tag.
  public var filter = ""

  /// Creates the model of a photo's tags.
  public init(_ photo: Photo, stack: PhotoStack, provider: any SharingProvider) {
    (self.photo, self.stack, self.provider) = (photo, stack, provider)
  }

  /// Whether tags can be added and deleted.
  public var isEditable: Bool { provider.canEdit(object: photo) }

  /// Whether the text of the filter can become a tag.
  public var canCreateTag: Bool {
    guard isEditable, !newName.isEmpty else { return false }
    return (try? tags().contains { $0.name == newName }) == false
  }

  private var newName: String { filter.trimmingCharacters(in: .whitespaces) }

  /// Returns the rows, by name.
  public func rows() throws -> [Row] {
    try shownTags().map { tag in
      let photos = (tag.photos as? Set<Photo>) ?? []
      return Row(
        name: tag.name ?? "", isChecked: photos.contains(photo), photoCount: photos.count)
    }
  }

  private func shownTags() throws -> [Tag] {
    try tags().filter {
      newName.isEmpty || $0.name?.localizedCaseInsensitiveContains(newName) == true
    }
  }

  /// Returns the tags of the photo's share, or the unshared tags for an unshared photo.
  ///
  /// A tag of another share cannot be related to the photo. A new tag has no share yet, but is
  /// related to the photo.
  private func tags() throws -> [Tag] {
    let request: NSFetchRequest<Tag> = Tag.fetchRequest()
    request.predicate = PhotoStack.tagRule.unmarked
    request.affectedStores = photo.objectID.persistentStore.map { [$0] }
    let tags = try stack.context.fetch(request)
    let shares = try provider.shares(matching: tags.map(\.objectID) + [photo.objectID])
    let share = shares[photo.objectID]?.identifier
    return tags.filter { tag in
      shares[tag.objectID]?.identifier == share
        || (tag.photos as? Set<Photo>)?.contains(photo) == true
    }.sorted(by: Tag.areInOrder)
  }

  /// Creates a tag with the filter's text as its name, and adds it to the photo.
  public func createTag() throws {
    guard isEditable else { throw SharingFailure.readOnly }
    guard canCreateTag else { return }
    let tag: Tag = stack.insert(beside: photo)
    tag.name = newName
    tag.uuid = UUID()
    tag.addToPhotos(photo)
    try stack.save()
    filter = ""
  }

  /// Adds the tag of a row to the photo, or removes it from the photo.
  public func toggle(at row: Int) throws {
    guard isEditable else { throw SharingFailure.readOnly }
    let tag = try shownTags()[row]
    if (tag.photos as? Set<Photo>)?.contains(photo) == true {
      tag.removeFromPhotos(photo)
    } else {
      tag.addToPhotos(photo)
    }
    try stack.save()
  }

  /// Deletes the tag of a row for all photos.
  public func delete(at row: Int) throws {
    let tag = try shownTags()[row]
    guard provider.canDelete(object: tag) else { throw SharingFailure.readOnly }
    stack.context.delete(tag)
    try stack.save()
  }
}
