import Testing

/// The text that the process of an exit test wrote to its standard error.
func standardError(of result: ExitTest.Result?) -> String {
  String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
}
