import Foundation
import GeographicLocations
import Testing

@Suite struct Locations {
  @Test func `A location keeps its values, and has defaults for the rest`() {
    let place = CLLocation(latitude: 48.2, longitude: 16.4)
    #expect(place.coordinate.latitude == 48.2 && place.coordinate.longitude == 16.4)
    #expect(place.altitude == 0 && place.horizontalAccuracy == 0 && place.verticalAccuracy == -1)
    #expect(
      place.course == -1 && place.speed == -1 && place.courseAccuracy == -1
        && place.speedAccuracy == -1)
    #expect(abs(place.timestamp.timeIntervalSinceNow) < 60)
  }

  @Test(arguments: [
    (0.0, 0.0, 0.0, 1.0, 111_195.1), (0, 0, 1, 0, 111_195.1), (90, 0, -90, 0, 20_015_114.4),
    (0, 179.5, 0, -179.5, 111_195.1),
    (48.2, 16.4, 48.2, 16.4, 0), (52.5200, 13.4050, 48.8566, 2.3522, 877_464.6),
  ])
  func `Locations compute their distance`(
    _ latitude: Double, _ longitude: Double, _ otherLatitude: Double, _ otherLongitude: Double,
    _ metres: Double
  ) {
    let one = CLLocation(latitude: latitude, longitude: longitude)
    let other = CLLocation(latitude: otherLatitude, longitude: otherLongitude)
    #expect(abs(one.distance(from: other) - metres) < 1)
    #expect(one.distance(from: other) == other.distance(from: one))
  }

  @Test(arguments: [
    (90.0, 180.0, true), (-90, -180, true), (90.1, 0, false), (0, 180.1, false), (.nan, 0, false),
  ])
  func `A location is valid if both coordinates are within their bounds`(
    _ latitude: Double, _ longitude: Double, _ isValid: Bool
  ) {
    #expect(
      CLLocationCoordinate2DIsValid(CLLocationCoordinate2DMake(latitude, longitude)) == isValid)
    #expect(!CLLocationCoordinate2DIsValid(kCLLocationCoordinate2DInvalid))
  }

  @Test func `Locations survive archiving`() throws {
    let place = CLLocation(
      coordinate: CLLocationCoordinate2D(latitude: -12.25, longitude: 130.5), altitude: 7,
      horizontalAccuracy: 5,
      verticalAccuracy: 3, course: 90, courseAccuracy: 2, speed: 1.5, speedAccuracy: 0.5,
      timestamp: Date(timeIntervalSinceReferenceDate: 1234.5))
    let data = try NSKeyedArchiver.archivedData(withRootObject: place, requiringSecureCoding: true)
    let read = try #require(
      try NSKeyedUnarchiver.unarchivedObject(ofClass: CLLocation.self, from: data))
    #expect(read.description == place.description)
    #expect(
      read.altitude == 7 && read.verticalAccuracy == 3 && read.courseAccuracy == 2
        && read.speedAccuracy == 0.5)
    #expect(read.timestamp == place.timestamp)
  }
}
