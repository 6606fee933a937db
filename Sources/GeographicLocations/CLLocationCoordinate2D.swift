/// An angle of latitude or longitude in degrees.
public typealias CLLocationDegrees = Double
/// A distance in metres.
public typealias CLLocationDistance = Double
/// An accuracy in metres; negative if it is unknown.
public typealias CLLocationAccuracy = Double
/// A direction in degrees clockwise from north; negative if it is unknown.
public typealias CLLocationDirection = Double
/// The accuracy of a direction in degrees; negative if it is unknown.
public typealias CLLocationDirectionAccuracy = Double
/// A speed in metres per second; negative if it is unknown.
public typealias CLLocationSpeed = Double
/// The accuracy of a speed in metres per second; negative if it is unknown.
public typealias CLLocationSpeedAccuracy = Double

/// A latitude and a longitude.
public struct CLLocationCoordinate2D: Sendable {
  /// Degrees from −90 to 90; positive north of the equator.
  public var latitude: CLLocationDegrees
  /// Degrees from −180 to 180; positive east of Greenwich.
  public var longitude: CLLocationDegrees

  /// Creates the coordinate 0, 0.
  public init() {
    self.init(latitude: 0, longitude: 0)
  }

  /// Creates a coordinate from a latitude and a longitude, which are not validated.
  public init(latitude: CLLocationDegrees, longitude: CLLocationDegrees) {
    self.latitude = latitude
    self.longitude = longitude
  }
}

/// An invalid coordinate.
public let kCLLocationCoordinate2DInvalid = CLLocationCoordinate2D(latitude: -180, longitude: -180)

/// Whether a coordinate is valid: both values are within their ranges.
public func CLLocationCoordinate2DIsValid(_ coordinate: CLLocationCoordinate2D) -> Bool {
  (-90...90).contains(coordinate.latitude) && (-180...180).contains(coordinate.longitude)
}

/// Creates a coordinate from a latitude and a longitude, which are not validated.
public func CLLocationCoordinate2DMake(
  _ latitude: CLLocationDegrees, _ longitude: CLLocationDegrees
)
  -> CLLocationCoordinate2D
{
  CLLocationCoordinate2D(latitude: latitude, longitude: longitude)
}
