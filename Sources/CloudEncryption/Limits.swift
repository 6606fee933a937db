/// The limits of encryption, with their reasons.
enum Limits {
  /// The most attempts to write a key bag.
  ///
  /// Each conflict means that another device succeeded, so more attempts indicate an error.
  static let attempts = 16
  /// The most devices that wait for approval at once.
  ///
  /// The oldest are removed.
  ///
  /// A user has few, and a hostile server could list any number.
  static let waitingDevices = 8
  /// The most wrong codes for one request: one typing mistake, and another one.
  static let wrongApprovalCodes = 3
  /// The time for which a device's request is valid.
  ///
  /// A user may ask in the evening and approve in the morning. Later the request may be forgotten.
  static let secondsOfRequest: Int64 = 86_400
  /// The most bytes of a device's name, which is shown in one line.
  static let deviceNameBytes = 128
}
