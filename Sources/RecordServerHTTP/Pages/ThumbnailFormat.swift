/// An image format of thumbnails that the pages show.
///
/// Images in these formats cannot contain scripts.
package enum ThumbnailFormat: String, CaseIterable, Sendable {
  case png = "image/png"
  case jpeg = "image/jpeg"
  case gif = "image/gif"

  /// Recognizes an image by its first bytes; nil if it has none of the formats.
  package init?(_ image: some Collection<UInt8>) {
    guard let format = Self.allCases.first(where: { image.starts(with: $0.firstBytes) }) else {
      return nil
    }
    self = format
  }

  private var firstBytes: [UInt8] {
    switch self {
    case .png: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
    case .jpeg: [0xFF, 0xD8, 0xFF]
    case .gif: [0x47, 0x49, 0x46, 0x38]
    }
  }
}
