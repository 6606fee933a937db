/// Checks that each object of an owner is in exactly one zone, with its related objects and pairs.
///
/// A pair is the record of two objects in a many-to-many relationship.
package struct ZoneCheck {
  /// A record on the server.
  package struct Record {
    package let name: String
    package let zone: String
    /// The object's key; nil for pairs.
    package var key: String?
    /// The names of the records of a pair's objects; empty for an object.
    package var members: [String] = []

    package init(name: String, zone: String, key: String? = nil, members: [String] = []) {
      (self.name, self.zone, self.key, self.members) = (name, zone, key, members)
    }
  }

  /// The records on the server.
  package let records: [Record]
  /// The zone of objects that are not shared.
  package let homeZone: String
  /// The keys of related objects.
  package var relations: [(String, String)] = []
  /// Each device, with the zone of each object according to its store.
  package var stores: [(device: String, zones: [String: String])] = []

  package init(records: [Record], homeZone: String) {
    (self.records, self.homeZone) = (records, homeZone)
  }

  package var violations: [Violation] {
    let byName = Dictionary(grouping: records, by: \.name)
    let byKey = Dictionary(grouping: records.filter { $0.key != nil }) { $0.key ?? "" }
    var found: [String] = []
    for (name, records) in byName.sorted(by: { $0.key < $1.key }) where records.count > 1 {
      let what = records[0].key ?? "The pair \(name)"
      found.append("\(what) is in several zones: \(Self.zones(records)).")
    }
    for pair in records where !pair.members.isEmpty {
      let zones = pair.members.flatMap { byName[$0, default: []].map(\.zone) }
      // A pair of a deleted object is ignored.
      guard pair.members.allSatisfy({ byName[$0] != nil }), !zones.contains(pair.zone) else {
        continue
      }
      found.append("The pair \(pair.name) is not in the zone of its objects.")
    }
    for (one, other) in relations {
      guard let here = byKey[one]?.first?.zone, let there = byKey[other]?.first?.zone,
        here != there
      else { continue }
      // Known issue 200: two devices shared related objects in two shares.
      if here != homeZone, there != homeZone { continue }
      found.append("\(one) and \(other) are related, and in different zones.")
    }
    for (device, zones) in stores {
      for (key, zone) in zones.sorted(by: { $0.key < $1.key }) {
        let present = byKey[key, default: []]
        if present.isEmpty { found.append("\(key) of \(device) is in no zone.") }
        if let other = present.first?.zone, present.count == 1, other != zone {
          found.append("\(device) has \(key) in the zone \(zone), and the server in \(other).")
        }
      }
    }
    return found.map { Violation(invariant: .zones, message: $0) }
  }

  private static func zones(_ records: [Record]) -> String {
    records.map(\.zone).sorted().joined(separator: ", ")
  }
}
