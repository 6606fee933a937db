import CloudSchema

/// The text of cloud schemas: schemas survive writing and reading.
enum SchemaTextTarget: FuzzTarget {
  static let name = "schema-text"

  static func run(_ bytes: [UInt8]) {
    guard let schema = try? Schema(text: bytes) else { return }
    let text = schema.text
    guard let again = try? Schema(text: text) else { fail("what was written cannot be read") }
    require(again == schema && again.text == text, "the schema changes when it is written")
    require(SchemaDifference(from: schema, to: again).isEmpty, "equal schemas differ")
    require((try? again.deployed(to: schema)) == schema, "equal schemas cannot be deployed")
    require(
      (try? schema.importing(again, production: schema))?.difference.isEmpty == true,
      "equal schemas cannot be imported"
    )
  }
}
