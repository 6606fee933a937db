import Foundation
import PredicateLanguage
import PropertyLists

/// The archived form of descriptions of expressions, with the keys of compiled models.
extension NSExpressionDescription {
  static let archivedClassName = "NSExpressionDescription"

  func encodeParts(with coder: NSCoder) {
    coder.encodeArchive("description of an expression") { () throws(ModelArchiveError) in
      try PredicateArchive.data { (builder, path) throws(ModelArchiveError) in
        try add(to: &builder, at: path)
      }
    }
  }

  func add(to builder: inout KeyedArchiveBuilder, at path: ArchivePath) throws(ModelArchiveError)
    -> PropertyList
  {
    let expression = try ExpressionArchiver.add(expression, to: &builder, at: path)
    let fields: [String: PropertyList] = [
      "NSPropertyName": builder.string(name), "NSExpression": expression,
      "NSExpressionResultType": .integer(Int128(expressionResultType.rawValue)),
      "NSIsOptional": .boolean(isOptional), "NSIsTransient": .boolean(isTransient),
      "NSVersionHashModifier": builder.string(versionHashModifier),
      "NSRenamingIdentifier": builder.string(renamingIdentifier),
    ]
    return builder.add(Self.archivedClassName, fields)
  }

  /// Reads the parts of a description; returns false after the coder has failed.
  func decode(from coder: NSCoder) -> Bool {
    coder.decodeArchive { data throws(ModelArchiveError) in
      try read(PredicateArchive.root(of: data))
      return true
    } ?? false
  }

  func read(_ object: ArchivedObject) throws(ModelArchiveError) {
    let number = try object.integer("NSExpressionResultType") ?? 0
    guard object.isKind(of: Self.archivedClassName),
      let type = UInt(exactly: number).flatMap(NSAttributeType.init)
    else {
      throw object.error(.wrongKind, "A description of an expression is expected.")
    }
    name = try object.requiredString("NSPropertyName")
    expression = try ExpressionArchiveReader.read("NSExpression", of: object)
    expression?.restrictEvaluation()
    expressionResultType = type
    isOptional = try object.flag("NSIsOptional")
    isTransient = try object.flag("NSIsTransient")
    versionHashModifier = try object.string("NSVersionHashModifier")
    renamingIdentifier = try object.string("NSRenamingIdentifier")
  }
}
