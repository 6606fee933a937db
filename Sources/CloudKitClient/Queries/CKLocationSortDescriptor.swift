public import Foundation
public import GeographicLocations

/// Sorts the records of a query by the distance of a location field from a given location, nearest
/// first.
///
/// Only the server can sort by it.
open class CKLocationSortDescriptor: NSSortDescriptor {
  /// The location that distances are measured from.
  public let relativeLocation: CLLocation
  /// The name of the location field.
  let locationKey: String

  /// Creates a descriptor that sorts by the distance of a location field from a location.
  public init(key: String, relativeLocation: CLLocation) {
    self.relativeLocation = relativeLocation
    locationKey = key
    super.init(keyPath: \String.self, ascending: true) { _, _ in .orderedSame }
  }

  /// Unavailable: sort descriptors cannot be archived on this platform.
  @available(
    *, unavailable,
    message:
      "Sort descriptors cannot be archived on this platform. Archive the key and the location instead."
  )
  public required init?(coder: NSCoder) {
    preconditionFailure("Sort descriptors cannot be archived on this platform.")
  }
}
