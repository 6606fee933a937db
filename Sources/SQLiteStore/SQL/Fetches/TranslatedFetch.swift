import ObjectRows
import SQLiteDriver
import Synchronization

/// The SQL for all fetches of one shape.
final class TranslatedFetch: Sendable {
  /// The query for many rows, with the bulk interface.
  let query: RowQuery
  /// The query for few rows, which is stepped, because stepping costs less to start.
  let queryForFew: RowQuery
  /// Whether the last fetch found so few rows that the next one steps its statement.
  private let findsFew = Atomic(false)
  let parameters: [Parameter]
  let arrays: [ArrayParameter]
  let columns: [ResultColumn]
  let isOrdered: Bool

  init(
    _ query: RowQuery, _ sql: SQLText, arrays: [ArrayParameter], columns: [ResultColumn],
    isOrdered: Bool
  ) {
    self.query = query
    queryForFew = RowQuery(stepping: query.sql)
    parameters = sql.parameters
    self.arrays = arrays
    self.columns = columns
    self.isOrdered = isOrdered
  }

  /// The statement of a fetch with these constants.
  func statement(_ binder: ConstantBinder, limit: Int, offset: Int) throws(TranslationError)
    -> FetchStatement
  {
    let bindings = try binder.values(of: parameters, limit: limit, offset: offset)
    var integerArrays: [[Int64]] = []
    for array in arrays {
      integerArrays.append(try binder.integers(ofConstant: array.constant, as: array.form))
    }
    return FetchStatement(
      translation: self, isForFew: findsFew.load(ordering: .relaxed), bindings: bindings,
      integerArrays: integerArrays)
  }

  /// Records the number of found rows, which decides the query of the next fetch.
  func recordFound(_ count: Int) {
    let isFew = count <= Limits.rowsToStep
    if findsFew.load(ordering: .relaxed) != isFew { findsFew.store(isFew, ordering: .relaxed) }
  }
}

extension ConstantBinder {
  /// The values of a text's parameters.
  func values(of parameters: [Parameter], limit: Int = -1, offset: Int = 0) throws(TranslationError)
    -> [Value]
  {
    var values: [Value] = []
    values.reserveCapacity(parameters.count)
    for parameter in parameters {
      switch parameter {
      case .constant(let index, let form): values.append(try value(ofConstant: index, as: form))
      case .element(let list, let place, let form):
        let elements = elements(ofConstant: list)
        values.append(try value(of: elements[min(place, elements.count - 1)], as: form))
      case .texts(let list, let form): values.append(try json(ofConstant: list, as: form))
      case .limit: values.append(.integer(Int64(limit)))
      case .offset: values.append(.integer(Int64(offset)))
      }
    }
    return values
  }
}
