/// The zones that the next fetch has to read.
///
/// A server that names the zone of each change saves the request for the database's feed. After any
/// other reason to fetch, every zone may have changed.
package struct ChangedZones<Zone: Hashable & Sendable>: Equatable, Sendable {
  /// The named zones; nil if any zone may have changed.
  private var zones: Set<Zone>? = []

  package init() {}

  /// Notes a reason to fetch.
  ///
  /// - Parameter zone: The zone that has changed; nil if any may have.
  package mutating func note(_ zone: Zone?) {
    guard let zone else { return zones = nil }
    zones?.insert(zone)
  }

  /// Returns the zones to fetch, and forgets them.
  ///
  /// - Returns: Nil if the database's feed has to be read, for example because nothing was noted.
  package mutating func take() -> Set<Zone>? {
    defer { zones = [] }
    return zones?.isEmpty == true ? nil : zones
  }
}
