import Foundation
import Synchronization
import _FoundationICU

/// ICU's comparison of texts for one rule in one locale.
///
/// Foundation's own `compare(_:options:locale:)` cannot order a store. Outside Apple's platforms,
/// it compares up to the first difference by itself and only passes the rest to ICU. So `a < b`
/// does not always imply `b > a` (`ä` and `aé` in Swedish), and a sort or an index is wrong. ICU is
/// part of every Foundation there, and its functions have the prefix `swift_`.
// @unchecked: the collator is set up before it is shared, and comparing only reads it.
@safe final class Collator: @unchecked Sendable {
  private let collator: OpaquePointer

  /// A collator for the rule; `nil` if ICU has no data even for its root locale.
  private init?(_ rule: TextCollation.Rule, localeIdentifier: String) {
    var status = U_ZERO_ERROR
    guard let collator = unsafe swift_ucol_open(localeIdentifier, &status), status.rawValue <= 0
    else { return nil }
    unsafe self.collator = collator
    // Texts may have any normalization form.
    set(UCOL_NORMALIZATION_MODE, UCOL_ON)
    switch rule {
    case .localizedCaseInsensitive:
      set(UCOL_STRENGTH, UCOL_SECONDARY)
    case .localizedStandard:
      set(UCOL_NUMERIC_COLLATION, UCOL_ON)
      set(UCOL_STRENGTH, UCOL_IDENTICAL)
    case .binary, .caseInsensitive, .localized:
      set(UCOL_STRENGTH, UCOL_TERTIARY)
    }
  }

  deinit {
    unsafe swift_ucol_close(collator)
  }

  private func set(_ attribute: UColAttribute, _ value: UColAttributeValue) {
    var status = U_ZERO_ERROR
    unsafe swift_ucol_setAttribute(collator, attribute, value, &status)
  }

  /// The order of two texts; `nil` if ICU fails, for example without memory.
  func compare(_ left: Span<UInt8>, _ right: Span<UInt8>) -> ComparisonResult? {
    guard let leftCount = Int32(exactly: left.count), let rightCount = Int32(exactly: right.count)
    else { return nil }
    var status = U_ZERO_ERROR
    let result = unsafe left.withUnsafeBytes { left in
      unsafe right.withUnsafeBytes { right in
        unsafe swift_ucol_strcollUTF8(
          collator, left.baseAddress?.assumingMemoryBound(to: CChar.self), leftCount,
          right.baseAddress?.assumingMemoryBound(to: CChar.self), rightCount, &status)
      }
    }
    return status.rawValue <= 0 ? ComparisonResult(rawValue: Int(result.rawValue)) : nil
  }

  // MARK: Cache

  private struct Key: Hashable {
    let rule: TextCollation.Rule
    let localeIdentifier: String
  }

  private static let opened = Mutex<[Key: Collator]>([:])

  /// The cached collator of the rule in the locale.
  static func shared(_ rule: TextCollation.Rule, _ locale: Locale) -> Collator? {
    let key = Key(rule: rule, localeIdentifier: locale.identifier(.icu))
    return opened.withLock { opened in
      if let collator = opened[key] { return collator }
      guard let collator = Collator(rule, localeIdentifier: key.localeIdentifier) else {
        return nil
      }
      if opened.count >= Limits.cachedCollators { opened.removeAll() }
      opened[key] = collator
      return collator
    }
  }
}
