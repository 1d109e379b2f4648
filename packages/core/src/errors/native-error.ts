/** An error of a vendor that speaks the caller's dialect, as the vendor wrote it. */
export interface NativeError {
  /** The name of the dialect: `messages`. */
  readonly dialect: string
  /** The HTTP status of the vendor's response. */
  readonly status: number
  /** The body of the vendor's response, which is JSON text. */
  readonly body: string
}
