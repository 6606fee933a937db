extension DecodedRecord {
  /// The same, of an object without what the record has nothing of.
  package var sayingNothingOfAbsent: Self {
    if case .object(let object) = self { .object(object.sayingNothingOfAbsent) } else { self }
  }
}

extension DecodedObject {
  /// The same without what the record has nothing of: what no version of the program has written
  /// says nothing.
  package var sayingNothingOfAbsent: Self {
    var object = self
    object.unfetched.formUnion(absentProperties)
    return object
  }
}
