extension PropertyList {
  /// Reads a property list in binary or XML form, which its first bytes determine.
  ///
  /// The limits apply to the binary form only.
  package init(_ bytes: [UInt8], limits: PropertyListLimits = .standard) throws(PropertyListError) {
    if BinaryPropertyList.hasHeader(bytes) {
      self = try BinaryPropertyList.read(bytes, limits: limits)
    } else if XMLPropertyList.hasHeader(bytes) {
      self = try XMLPropertyList.read(bytes)
    } else {
      throw PropertyListError(
        .notAPropertyList,
        "This is neither a binary property list, which starts with “bplist00”, nor an XML one, which starts with “<?xml”.",
        offset: 0)
    }
  }
}
