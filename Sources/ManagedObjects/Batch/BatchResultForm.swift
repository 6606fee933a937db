/// The form of a batch request's result, which all three kinds of requests share.
enum BatchResultForm: Equatable {
  case status, objectIDs, count

  init(_ type: NSBatchInsertRequestResultType) {
    self =
      switch type {
      case .statusOnly: .status
      case .objectIDs: .objectIDs
      case .count: .count
      }
  }

  init(_ type: NSBatchUpdateRequestResultType) {
    self =
      switch type {
      case .statusOnlyResultType: .status
      case .updatedObjectIDsResultType: .objectIDs
      case .updatedObjectsCountResultType: .count
      }
  }

  init(_ type: NSBatchDeleteRequestResultType) {
    self =
      switch type {
      case .resultTypeStatusOnly: .status
      case .resultTypeObjectIDs: .objectIDs
      case .resultTypeCount: .count
      }
  }
}
