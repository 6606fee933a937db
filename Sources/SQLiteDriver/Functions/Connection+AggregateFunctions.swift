internal import CSQLite

extension Connection {
  /// Registers an aggregate function.
  ///
  /// Errors behave like those of scalar functions.
  package func register(
    aggregate name: String, arity: FunctionArity, traits: FunctionTraits = [],
    _ type: any AggregateFunction.Type
  ) throws(SQLiteError) {
    let handle = try unsafe handle()
    let maker = unsafe Unmanaged<AnyObject>.passRetained(AggregateMaker(make: { type.init() }))
    let code = unsafe sqlite3_create_function_v2(
      handle, name, arity.argumentCount, SQLITE_UTF8 | traits.rawValue, maker.toOpaque(), nil,
      { call, count, values in
        guard let group = unsafe AggregateGroup.current(call) else {
          return unsafe sqlite3_result_error_nomem(call)
        }
        let arguments = unsafe FunctionArguments(count: count, values: values, call: nil)
        do {
          try group.state.add(arguments)
        } catch {
          unsafe FunctionResult.fail(error, on: call)
        }
      },
      { call in
        do {
          unsafe FunctionResult.set(try AggregateGroup.end(call)?.result() ?? .null, on: call)
        } catch {
          unsafe FunctionResult.fail(error, on: call)
        }
      }, releaseObject)
    try check(code)
  }
}

/// Creates the state of each group; SQLite retains this object with the function.
private final class AggregateMaker {
  let make: () -> any AggregateFunction

  init(make: @escaping () -> any AggregateFunction) { self.make = make }

  static func of(_ call: OpaquePointer?) -> AggregateMaker? {
    guard let data = unsafe sqlite3_user_data(call) else { return nil }
    return unsafe Unmanaged<AnyObject>.fromOpaque(data).takeUnretainedValue() as? AggregateMaker
  }
}

/// The state of one group.
///
/// SQLite gives each group a few zeroed bytes, which contain the reference from the first row on.
private final class AggregateGroup {
  var state: any AggregateFunction

  init(state: any AggregateFunction) { self.state = state }

  /// The group of this call, created at its first row.
  ///
  /// Nil if memory is exhausted.
  static func current(_ call: OpaquePointer?) -> AggregateGroup? {
    guard let slot = unsafe slot(of: call, size: Int32(MemoryLayout<UInt>.size)) else { return nil }
    if let reference = unsafe UnsafeRawPointer(bitPattern: slot.pointee) {
      return unsafe Unmanaged<AggregateGroup>.fromOpaque(reference).takeUnretainedValue()
    }
    guard let maker = unsafe AggregateMaker.of(call) else { return nil }
    let group = AggregateGroup(state: maker.make())
    unsafe slot.pointee = UInt(bitPattern: Unmanaged.passRetained(group).toOpaque())
    return group
  }

  /// The state to finish, taken back from SQLite.
  ///
  /// SQLite finishes every group that it began, also after an error.
  static func end(_ call: OpaquePointer?) -> (any AggregateFunction)? {
    guard let slot = unsafe slot(of: call, size: 0),
      let reference = unsafe UnsafeRawPointer(bitPattern: slot.pointee)
    else { return unsafe AggregateMaker.of(call)?.make() }
    unsafe slot.pointee = 0
    return unsafe Unmanaged<AggregateGroup>.fromOpaque(reference).takeRetainedValue().state
  }

  private static func slot(of call: OpaquePointer?, size: Int32) -> UnsafeMutablePointer<UInt>? {
    unsafe sqlite3_aggregate_context(call, size)?.assumingMemoryBound(to: UInt.self)
  }
}
