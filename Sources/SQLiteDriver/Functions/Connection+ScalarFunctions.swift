internal import CSQLite

extension Connection {
  /// Registers a function for SQL; it replaces an earlier one with the same name and arity.
  ///
  /// An error that `body` throws becomes the statement's error, with its text as the message.
  /// `body` lives as long as the connection and must not retain it.
  package func register(
    function name: String, arity: FunctionArity, traits: FunctionTraits = [],
    _ body: @escaping (borrowing FunctionArguments) throws -> Value
  ) throws(SQLiteError) {
    let handle = try unsafe handle()
    let function = unsafe Unmanaged<AnyObject>.passRetained(ScalarFunction(body: body))
    let code = unsafe sqlite3_create_function_v2(
      handle, name, arity.argumentCount, SQLITE_UTF8 | traits.rawValue, function.toOpaque(),
      { call, count, values in
        guard let function = unsafe ScalarFunction.of(call) else { return }
        let arguments = unsafe FunctionArguments(count: count, values: values, call: call)
        do {
          unsafe FunctionResult.set(try function.body(arguments), on: call)
        } catch {
          unsafe FunctionResult.fail(error, on: call)
        }
      }, nil, nil, releaseObject)
    // SQLite has already released a function that it rejects.
    try check(code)
  }
}

/// Keeps a function's closure; SQLite retains it until the connection closes.
private final class ScalarFunction {
  let body: (borrowing FunctionArguments) throws -> Value

  init(body: @escaping (borrowing FunctionArguments) throws -> Value) { self.body = body }

  static func of(_ call: OpaquePointer?) -> ScalarFunction? {
    guard let data = unsafe sqlite3_user_data(call) else { return nil }
    return unsafe Unmanaged<AnyObject>.fromOpaque(data).takeUnretainedValue() as? ScalarFunction
  }
}
