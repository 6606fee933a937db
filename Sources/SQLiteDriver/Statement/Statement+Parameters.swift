internal import CSQLite

extension Statement {
  /// How many parameters the statement has: the largest index.
  package var parameterCount: Int { Int(unsafe sqlite3_bind_parameter_count(handle)) }

  /// The index of a named parameter, its prefix (`:`, `@` or `$`) included; nil when there is none
  /// of that name.
  package func parameter(named name: String) -> Int? {
    let index = unsafe sqlite3_bind_parameter_index(handle, name)
    return index == 0 ? nil : Int(index)
  }
}
