/// The limits of this module, each with its reason.
enum Limits {
  /// Of how many bytes texts stay bytes on their page until they are asked for.
  ///
  /// Shorter ones need no allocation; of longer ones copying the bytes would cost more than the
  /// allocation does.
  static let lateTextBytes = 16...1024

  /// Rows from which a page has late texts: below, their memory would be an allocation for a few.
  static let rowsForLateTexts = 32

  /// The bytes of late texts, for each row, that a page takes memory for at once.
  static let lateTextBytesOfRow = 64

  /// Of how many bits the numbers of sources of temporary keys are: 44 are left for the keys of
  /// one, more than it can make.
  static let temporarySourceBits = 19
}
