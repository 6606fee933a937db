/// A place on the earth, with what a device knows beside it.
package struct LocationValue: Hashable, Sendable {
  /// Degrees, −90 to 90.
  package var latitude: Double
  /// Degrees, −180 to 180.
  package var longitude: Double
  /// Metres; nil where the device did not say.
  package var horizontalAccuracy: Double?
  package var verticalAccuracy: Double?
  package var altitude: Double?
  /// Metres a second.
  package var speed: Double?
  /// Degrees clockwise from north.
  package var course: Double?
  package var timestamp: Timestamp?

  package init(latitude: Double, longitude: Double) {
    self.latitude = latitude
    self.longitude = longitude
  }

  /// What is wrong with the place, as the end of a sentence; nil if nothing is.
  package var fault: String? {
    if !(-90...90).contains(latitude) { return "has a latitude outside of −90 to 90 degrees" }
    if !(-180...180).contains(longitude) { return "has a longitude outside of −180 to 180 degrees" }
    let others = [horizontalAccuracy, verticalAccuracy, altitude, speed, course]
    return others.allSatisfy { $0?.isFinite ?? true } ? nil : "has a number that is not finite"
  }
}
