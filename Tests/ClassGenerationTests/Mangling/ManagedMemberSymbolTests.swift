import ClassGeneration
import Testing

/// Compares the symbols that the mangler computes with those that the installed compiler uses.
///
/// If a toolchain changes the symbol of a kind of member, a test fails and prints the declaration.
@Suite struct ManagedMemberSymbolTests {
  /// The members of one class, one of each kind.
  static let declarations: [String] = [
    "@NSManaged public var text: String?",
    "@NSManaged public var requiredText: String",
    "@NSManaged public var forcedText: String!",
    "@NSManaged public var date: Date?",
    "@NSManaged public var requiredDate: Date",
    "@NSManaged public var bytes: Data?",
    "@NSManaged public var identifier: UUID?",
    "@NSManaged public var address: URL?",
    "@NSManaged public var price: Decimal",
    "@NSManaged public var optionalPrice: Decimal?",
    "@NSManaged public var number: NSNumber?",
    "@NSManaged public var decimalNumber: NSDecimalNumber?",
    "@NSManaged public var short: Int16",
    "@NSManaged public var middle: Int32",
    "@NSManaged public var long: Int64",
    "@NSManaged public var plain: Int",
    "@NSManaged public var ratio: Double",
    "@NSManaged public var interval: TimeInterval",
    "@NSManaged public var small: Float",
    "@NSManaged public var flag: Bool",
    "@NSManaged public var optionalShort: Int16?",
    "@NSManaged public var optionalFlag: Bool?",
    "@NSManaged public var tags: Set<Tag>",
    "@NSManaged public var optionalTags: Set<Tag>?",
    "@NSManaged public var anyTags: NSSet?",
    "@NSManaged public var orderedTags: NSOrderedSet?",
    "@NSManaged public var mutableTags: NSMutableSet?",
    "@NSManaged public var tag: Tag?",
    "@NSManaged public var requiredTag: Tag",
    "@NSManaged public var sibling: Article?",
    "@NSManaged public var object: NSObject?",
    "@NSManaged public var color: Color?",
    "@NSManaged public var attributed: NSAttributedString?",
    "@NSManaged public var mutableText: NSMutableString?",
    "@NSManaged public var mutableBytes: NSMutableData?",
    "@NSManaged public var components: NSDateComponents?",
    "@NSManaged public var hashableTags: Set<AnyHashable>?",
    "@NSManaged public var names: [String]",
    "@NSManaged public var optionalNames: [String]?",
    "@NSManaged public var related: [Tag]?",
    "@NSManaged public var composite: [String: Any]?",
    "@NSManaged public var table: Dictionary<Date, [UUID]>?",
    "@NSManaged public var anything: Any?",
    "@NSManaged public var someObject: AnyObject?",
    "@NSManaged public var coded: (any NSCoding)?",
    "@NSManaged var state: State",
    "@NSManaged var phase: Article.Phase",
    "@NSManaged var innerPhase: Phase",
    "@NSManaged var tagKind: Tag.Kind",
    "@NSManaged var deep: Space.Inner.Deepest?",
    "@NSManaged var aliased: Labels",
    "@NSManaged var module: Sample.Tag?",
    "@NSManaged var qualified: Foundation.Date?",
    "@NSManaged var internalText: String?",
    "@NSManaged package var packageText: String?",
    "@NSManaged open var openText: String?",
    "@NSManaged fileprivate var hiddenText: String?",
    "@NSManaged private var privateText: String?",
    "@NSManaged public private(set) var readText: String?",
    "@NSManaged public fileprivate(set) var fileReadText: String?",
    "@NSManaged public internal(set) var moduleReadText: String?",
    "@NSManaged var firstOfTwo, secondOfTwo: String?",
    "@NSManaged var shortOfTwo: Int16, longOfTwo: Int64",
    "@NSManaged public var `class`: String?",
    "@NSManaged public var größe: String?",
    "@NSManaged public var naïveÇédille東京: String?",
    "@NSManaged public var articleTagArticleTagText: Tag?",
    "@NSManaged public var snake_case_name_2nd: String?",
    "@NSManaged public var URLOfTag: URL?",
    "@NSManaged final var finalText: String?",
    "@NSManaged public func addToTags(_ value: Tag)",
    "@NSManaged public func removeFromTags(_ value: Tag)",
    "@NSManaged public func addToTags(_ values: NSSet)",
    "@NSManaged public func removeFromTags(_ values: Set<Tag>)",
    "@NSManaged public func insertIntoOrderedTags(_ value: Tag, at idx: Int)",
    "@NSManaged public func insertIntoOrderedTags(_ values: [Tag], at indexes: NSIndexSet)",
    "@NSManaged public func removeFromOrderedTags(at idx: Int)",
    "@NSManaged public func removeFromOrderedTags(at indexes: NSIndexSet)",
    "@NSManaged public func replaceOrderedTags(at idx: Int, with value: Tag)",
    "@NSManaged public func replaceOrderedTags(at indexes: NSIndexSet, with values: [Tag])",
    "@NSManaged private func addTagsObject(_ value: Tag)",
  ]

