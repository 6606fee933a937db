import Cryptography
package import Foundation

/// The content of a device or of the server: folders and notes, in order.
package struct DemoContents: Codable, Equatable, Sendable {
  package let folders: [String]
  package let notes: [DemoNote]

  package init(folders: [String] = [], notes: [DemoNote] = []) {
    (self.folders, self.notes) = (folders.sorted(), notes.sorted())
  }

  /// A digest; equal contents have equal digests.
  package var digest: String {
    var digest = Digest(.sha256)
    for line in folders + notes.map(\.line) { digest.update(line + "\n") }
    return digest.finish().hexadecimal(4)
  }

  package func note(_ title: String) -> DemoNote? { notes.first { $0.title == title } }
}

/// A note, as it is compared.
package struct DemoNote: Codable, Hashable, Sendable, Comparable {
  package let folder: String
  package let title: String
  package let text: String
  package let attachment: DemoAttachment?

  package init(folder: String, title: String, text: String = "", attachment: DemoAttachment? = nil)
  {
    (self.folder, self.title, self.text, self.attachment) = (folder, title, text, attachment)
  }

  /// The note in one line, such as `Journeys/Rome “by train” [4096 bytes 5f2a]`.
  package var line: String {
    let words = text.isEmpty ? "" : " “\(text)”"
    let file = attachment.map { " [\($0.byteCount) bytes \($0.digest)]" } ?? ""
    return "\(folder)/\(title)\(words)\(file)"
  }

  package static func < (one: DemoNote, other: DemoNote) -> Bool { one.line < other.line }
}

/// The length and digest of a long value.
package struct DemoAttachment: Codable, Hashable, Sendable {
  package let byteCount: Int
  package let digest: String

  package init(_ data: Data) {
    var digest = Digest(.sha256)
    digest.update(data)
    (byteCount, self.digest) = (data.count, digest.finish().hexadecimal(8))
  }

  /// Deterministic, random-looking bytes that depend on the length.
  package static func bytes(_ count: Int) -> Data {
    var state = UInt64(count) &+ 0x9E37_79B9_7F4A_7C15
    var words: [UInt64] = []
    words.reserveCapacity(count / 8 + 1)
    for _ in 0...(count / 8) {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      words.append(state)
    }
    let data = unsafe words.withUnsafeBytes { unsafe Data($0) }
    return Data(data.prefix(count))
  }
}

extension [UInt8] {
  /// The first bytes in hexadecimal digits.
  fileprivate func hexadecimal(_ count: Int) -> String {
    prefix(count).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }
}
