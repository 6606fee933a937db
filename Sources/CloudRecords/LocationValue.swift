/// A location on the earth, as a device measured it.
package struct LocationValue: Hashable, Sendable {
  /// Degrees, −90 to 90.
  package var latitude: Double
  /// Degrees, −180 to 180.
  package var longitude: Double
  /// Metres; nil if the device did not report it.
  package var horizontalAccuracy: Double?
  package var verticalAccuracy: Double?
  package var altitude: Double?
  /// Metres per second.
  package var speed: Double?
  /// Degrees clockwise from north.
  package var course: Double?
  package var timestamp: Timestamp?

  package init(latitude: Double, longitude: Double) {
    self.latitude = latitude
    self.longitude = longitude
  }

  /// Says what is wrong with the location, as the predicate of a sentence; nil if it is valid.
  package var defect: String? {
    if !(-90...90).contains(latitude) { return "has a latitude outside of −90 to 90 degrees" }
    if !(-180...180).contains(longitude) { return "has a longitude outside of −180 to 180 degrees" }
    let others = [horizontalAccuracy, verticalAccuracy, altitude, speed, course]
    return others.allSatisfy { $0?.isFinite ?? true } ? nil : "has a number that is not finite"
  }
}
