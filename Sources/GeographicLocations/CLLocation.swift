public import Foundation

// Sendable: immutable.
/// A location on the earth, with the accuracy, course and speed that a device reported.
///
/// Nothing here determines a position. Locations are values of records and predicates.
open class CLLocation: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
  /// The latitude and longitude.
  public let coordinate: CLLocationCoordinate2D
  /// The altitude in metres above mean sea level; valid if `verticalAccuracy` is positive.
  public let altitude: CLLocationDistance
  /// The radius of uncertainty in metres; negative if the coordinate is invalid.
  public let horizontalAccuracy: CLLocationAccuracy
  /// The uncertainty of the altitude in metres; negative if the altitude is invalid.
  public let verticalAccuracy: CLLocationAccuracy
  /// The direction of travel in degrees clockwise from north; negative if it is unknown.
  public let course: CLLocationDirection
  /// The uncertainty of the course in degrees; negative if it is unknown.
  public let courseAccuracy: CLLocationDirectionAccuracy
  /// The speed in metres per second; negative if it is unknown.
  public let speed: CLLocationSpeed
  /// The uncertainty of the speed in metres per second; negative if it is unknown.
  public let speedAccuracy: CLLocationSpeedAccuracy
  /// The time at which the location was determined.
  public let timestamp: Date

  /// Creates a location from a latitude and a longitude, with the current time.
  public convenience init(latitude: CLLocationDegrees, longitude: CLLocationDegrees) {
    self.init(
      coordinate: CLLocationCoordinate2D(latitude: latitude, longitude: longitude), altitude: 0,
      horizontalAccuracy: 0, verticalAccuracy: -1, timestamp: Date())
  }

  /// Creates a location without course and speed.
  public convenience init(
    coordinate: CLLocationCoordinate2D, altitude: CLLocationDistance,
    horizontalAccuracy: CLLocationAccuracy,
    verticalAccuracy: CLLocationAccuracy, timestamp: Date
  ) {
    self.init(
      coordinate: coordinate, altitude: altitude, horizontalAccuracy: horizontalAccuracy,
      verticalAccuracy: verticalAccuracy, course: -1, speed: -1, timestamp: timestamp)
  }

  /// Creates a location whose course and speed have no accuracy.
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

  /// Creates a location from all its values.
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

  /// Returns the distance to another location in metres, on a sphere with the earth's mean radius.
  open func distance(from location: CLLocation) -> CLLocationDistance {
    coordinate.distance(from: location.coordinate)
  }

  // MARK: Archives

  /// Creates a location from an archive.
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

  /// Encodes the location into an archive.
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

  /// Whether the class supports secure coding, which it does.
  public static var supportsSecureCoding: Bool { true }

  /// Returns the location itself, which is immutable.
  open func copy(with zone: NSZone? = nil) -> Any { self }

  /// The coordinate, accuracy, speed, course and time.
  open override var description: String {
    "<\(coordinate.latitude),\(coordinate.longitude)> +/- \(horizontalAccuracy)m (speed \(speed) mps / course \(course)) @ \(timestamp)"
  }
}

extension CLLocationCoordinate2D {
  /// The mean radius of the earth in metres.
  private static let earthRadius = 6_371_008.8

  /// Returns the distance by the haversine formula, which is also precise for nearby points.
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
  /// The class, registered for archives of earlier versions.
  ///
  /// Those archives name the class by its former module, CoreLocation.
  package static var readableFromArchives: CLLocation.Type {
    NSKeyedUnarchiver.setClass(CLLocation.self, forClassName: "CoreLocation.CLLocation")
    return CLLocation.self
  }
}
