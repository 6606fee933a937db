import BinaryCoding
import CloudRecords

/// The request of a device for the user's keys, as stored in the private key bag.
struct DeviceRequest: Hashable, Sendable {
  static let identifierByteCount = 16

  let identifier: [UInt8]
  let deviceName: String
  let asked: Timestamp
  var step: Step

  /// The progress of a request.
  ///
  /// See `DeviceApproval` for the steps.
  enum Step: Hashable, Sendable {
    case asked(commitment: [UInt8])
    case challenged(commitment: [UInt8], challenge: [UInt8])
    case revealed(commitment: [UInt8], challenge: [UInt8], DeviceReveal)
    case approved(sealedSecret: [UInt8])
    case refused
  }
}

/// The values that a new device reveals after the challenge: its public key, and the random bytes
/// of its commitment.
struct DeviceReveal: Hashable, Sendable {
  let publicKey: [UInt8]
  let opening: [UInt8]
}

// MARK: - Bytes

extension DeviceRequest {
  func write(to form: inout BinaryWriter) {
    form.fixed(identifier)
    form.text(deviceName)
    form.signed(asked.milliseconds)
    switch step {
    case .asked(let commitment):
      form.byte(1)
      form.fixed(commitment)
    case .challenged(let commitment, let challenge):
      form.byte(2)
      form.fixed(commitment)
      form.fixed(challenge)
    case .revealed(let commitment, let challenge, let reveal):
      form.byte(3)
      form.fixed(commitment)
      form.fixed(challenge)
      form.fixed(reveal.publicKey)
      form.fixed(reveal.opening)
    case .approved(let sealedSecret):
      form.byte(4)
      form.data(sealedSecret)
    case .refused: form.byte(5)
    }
  }

  init(from form: inout BinaryReader) throws(BinaryCodingError) {
    identifier = try form.fixed(Self.identifierByteCount)
    deviceName = try form.text()
    asked = Timestamp(milliseconds: try form.signed())
    switch try form.byte() {
    case 1: step = .asked(commitment: try form.fixed(32))
    case 2: step = .challenged(commitment: try form.fixed(32), challenge: try form.fixed(32))
    case 3:
      let (commitment, challenge) = (try form.fixed(32), try form.fixed(32))
      step = .revealed(
        commitment: commitment, challenge: challenge,
        DeviceReveal(publicKey: try form.fixed(32), opening: try form.fixed(32)))
    case 4: step = .approved(sealedSecret: try form.data())
    case 5: step = .refused
    default: throw form.error("a request is in an unknown step")
    }
  }
}
