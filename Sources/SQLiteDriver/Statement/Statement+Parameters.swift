internal import CSQLite

extension Statement {
  /// The number of parameters: the largest index.
  package var parameterCount: Int { Int(unsafe sqlite3_bind_parameter_count(handle)) }

  /// The index of a named parameter, including its prefix (`:`, `@` or `$`); nil if there is none.
  package func parameter(named name: String) -> Int? {
    let index = unsafe sqlite3_bind_parameter_index(handle, name)
    return index == 0 ? nil : Int(index)
  }
}
