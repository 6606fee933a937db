/// The sizes that bound the work of this module.
enum Limits {
  /// The deepest nesting that any caller may allow: what walks values by recursion has to fit on a
  /// thread's stack.
  static let greatestDepth = 512
  /// Digits of a number that are kept as an integer: the most that always fit into 64 bits.
  static let keptDigits = 19
  /// Where exponents stop being counted: far above what any number of an allowed length can make up
  /// for.
  static let greatestExponent = 1_000_000
  /// How much of a key an error's path shows.
  static let keyBytesInPath = 64
  /// Keys of one decoder: as many as a set of bits holds.
  static let keysOfTable = 64
  /// What a writer's buffer holds at first: a small answer.
  static let firstBufferBytes = 1024
}
