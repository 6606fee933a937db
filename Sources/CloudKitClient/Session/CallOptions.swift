/// What an operation's configuration says of its requests.
package struct CallOptions: Sendable {
  /// How long nothing may come of a request before it is given up.
  package var requestLimit = Duration.seconds(60)
  /// How long all that an operation asks for may take; nil for no limit.
  package var wholeLimit: Duration?
  package var retry = RetryPolicy()

  package init() {}
}
