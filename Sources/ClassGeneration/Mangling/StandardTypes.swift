/// The types of the standard library, Foundation and Core Data, which a property may have without
/// a declaration in the target.
///
/// A symbol contains the module that *defines* a type, which is not always the module that sources
/// import. The table is valid for the toolchain named below; `ManagedMemberSymbolTests` compares it
/// with the installed one.
enum StandardTypes {
  /// The compiler version that the table was checked with.
  static let checkedWith = "Swift 6.3"

  /// Returns the type with a name, or nil if there is none.
  static func type(named name: String) -> NominalType? { byName[name] }

  /// The type aliases of these modules, with the names of the aliased types.
  static let aliases: [String: String] = [
    "TimeInterval": "Double", "Float64": "Double", "Float32": "Float",
  ]

  /// Returns the ABI's letter after `S` for a type of the standard library; nil if it has none.
  static func letter(of type: NominalType) -> Character? {
    guard type.module == "Swift", type.components.count == 1 else { return nil }
    return letters[type.components[0].name]
  }

  private static let letters: [String: Character] = [
    "Array": "a", "Bool": "b", "Character": "J", "ClosedRange": "N", "Dictionary": "D",
    "Double": "d", "Float": "f",
    "Int": "i", "Optional": "q", "Range": "n", "Set": "h", "String": "S", "Substring": "s",
    "UInt": "u",
  ]

  private static let byName: [String: NominalType] = {
    let groups: [(NominalType.Kind, String, [String])] = [
      (.structure, "Swift", swiftStructures),
      (.structure, "FoundationEssentials", essentialStructures),
      (.structure, "Foundation", foundationStructures),
      (.class, "Foundation", foundationClasses),
      (.protocol, "Foundation", ["NSCoding", "NSSecureCoding", "NSCopying"]),
      (.class, "ManagedObjects", ["NSManagedObject"]),
      (.class, "ObjectRows", ["NSManagedObjectID"]),
    ]
    return groups.reduce(into: [:]) { table, group in
      for name in group.2 { table[name] = NominalType(group.0, name, in: group.1) }
    }
  }()

  private static let swiftStructures = [
    "AnyHashable", "Array", "Bool", "Character", "ClosedRange", "Dictionary", "Double", "Float",
    "Int", "Int8", "Int16", "Int32", "Int64", "Range", "Set", "String", "Substring", "UInt",
    "UInt8", "UInt16", "UInt32", "UInt64",
  ]

  private static let essentialStructures = [
    "AttributedString", "Calendar", "Data", "Date", "DateComponents", "DateInterval", "Decimal",
    "IndexPath", "Locale",
    "TimeZone", "URL", "URLComponents", "URLQueryItem", "UUID",
  ]

  private static let foundationStructures = [
    "CGFloat", "CGPoint", "CGRect", "CGSize", "CharacterSet", "IndexSet", "Measurement",
    "Notification",
    "PersonNameComponents",
  ]

  private static let foundationClasses = [
    "Dimension", "NSArray", "NSAttributedString", "NSCharacterSet", "NSCountedSet", "NSData",
    "NSDate", "NSDateComponents", "NSDecimalNumber", "NSDictionary", "NSError", "NSIndexSet",
    "NSLocale", "NSMutableArray", "NSMutableAttributedString", "NSMutableData",
    "NSMutableDictionary", "NSMutableOrderedSet", "NSMutableSet", "NSMutableString", "NSNull",
    "NSNumber", "NSObject", "NSOrderedSet", "NSPredicate", "NSSet", "NSSortDescriptor", "NSString",
    "NSTimeZone", "NSURL", "NSUUID", "NSValue", "Unit", "UnitAngle", "UnitArea", "UnitDuration",
    "UnitLength", "UnitMass", "UnitSpeed", "UnitTemperature", "UnitVolume",
  ]
}
