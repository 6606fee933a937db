/// The limits of this module, each with its reason.
enum Limits {
  /// The size in bytes of strings that stay bytes on their page until they are requested.
  ///
  /// Shorter strings need no allocation, and copying the bytes of longer ones costs more than the
  /// allocation.
  static let lazyTextBytes = 16...1024

  /// The minimum number of rows for lazy strings on a page.
  ///
  /// With fewer rows, the allocation for their bytes would serve too few strings.
  static let rowsForLazyTexts = 32

  /// The bytes per row that a page allocates at once for lazy strings.
  static let lazyTextBytesPerRow = 64

  /// The bits of a temporary key source's number.
  ///
  /// The remaining 44 bits are more keys than a source can assign.
  static let temporarySourceBits = 19
}