  private static let otherTypes = """
    import Foundation
    open class NSManagedObject: NSObject {}
    open class Tag: NSManagedObject { enum Kind: Int16 { case plain } }
    public class Color: NSObject {}
    enum State: Int16 { case open }
    enum Space { struct Inner { class Deepest: NSObject {} } }
    typealias Labels = Set<Tag>

    """

  private static func article(_ declarations: some Sequence<String>) -> String {
    """
    import Foundation
    open class Article: NSManagedObject {
      enum Phase: Int16 { case first }
      \(declarations.joined(separator: "\n  "))
    }

    """
  }

  private static let compiled = Result {
    // A final member has no entry in the vtable, so its symbol appears only if it is used.
    let use = "extension Article { func use() { finalText = finalText } }"
    return try CompilerSymbols.used(
      by: [
        "OtherTypes.swift": otherTypes, "Article.swift": article(declarations),
        "Use.swift": use,
      ],
      module: "Sample")
  }

  @Test(arguments: declarations.indices)
  func `A managed member has the symbol that the compiler calls`(index: Int) throws {
    let declaration = Self.declarations[index]
    let accessors = ManagedAccessors(
      module: "Sample",
      sources: [
        SourceFile(path: "Sources/OtherTypes.swift", text: Self.otherTypes),
        SourceFile(path: "Sources/Article.swift", text: Self.article([declaration])),
      ])
    #expect(accessors.issues.isEmpty)
    #expect(!accessors.symbols.isEmpty, "\(declaration)")
    let used = try Self.compiled.get()
    for symbol in accessors.symbols { #expect(used.contains(symbol), "\(declaration)") }
  }

  /// `GeneratedAccessorTests` checks that the classes are in these modules.
  @Test func `A member of a class of Core Data has the module that defines the class`() throws {
    let source = """
      import CoreData
      open class Owner: NSManagedObject {
        @NSManaged public var object: NSManagedObject?
        @NSManaged public var identifier: CoreData.NSManagedObjectID?
        @NSManaged public func addToTags(_ value: NSManagedObject)
      }
      """
    let accessors = ManagedAccessors(
      module: "Sample", sources: [SourceFile(path: "Owner.swift", text: source)])
    #expect(accessors.issues.isEmpty)
    let names = try Toolchain.run("swift-demangle", accessors.symbols)
    #expect(names.contains("Sample.Owner.object.getter : ManagedObjects.NSManagedObject?"))
    #expect(names.contains("Sample.Owner.identifier.getter : ObjectRows.NSManagedObjectID?"))
    #expect(names.contains("Sample.Owner.addToTags(ManagedObjects.NSManagedObject) -> ()"))
  }

  @Test func `A module's symbols are unique, and the compiler uses each of them`() throws {
    let accessors = ManagedAccessors(
      module: "Sample",
      sources: [
        SourceFile(path: "OtherTypes.swift", text: Self.otherTypes),
        SourceFile(path: "Article.swift", text: Self.article(Self.declarations)),
      ])
    #expect(Set(accessors.symbols).count == accessors.symbols.count)
    #expect(Set(accessors.symbols).isSubset(of: try Self.compiled.get()))
  }
}
