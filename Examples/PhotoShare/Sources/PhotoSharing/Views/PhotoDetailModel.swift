import CoreData
import Foundation

/// One photo with its details.
@MainActor public final class PhotoDetailModel {
  /// The picture, or the reason why it is missing.
  public enum Picture: Equatable, Sendable {
    /// The picture.
    case data(Data)
    /// The data has not arrived on this device.
    case notDownloaded
    /// The photo was deleted, perhaps by another person.
    case deleted
  }

  private let stack: PhotoStack
  private let provider: any SharingProvider
  private let photo: Photo

  /// Creates the model of a photo.
  public init(_ photo: Photo, stack: PhotoStack, provider: any SharingProvider) {
    (self.photo, self.stack, self.provider) = (photo, stack, provider)
  }

  private var isDeleted: Bool { photo.managedObjectContext == nil || photo.isDeleted }

  /// The name.
  public var name: String { photo.displayName ?? "Untitled" }

  /// The picture, or the reason why it is missing.
  public var picture: Picture {
    if isDeleted { return .deleted }
    return photo.photoData?.data.map { .data($0) } ?? .notDownloaded
  }

  /// The names of the tags that are not marked as duplicates, in order.
  public var tags: [String] { photo.visibleTags.compactMap(\.name) }

  /// The average rating as stars; `Not rated` if there is none.
  public var rating: String {
    photo.averageRating.map { Stars.text($0) } ?? "Not rated"
  }

  /// The audience of the photo, such as `Shared with 2 people`.
  public var audience: String {
    guard provider.isShared(object: photo) else { return "Only you" }
    let others = max(provider.participants(for: photo).count - 1, 0)
    return others == 1 ? "Shared with 1 person" : "Shared with \(others) people"
  }

  /// Whether the fields can be changed.
  public var isEditable: Bool { !isDeleted && provider.canEdit(object: photo) }

  /// Changes the name.
  public func rename(_ name: String) throws {
    guard isEditable else { throw SharingFailure.readOnly }
    photo.displayName = name.trimmingCharacters(in: .whitespaces)
    try stack.save()
  }
}

extension Photo {
  /// The tags that are not marked as duplicates, by name.
  @MainActor var visibleTags: [Tag] {
    let tags = (tags as? Set<Tag>) ?? []
    return tags.filter { $0.deduplicatedDate == nil }.sorted(by: Tag.areInOrder)
  }

  /// The ratings, the best first.
  @MainActor var sortedRatings: [Rating] {
    ((ratings as? Set<Rating>) ?? []).sorted { one, other in
      (-one.value, one.objectID.uriRepresentation().absoluteString)
        < (-other.value, other.objectID.uriRepresentation().absoluteString)
    }
  }

  /// The average of the ratings; nil if there are none.
  @MainActor var averageRating: Double? {
    let values = sortedRatings.map { Double($0.value) }
    return values.isEmpty ? nil : values.reduce(0, +) / Double(values.count)
  }
}

extension Tag {
  /// Whether a tag is shown before another one: by name, then by UUID.
  static func areInOrder(_ one: Tag, _ other: Tag) -> Bool {
    (one.name ?? "", one.uuid?.uuidString ?? "") < (other.name ?? "", other.uuid?.uuidString ?? "")
  }
}

/// Ratings as text.
public enum Stars {
  /// The highest rating.
  public static let most = 5

  /// Returns a rating as stars, rounded.
  public static func text(_ value: Double) -> String {
    let count = min(max(Int(value.rounded()), 0), most)
    return String(repeating: "★", count: count) + String(repeating: "☆", count: most - count)
  }
}
