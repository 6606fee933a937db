import BinaryCoding
import CloudRecords

extension BinaryWriter {
  mutating func container(_ address: ContainerAddress) {
    text(address.container)
    text(address.environment.rawValue)
  }

  mutating func zone(_ zone: RecordZoneIdentifier) {
    text(zone.ownerName)
    text(zone.zoneName)
  }
}

extension BinaryReader {
  mutating func container() throws(BinaryCodingError) -> ContainerAddress {
    let name = try text()
    guard let environment = CloudEnvironment(rawValue: try text()) else {
      throw error("it names an unknown environment")
    }
    return ContainerAddress(container: name, environment: environment)
  }

  mutating func zone() throws(BinaryCodingError) -> RecordZoneIdentifier {
    let owner = try text()
    return RecordZoneIdentifier(zoneName: try text(), ownerName: owner)
  }
}
