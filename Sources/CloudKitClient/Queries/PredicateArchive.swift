import Foundation
import GeographicLocations
import PredicateLanguage

/// The archived form of a predicate: its format string, and separately the constants that a format
/// cannot express, such as locations and references.
///
/// ```
/// list == <reference> AND stars > 3     ──▶  list == $CKConstant0 AND stars > 3,  [<reference>]
/// ```
extension NSCoder {
  func encode(predicate: NSPredicate, forKey key: String) {
    var constants: [NSObject] = []
    let template = try? predicate.replacingExpressions { expression in
      guard let constant = ArchivedConstant.object(of: expression) else { return nil }
      constants.append(constant)
      return NSExpression(forVariable: ArchivedConstant.name(constants.count - 1))
    }
    encode((template ?? predicate).formatText as NSString, forKey: key)
    encode(constants as NSArray, forKey: key + ArchivedConstant.keySuffix)
  }

  /// Decodes a predicate; nil if it is missing or unreadable.
  func predicate(_ key: String) -> NSPredicate? {
    guard let format = text(key), let template = try? NSPredicate(parsing: format) else {
      return nil
    }
    let constantsKey = key + ArchivedConstant.keySuffix
    guard containsValue(forKey: constantsKey) else { return template }
    guard let constants = decodeObject(of: ArchivedConstant.classes, forKey: constantsKey) as? [Any]
    else { return nil }
    let values = Dictionary(
      uniqueKeysWithValues: constants.enumerated().map {
        (ArchivedConstant.name($0.offset), $0.element)
      })
    return try? template.replacingExpressions { expression in
      guard case .variable(let name) = expression.node, let value = values[name] else { return nil }
      return NSExpression(forConstantValue: value)
    }
  }
}

/// Constants that are archived separately from the format.
private enum ArchivedConstant {
  static let keySuffix = "Constants"
  static let classes: [AnyClass] = [
    NSArray.self, NSString.self, NSNumber.self, NSDate.self, NSData.self, CKReference.self,
    CKRecordID.self,
    CLLocation.readableFromArchives,
  ]

  static func name(_ number: Int) -> String { "CKConstant\(number)" }

  /// An expression's constant if a format string cannot express it; otherwise nil.
  static func object(of expression: NSExpression) -> NSObject? {
    switch expression.node {
    case .constant(let values as [Any]):
      values.contains { special($0) != nil } ? list(values) : nil
    case .constant(let value?): special(value)
    default: nil
    }
  }

  /// A value that a format string cannot express.
  ///
  /// A record becomes a reference to it, as in queries.
  private static func special(_ value: Any) -> NSObject? {
    switch value {
    case let record as CKRecord: CKRecord.Reference(record: record, action: .none)
    case let reference as CKRecord.Reference: reference
    case let name as CKRecord.ID: name
    case let place as CLLocation: place
    default: nil
    }
  }

  private static func list(_ values: [Any]) -> NSObject? {
    let members = values.compactMap { special($0) ?? plain($0) }
    return members.count == values.count ? members as NSArray : nil
  }

  private static func plain(_ value: Any) -> NSObject? {
    switch value {
    case let text as String: text as NSString
    case let number as NSNumber: number
    case let date as Date: date as NSDate
    case let data as Data: data as NSData
    default: nil
    }
  }
}
