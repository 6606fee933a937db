/// The sizes that bound the work of this module.
enum Limits {
  /// The longest time that a server can tell its clients to wait: more than a year is no time to
  /// wait for.
  static let longestWaitSeconds = 366 * 86_400
  /// The most items of one list of a request, such as its operations: twice what any server can be
  /// told to take.
  ///
  /// A body of short items takes many times its size in memory: what nobody could do anything with
  /// is not read to its end.
  static let itemsOfRequest = 20_000
  /// How much of an answer that cannot be read its error shows.
  static let shownBytes = 64
  /// Fields of a record for which there is room from the start: most records have no more.
  static let usualFields = 8
  /// The longest notification of a stream; those of Apple's have no more than 4 KB.
  static let notificationBytes = 1 << 20
}
