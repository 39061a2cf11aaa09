internal import CFido2

extension Authenticator {
  /// Waits for a touch that only selects this key among several.
  ///
  /// Takes 1 command; creates nothing and sends no PIN. Cancelling the task makes the key stop
  /// blinking. A key without a PIN feature creates a credential in its answer, which is discarded
  /// and takes no slot.
  ///
  /// - Throws: ``PRFDeviceError/touchTimeout``,
  ///   ``PRFDeviceError/denied``, ``PRFDeviceError/authenticatorLost``,
  ///   ``PRFDeviceError/cancelled``.
  public nonisolated func waitForTouch() async throws(PRFDeviceError) {
    try await touchOperation { me throws(PRFDeviceError) in
      try unsafe me.call { unsafe fido_dev_get_touch_begin($0) }
      var isTouched: Int32 = 0
      // libfido2 reports a closed connection as "not touched yet".
      try me.unrefusable { () throws(PRFDeviceError) in
        try unsafe me.call { device in
          let status = unsafe fido_dev_get_touch_status(device, &isTouched, me.millisecondsLeft)
          return status == FIDO_OK && isTouched == 0 ? FIDO_ERR_RX : status
        }
      }
    }
  }
}
