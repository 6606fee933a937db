/// Degrees of latitude or longitude.
public typealias CLLocationDegrees = Double
/// Metres.
public typealias CLLocationDistance = Double
/// Metres; negative where the accuracy is not known.
public typealias CLLocationAccuracy = Double
/// Degrees clockwise from north; negative where the direction is not known.
public typealias CLLocationDirection = Double
/// Degrees; negative where the accuracy is not known.
public typealias CLLocationDirectionAccuracy = Double
/// Metres a second; negative where the speed is not known.
public typealias CLLocationSpeed = Double
/// Metres a second; negative where the accuracy is not known.
public typealias CLLocationSpeedAccuracy = Double

/// A place on the earth by its latitude and longitude.
public struct CLLocationCoordinate2D: Sendable {
  /// North of the equator, from −90 to 90 degrees.
  public var latitude: CLLocationDegrees
  /// East of Greenwich, from −180 to 180 degrees.
  public var longitude: CLLocationDegrees

  /// The place where the equator crosses the meridian of Greenwich.
  public init() {
    self.init(latitude: 0, longitude: 0)
  }

  /// A place by its latitude and longitude, which are not checked.
  public init(latitude: CLLocationDegrees, longitude: CLLocationDegrees) {
    self.latitude = latitude
    self.longitude = longitude
  }
}

/// A coordinate that is no place.
public let kCLLocationCoordinate2DInvalid = CLLocationCoordinate2D(latitude: -180, longitude: -180)

/// Whether a coordinate is a place: both of its parts are within their bounds.
public func CLLocationCoordinate2DIsValid(_ coordinate: CLLocationCoordinate2D) -> Bool {
  (-90...90).contains(coordinate.latitude) && (-180...180).contains(coordinate.longitude)
}

/// Makes a coordinate of a latitude and a longitude, which are not checked.
public func CLLocationCoordinate2DMake(
  _ latitude: CLLocationDegrees, _ longitude: CLLocationDegrees
)
  -> CLLocationCoordinate2D
{
  CLLocationCoordinate2D(latitude: latitude, longitude: longitude)
}
