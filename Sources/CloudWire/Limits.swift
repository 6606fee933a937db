/// The limits of this module.
enum Limits {
  /// The longest delay that a server can request of its clients.
  ///
  /// More than a year is not a useful delay.
  static let longestWaitSeconds = 366 * 86_400
  /// The maximum number of items in one list of a request, such as its operations: the most that an
  /// operator can allow in an atomic request.
  ///
  /// A list of short items takes many times its size in memory, so an oversized list is not read to
  /// its end.
  static let itemsOfRequest = 20_000
  /// The maximum number of elements of all lists of a request together, its fields included.
  ///
  /// A value takes two bytes in a body and a hundred in memory. A record of the maximum size has
  /// fewer values.
  static let elementsOfRequest = 1 << 20
  /// The bytes of an unreadable response that an error shows.
  static let shownBytes = 64
  /// The fields of a record for which memory is reserved initially.
  ///
  /// Most records have no more.
  static let usualFields = 8
  /// The longest notification of a stream.
  ///
  /// Apple's have at most 4 KB.
  static let notificationBytes = 1 << 20
}
