/// The limits of this module.
enum Limits {
  /// The greatest depth that a caller may allow.
  ///
  /// A recursive walk of the value must fit on a thread's stack.
  static let greatestDepth = 512
  /// The digits of a number that are kept as an integer: the most that always fit 64 bits.
  static let keptDigits = 19
  /// The exponent at which counting stops.
  ///
  /// A number of the standard length has too few digits to compensate for such an exponent.
  static let greatestExponent = 1_000_000
  /// The maximum number of bytes of a key in an error's path.
  static let keyBytesInPath = 64
  /// The maximum number of keys of one decoder: the bits of `JSONObject.seen`.
  static let keysOfTable = 64
  /// The initial size of a writer's buffer, enough for a small document.
  static let firstBufferBytes = 1024
}
