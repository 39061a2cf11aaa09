internal import CFido2

extension Authenticator {
  /// Waits for a touch that means nothing but "this key": how a person chooses
  /// one of several.
  ///
  /// 1 command; nothing is made and no PIN is spent.
  /// Cancelling the task makes the key stop blinking. A key that has no PIN
  /// feature makes, in its answer, a credential that is thrown away and takes no slot.
  ///
  /// - Throws: ``PRFDeviceError/touchTimeout``,
  ///   ``PRFDeviceError/denied``, ``PRFDeviceError/authenticatorLost``,
  ///   ``PRFDeviceError/cancelled``.
  public nonisolated func waitForTouch() async throws(PRFDeviceError) {
    try await touchOperation { me throws(PRFDeviceError) in
      try unsafe me.call { unsafe fido_dev_get_touch_begin($0) }
      var isTouched: Int32 = 0
      // libfido2 calls a connection that ended "not touched yet".
      try me.unrefusable { () throws(PRFDeviceError) in
        try unsafe me.call { device in
          let status = unsafe fido_dev_get_touch_status(device, &isTouched, me.millisecondsLeft)
          return status == FIDO_OK && isTouched == 0 ? FIDO_ERR_RX : status
        }
      }
    }
  }
}
