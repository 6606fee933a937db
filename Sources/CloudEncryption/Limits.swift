/// The limits of encryption, with their reasons.
enum Limits {
  /// The maximum number of attempts to write a key bag.
  ///
  /// Each conflict means that another device succeeded, so more conflicts indicate an error.
  static let attempts = 16
  /// The maximum size of the devices' state in the private key bag, which has 256 KiB at most.
  static let stateBytes = 229_376
  /// The maximum number of writes by administrators after a write by the owner.
  static let administratorWrites: Int64 = 1 << 20
  /// The exclusive upper bound of a ring's epoch, so that later epochs do not overflow.
  static let ringWrites: Int64 = 1 << 62
  /// The number of records whose last saves a process remembers: some 20 MB.
  static let seenRecords = 65_536
  /// The maximum number of values with one signature, a power of two.
  ///
  /// Signing takes as long as sealing ten to fifty values. The path of a value has at most ten
  /// hashes, which take 160 bytes.
  static let signedValues = 1_024
  /// The maximum number of bytes that sealing adds to a value.
  static let sealingBytes = 320
  /// The number of hashes in each of the two sets of verified signatures: some 4 MB.
  static let verifiedHashes = 65_536
  /// The maximum number of devices that wait for approval at once; the oldest are removed.
  ///
  /// A user has few new devices, but a hostile server could list any number.
  static let waitingDevices = 8
  /// The number of wrong codes that ends a request: two typing mistakes are allowed.
  static let wrongApprovalCodes = 3
  /// The time for which a device's request is valid.
  ///
  /// A user may ask in the evening and approve in the morning, but may forget older requests.
  static let secondsOfRequest: Int64 = 86_400
  /// The maximum size of a device's name in bytes, which is shown in one line.
  static let deviceNameBytes = 128
}
