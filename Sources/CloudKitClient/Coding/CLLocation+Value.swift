import CloudRecords
import Foundation
import GeographicLocations

// Unknown values are absent on the wire and negative in a `CLLocation`. A negative horizontal
// accuracy, which marks the coordinate as invalid, is transmitted.
extension CLLocation {
  /// Creates a location from a field's value.
  convenience init(_ value: LocationValue) {
    self.init(
      coordinate: CLLocationCoordinate2D(latitude: value.latitude, longitude: value.longitude),
      altitude: value.altitude ?? 0, horizontalAccuracy: value.horizontalAccuracy ?? 0,
      verticalAccuracy: value.verticalAccuracy ?? -1, course: value.course ?? -1,
      speed: value.speed ?? -1,
      timestamp: value.timestamp.map { Date($0) } ?? Date(timeIntervalSince1970: 0))
  }
}

extension LocationValue {
  /// Creates a field's value from a location.
  init(_ location: CLLocation) {
    func known(_ number: Double) -> Double? { number < 0 ? nil : number }
    self.init(latitude: location.coordinate.latitude, longitude: location.coordinate.longitude)
    altitude = location.altitude
    horizontalAccuracy = location.horizontalAccuracy
    verticalAccuracy = known(location.verticalAccuracy)
    speed = known(location.speed)
    course = known(location.course)
    timestamp = Timestamp(location.timestamp)
  }
}
