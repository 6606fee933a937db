internal import CloudEncryption
internal import CloudRecords
internal import Cryptography
internal import Foundation

/// Writes values in another user's name, with the keys of a person who helps the server.
struct HostileForger: Sendable {
  private let ring: KeyRing
  private let container: ContainerAddress

  init(_ ring: KeyRing, in container: ContainerAddress) {
    (self.ring, self.container) = (ring, container)
  }

  /// The name of the zone whose values it can write.
  var zoneName: String { ring.scope.zone.zoneName }

  /// Replaces a sealed value by another one that seems to come from the same writer.
  ///
  /// - Parameters:
  ///   - text: The sealed value in base64.
  ///   - keys: Keys of the server's, which do not belong to the writer.
  /// - Returns: Nil if the person's keys do not open the value.
  func forged(
    _ text: String, field: String, of record: [String: Any], signingWith keys: UserKeys,
    _ chance: inout HostileChance
  ) -> String? {
    guard let name = record["recordName"] as? String, let type = record["recordType"] as? String,
      let bytes = Data(base64Encoded: text)
    else { return nil }
    let place = BoundPlace(
      RecordPlace(
        container: container,
        record: RecordIdentifier(recordName: name, zone: ring.scope.zone), recordType: type))
    var hasher = ShortHasher()
    guard let value = try? SealedValue([UInt8](bytes), field: field, of: place),
      let key = ring.key(value.key),
      let opened = try? value.open(field: field, of: place, with: key, &hasher),
      let draft = try? ValueDraft(
        SealedContent(
          .string(HostileCloud.forgedValue), stamp: opened.content.stamp,
          known: opened.content.known),
        field: field, of: place, under: key, shareName: value.shareName)
    else { return nil }
    let own = WriteSignature.sign([draft.leaf(&hasher)], by: keys, &hasher).first
    let signatures = [opened.signature, own, nil]
    let signature = chance.element(of: signatures) ?? nil
    return Data(draft.sealed(signature: signature, nonce: chance.bytes(24))).base64EncodedString()
  }
}
