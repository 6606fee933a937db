import CoreData
import Foundation

/// An action of a person on a photo.
public enum PhotoAction: Hashable, Sendable {
  case createShare
  case addToShare
  case manageParticipation
  case tag
  case rate
  case delete
}

/// The list of all photos.
@MainActor public final class PhotoListModel {
  /// One row of the list.
  public struct Item: Equatable, Sendable {
    /// The photo.
    public let objectID: NSManagedObjectID
    /// The name that is shown.
    public let name: String
    /// The picture that is shown; nil while it has not arrived.
    public let thumbnail: Data?
    /// Whether a badge shows that the photo is shared.
    public let isShared: Bool
    /// Whether the photo is another person's.
    public let isFromOthers: Bool
  }

  /// A choice in the menu of a photo.
  public struct MenuItem: Equatable, Sendable {
    /// The action.
    public let action: PhotoAction
    /// Whether it can be chosen now.
    public let isEnabled: Bool
  }

  private let stack: PhotoStack
  private let provider: any SharingProvider & SharingActions
  /// The text that the names of the shown photos contain, ignoring case; empty to show all.
  public var filter = ""

  /// Creates the model of a list.
  public init(stack: PhotoStack, provider: any SharingProvider & SharingActions) {
    (self.stack, self.provider) = (stack, provider)
  }

  /// Returns the rows, by name.
  public func items() throws -> [Item] {
    try stack.photos().filter(matches).map { photo in
      Item(
        objectID: photo.objectID, name: photo.displayName ?? "Untitled",
        thumbnail: photo.thumbnail?.data, isShared: provider.isShared(object: photo),
        isFromOthers: photo.objectID.persistentStore === stack.sharedStore)
    }
  }

  private func matches(_ photo: Photo) -> Bool {
    filter.isEmpty || photo.displayName?.localizedCaseInsensitiveContains(filter) == true
  }

  /// Returns the menu of a photo.
  public func menu(for photo: Photo) throws -> [MenuItem] {
    var menu: [MenuItem] = []
    if photo.objectID.persistentStore === stack.sharedStore {
      menu.append(MenuItem(action: .manageParticipation, isEnabled: true))
    } else {
      let isShared = provider.isShared(object: photo)
      let hasOwnShares = try provider.shares().contains(where: \.isOwn)
      menu.append(MenuItem(action: .createShare, isEnabled: !isShared))
      menu.append(MenuItem(action: .addToShare, isEnabled: !isShared && hasOwnShares))
    }
    menu.append(MenuItem(action: .tag, isEnabled: true))
    menu.append(MenuItem(action: .rate, isEnabled: true))
    if provider.canDelete(object: photo) {
      menu.append(MenuItem(action: .delete, isEnabled: true))
    }
    return menu
  }

  /// Adds a photo of this user.
  @discardableResult
  public func add(_ name: String, data: Data?) throws -> Photo {
    try stack.addPhoto(named: name, data: data)
  }

  /// Deletes a photo, with its data and its ratings.
  public func delete(_ photo: Photo) throws {
    guard provider.canDelete(object: photo) else { throw SharingFailure.readOnly }
    stack.context.delete(photo)
    try stack.save()
  }

  // MARK: Sharing

  /// Shares a photo under a title.
  @discardableResult
  public func createShare(of photo: Photo, title: String) async throws -> any RenderableShare {
    guard !provider.isShared(object: photo) else { throw SharingFailure.isShared }
    return try await provider.share(photo, to: nil, title: title)
  }

  /// Adds a photo to a share of this user, and merges the tags that both have.
  public func add(_ photo: Photo, to share: any RenderableShare) async throws {
    guard !provider.isShared(object: photo) else { throw SharingFailure.isShared }
    guard share.isOwn else { throw SharingFailure.notOwner }
    try await provider.share(photo, to: share, title: share.displayTitle)
    try await stack.deduplicate()
  }
}
