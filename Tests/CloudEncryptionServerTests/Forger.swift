import BinaryCoding
import CloudEncryption
import CloudRecords
import CloudWire
import Cryptography
import Foundation
import Testing

/// A person whose program signs key bags that no engine writes.
struct Forger {
  let keys: UserKeys
  /// Random bytes with which an engine creates the same keys.
  let randomBytes: RandomBytes = { [UInt8](repeating: 7, count: $0) }
  private let signingKey: EdwardsPrivateKey

  init(_ user: String) {
    let secret = SecretBytes([UInt8](repeating: 7, count: 32))
    keys = UserKeys(secret, userRecordName: user)
    signingKey = EdwardsPrivateKey(
      KeyDerivation.derive(from: secret, purpose: Array("parhelion.user.signing.1".utf8)))
  }

  /// Changes the key in a zone's bag that is sealed for one person.
  func spoiling(_ bag: [UInt8], for person: PublicIdentity) throws -> [UInt8] {
    let key = try #require(Data(bag).range(of: Data(person.agreementKey.bytes)))
    var changed = bag
    // The length follows, then an ephemeral key of 32 bytes and the sealed key.
    changed[key.upperBound + 1 + 32] ^= 1
    return signed(changed, "key-ring")
  }

  /// The public bag with a key whose secret anyone can compute.
  func weakPublicBag() -> [UInt8] {
    var bag = keys.publicBag(in: Cloud.container)
    let end = bag.count - EdwardsPublicKey.signatureByteCount
    for place in end - AgreementPublicKey.byteCount..<end { bag[place] = 0 }
    return signed(bag, "public-identity")
  }

  /// Replaces the signature at the end of a bag.
  private func signed(_ bag: [UInt8], _ purpose: String) -> [UInt8] {
    let content = Array(bag.dropLast(EdwardsPublicKey.signatureByteCount))
    var form = BinaryWriter()
    form.text("parhelion.signature.\(purpose).1")
    form.fixed(content)
    return content + signingKey.sign(form.bytes)
  }
}

extension Device {
  /// Replaces a key bag by any bytes.
  func replaceBag(
    at place: KeyBagPlace, in database: DatabaseScope, by data: [UInt8], sealing key: [UInt8]? = nil
  ) async throws {
    let found = try await exchange.lookUp(KeyBagsLookupRequest(places: [place]), in: database)
    guard case .bag(let generation, _, _, _) = found[0] else {
      Issue.record("There is no bag: \(found)")
      return
    }
    let operation = KeyBagsModifyRequest.Operation(
      .save, place, generation: generation, data: data, sealingKeys: [key].compactMap(\.self))
    let saved = try await exchange.modify(
      KeyBagsModifyRequest(operations: [operation]), in: database)
    guard case .saved = saved[0] else {
      Issue.record("The bag was not saved: \(saved)")
      return
    }
  }
}
