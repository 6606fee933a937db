extension DecodedRecord {
  /// The record, with absent properties treated as not fetched.
  package var treatingAbsentAsUnfetched: Self {
    if case .object(let object) = self { .object(object.treatingAbsentAsUnfetched) } else { self }
  }
}

extension DecodedObject {
  /// The object, with absent properties treated as not fetched.
  ///
  /// If no version of the program has written a field, the record does not determine its property.
  package var treatingAbsentAsUnfetched: Self {
    var object = self
    object.unfetched.formUnion(absentProperties)
    return object
  }
}
