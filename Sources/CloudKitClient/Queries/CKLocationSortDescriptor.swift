public import Foundation
public import GeographicLocations

/// Sorts the records of a query by how far a place of theirs is from another: the nearest first.
///
/// The server sorts by it. Objects in memory have no such order.
open class CKLocationSortDescriptor: NSSortDescriptor {
  /// What distances are measured from.
  public let relativeLocation: CLLocation
  /// The field with the place.
  let locationKey: String

  /// A descriptor that sorts by the distance between a field's place and another.
  public init(key: String, relativeLocation: CLLocation) {
    self.relativeLocation = relativeLocation
    locationKey = key
    super.init(keyPath: \String.self, ascending: true) { _, _ in .orderedSame }
  }

  /// Sort descriptors are not archived on this platform.
  @available(
    *, unavailable,
    message: "Sort descriptors are not archived on this platform. Keep key and location instead."
  )
  public required init?(coder: NSCoder) {
    preconditionFailure("Sort descriptors are not archived on this platform.")
  }
}
