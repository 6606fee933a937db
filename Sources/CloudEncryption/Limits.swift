/// The limits of encryption, with their reasons.
enum Limits {
  /// How often a key bag is written anew after others were faster: each time somebody else got on,
  /// so more means that something is wrong.
  static let attempts = 16
  /// Devices that wait for approval at once; the oldest make room.
  ///
  /// A person has few, and a hostile server could list any number.
  static let waitingDevices = 8
  /// How often wrong digits may be typed for one request: one slip of the finger, and one more.
  static let wrongApprovalCodes = 3
  /// How long a device waits for approval: whoever asks in the evening may look at the other device
  /// in the morning, and later nobody remembers having asked.
  static let secondsOfRequest: Int64 = 86_400
  /// The bytes of a device's name in one line, which is shown beside the question whether it may
  /// read everything.
  static let deviceNameBytes = 128
}
