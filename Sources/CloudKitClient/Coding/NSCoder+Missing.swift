import Foundation

/// Parts of archives that need not be there: asking for what is not makes an archive fail for good.
extension NSCoder {
  /// An object of the archive, or nil where there is none of the key.
  func object<Value: NSObject & NSSecureCoding>(_ type: Value.Type, _ key: String) -> Value? {
    containsValue(forKey: key) ? decodeObject(of: type, forKey: key) : nil
  }

  /// A text of the archive, or nil where there is none of the key.
  func text(_ key: String) -> String? {
    object(NSString.self, key).map { $0 as String }
  }
}
