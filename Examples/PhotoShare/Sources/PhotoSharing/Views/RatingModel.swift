import CoreData
import Foundation

/// The ratings of a photo.
@MainActor public final class RatingModel {
  private let stack: PhotoStack
  private let provider: any SharingProvider
  private let photo: Photo

  /// Creates the model of a photo's ratings.
  public init(_ photo: Photo, stack: PhotoStack, provider: any SharingProvider) {
    (self.photo, self.stack, self.provider) = (photo, stack, provider)
  }

  /// The rows: each rating as stars, the best first.
  public var rows: [String] { photo.sortedRatings.map { Stars.text(Double($0.value)) } }

  /// Whether ratings can be added and deleted.
  public var isEditable: Bool { provider.canEdit(object: photo) }

  /// Adds a rating of one to five stars.
  public func add(_ value: Int) throws {
    guard isEditable else { throw SharingFailure.readOnly }
    guard (1...Stars.most).contains(value) else { throw RatingFailure.outOfRange(value) }
    let rating: Rating = stack.insert(beside: photo)
    rating.value = Int16(value)
    rating.photo = photo
    try stack.save()
  }

  /// Deletes the rating of a row.
  public func delete(at row: Int) throws {
    let rating = photo.sortedRatings[row]
    guard provider.canDelete(object: rating) else { throw SharingFailure.readOnly }
    stack.context.delete(rating)
    try stack.save()
  }
}

/// The reason why a rating is not possible.
public enum RatingFailure: Error, Equatable {
  /// The rating has fewer than one star, or more than five.
  case outOfRange(Int)
}
