/// Numbers with their nouns.
package enum Counted {
  /// A number and its noun, such as `1 file` or `2 files`.
  package static func text(_ count: some BinaryInteger, _ noun: String) -> String {
    count == 1 ? "1 \(noun)" : "\(count) \(noun)s"
  }
}
