public import Foundation

// Sendable: immutable.
/// A place on the earth, with what a device knew beside it.
///
/// There is no device here that finds places: locations are values of records and predicates.
open class CLLocation: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
  /// Where it is.
  public let coordinate: CLLocationCoordinate2D
  /// Metres above the level of the sea; meaningful where `verticalAccuracy` is positive.
  public let altitude: CLLocationDistance
  /// The radius in metres within which the place lies; negative where the coordinate means nothing.
  public let horizontalAccuracy: CLLocationAccuracy
  /// How many metres the altitude may be wrong; negative where it means nothing.
  public let verticalAccuracy: CLLocationAccuracy
  /// The direction of travel, clockwise from north; negative where it is not known.
  public let course: CLLocationDirection
  /// How many degrees the course may be wrong; negative where it is not known.
  public let courseAccuracy: CLLocationDirectionAccuracy
  /// Metres a second; negative where it is not known.
  public let speed: CLLocationSpeed
  /// How many metres a second the speed may be wrong; negative where it is not known.
  public let speedAccuracy: CLLocationSpeedAccuracy
  /// When the place was found.
  public let timestamp: Date

  /// A place found now, of which nothing but the latitude and longitude is known.
  public convenience init(latitude: CLLocationDegrees, longitude: CLLocationDegrees) {
    self.init(
      coordinate: CLLocationCoordinate2D(latitude: latitude, longitude: longitude), altitude: 0,
      horizontalAccuracy: 0, verticalAccuracy: -1, timestamp: Date())
  }

  /// A place of which the direction and the speed are not known.
  public convenience init(
    coordinate: CLLocationCoordinate2D, altitude: CLLocationDistance,
    horizontalAccuracy: CLLocationAccuracy,
    verticalAccuracy: CLLocationAccuracy, timestamp: Date
  ) {
    self.init(
      coordinate: coordinate, altitude: altitude, horizontalAccuracy: horizontalAccuracy,
      verticalAccuracy: verticalAccuracy, course: -1, speed: -1, timestamp: timestamp)
  }

  /// A place of which it is not known how right the direction and the speed are.
  public convenience init(
    coordinate: CLLocationCoordinate2D, altitude: CLLocationDistance,
    horizontalAccuracy: CLLocationAccuracy,
    verticalAccuracy: CLLocationAccuracy, course: CLLocationDirection, speed: CLLocationSpeed,
    timestamp: Date
  ) {
    self.init(
      coordinate: coordinate, altitude: altitude, horizontalAccuracy: horizontalAccuracy,
      verticalAccuracy: verticalAccuracy, course: course, courseAccuracy: -1, speed: speed,
      speedAccuracy: -1,
      timestamp: timestamp)
  }

  /// A place with everything that is known of it.
  public init(
    coordinate: CLLocationCoordinate2D, altitude: CLLocationDistance,
    horizontalAccuracy: CLLocationAccuracy,
    verticalAccuracy: CLLocationAccuracy, course: CLLocationDirection,
    courseAccuracy: CLLocationDirectionAccuracy,
    speed: CLLocationSpeed, speedAccuracy: CLLocationSpeedAccuracy, timestamp: Date
  ) {
    self.coordinate = coordinate
    self.altitude = altitude
    self.horizontalAccuracy = horizontalAccuracy
    self.verticalAccuracy = verticalAccuracy
    self.course = course
    self.courseAccuracy = courseAccuracy
    self.speed = speed
    self.speedAccuracy = speedAccuracy
    self.timestamp = timestamp
  }

  // MARK: Distance

  /// How many metres of the earth's surface lie between two places, on a sphere of the earth's mean
  /// radius.
  open func distance(from location: CLLocation) -> CLLocationDistance {
    coordinate.distance(from: location.coordinate)
  }

  // MARK: Archives

  /// Reads a location from an archive.
  public required convenience init?(coder: NSCoder) {
    guard coder.containsValue(forKey: Key.latitude), coder.containsValue(forKey: Key.longitude)
    else { return nil }
    self.init(
      coordinate: CLLocationCoordinate2D(
        latitude: coder.decodeDouble(forKey: Key.latitude),
        longitude: coder.decodeDouble(forKey: Key.longitude)),
      altitude: coder.decodeDouble(forKey: Key.altitude),
      horizontalAccuracy: coder.decodeDouble(forKey: Key.horizontalAccuracy),
      verticalAccuracy: coder.decodeDouble(forKey: Key.verticalAccuracy),
      course: coder.decodeDouble(forKey: Key.course),
      courseAccuracy: coder.decodeDouble(forKey: Key.courseAccuracy),
      speed: coder.decodeDouble(forKey: Key.speed),
      speedAccuracy: coder.decodeDouble(forKey: Key.speedAccuracy),
      timestamp: Date(timeIntervalSinceReferenceDate: coder.decodeDouble(forKey: Key.timestamp)))
  }

  /// Writes the location into an archive.
  open func encode(with coder: NSCoder) {
    coder.encode(coordinate.latitude, forKey: Key.latitude)
    coder.encode(coordinate.longitude, forKey: Key.longitude)
    coder.encode(altitude, forKey: Key.altitude)
    coder.encode(horizontalAccuracy, forKey: Key.horizontalAccuracy)
    coder.encode(verticalAccuracy, forKey: Key.verticalAccuracy)
    coder.encode(course, forKey: Key.course)
    coder.encode(courseAccuracy, forKey: Key.courseAccuracy)
    coder.encode(speed, forKey: Key.speed)
    coder.encode(speedAccuracy, forKey: Key.speedAccuracy)
    coder.encode(timestamp.timeIntervalSinceReferenceDate, forKey: Key.timestamp)
  }

  private enum Key {
    static let latitude = "latitude"
    static let longitude = "longitude"
    static let altitude = "altitude"
    static let horizontalAccuracy = "horizontalAccuracy"
    static let verticalAccuracy = "verticalAccuracy"
    static let course = "course"
    static let courseAccuracy = "courseAccuracy"
    static let speed = "speed"
    static let speedAccuracy = "speedAccuracy"
    static let timestamp = "timestamp"
  }

  /// True: a location holds numbers only.
  public static var supportsSecureCoding: Bool { true }

  /// The location itself: it never changes.
  open func copy(with zone: NSZone? = nil) -> Any { self }

  /// The coordinate, the accuracy, the speed and the direction, and when the place was found.
  open override var description: String {
    "<\(coordinate.latitude),\(coordinate.longitude)> +/- \(horizontalAccuracy)m (speed \(speed) mps / course \(course)) @ \(timestamp)"
  }
}

extension CLLocationCoordinate2D {
  /// The mean radius of the earth in metres.
  private static let earthRadius = 6_371_008.8

  /// By the haversine formula, which is exact for near places too.
  fileprivate func distance(from other: CLLocationCoordinate2D) -> CLLocationDistance {
    let degree = Double.pi / 180
    let (one, two) = (latitude * degree, other.latitude * degree)
    let byLatitude = sin((two - one) / 2)
    let byLongitude = sin((other.longitude - longitude) * degree / 2)
    let haversine = byLatitude * byLatitude + cos(one) * cos(two) * byLongitude * byLongitude
    return 2 * Self.earthRadius * asin(min(1, haversine.squareRoot()))
  }
}

extension CLLocation {
  /// The class, after archives that name it by its former module, CoreLocation, have become
  /// readable.
  package static var readableFromArchives: CLLocation.Type {
    NSKeyedUnarchiver.setClass(CLLocation.self, forClassName: "CoreLocation.CLLocation")
    return CLLocation.self
  }
}
