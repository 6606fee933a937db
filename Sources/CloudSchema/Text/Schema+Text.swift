package import CloudRecords

extension Schema {
  /// Parses a text in Apple's schema language (`.ckdb`).
  ///
  /// Servers store the same text: it is readable, needs no version, and any tool for the language
  /// can repair it. Comments are not kept.
  package init(text: [UInt8], limits: ServiceLimits = ServiceLimits()) throws(SchemaIssues) {
    guard text.count <= SchemaLimits.textBytes else {
      throw SchemaIssues(
        SchemaIssue(
          "The text of the schema is longer than \(SchemaLimits.textBytes) bytes.",
          remedy: "Check that it is the right file: schemas are a few thousand bytes long."))
    }
    var parser = SchemaParser(text, limits: limits)
    self = try parser.parse()
  }

  /// Parses a stored schema, which may exceed a limit on the number of fields that was lowered
  /// since.
  package init(stored text: [UInt8]) throws(SchemaIssues) {
    var limits = ServiceLimits()
    limits.fieldsPerRecordType = .max - 1
    try self.init(text: text, limits: limits)
  }

  package init(text: String, limits: ServiceLimits = ServiceLimits()) throws(SchemaIssues) {
    try self.init(text: Array(text.utf8), limits: limits)
  }
}
