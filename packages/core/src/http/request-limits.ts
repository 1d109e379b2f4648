import type { JsonLimits } from '../protocol/json.ts'

/**
 * Bounds of a request's body, checked before anything is made of it. Those of uploads and of the rate concern bodies that
 * have to be waited for: a body that has arrived along with the head of its request is no upload.
 */
export interface RequestLimits extends JsonLimits {
  /** Default 26,214,400 (25 MiB). */
  readonly maxBytes: number
  /** How long the body may take to arrive, in milliseconds. Default 30,000. */
  readonly deadlineMs: number
  /**
   * How many bytes of a body must arrive per second, on average, once `minRateGraceMs` have passed. A slower body is a
   * 408. Default 256.
   */
  readonly minBytesPerSecond: number
  /** For how long `minBytesPerSecond` does not apply, in milliseconds. Default 5,000. */
  readonly minRateGraceMs: number
  /**
   * How many uploads a principal may have at the same time: bodies that have not arrived within `uploadGraceMs`. A
   * further one is a 429. Default 4.
   */
  readonly maxUploads: number
  /** How long a body may take before it counts towards `maxUploads`, in milliseconds. Default 1,000. */
  readonly uploadGraceMs: number
  /**
   * How many bytes the bodies may have that are being received for one principal. A body counts from its start, with its
   * `content-length` or, without one, with what has arrived. Beyond it is a 429. Default 67,108,864 (64 MiB).
   */
  readonly maxUploadBytes: number
  /** The same for all principals together. Beyond it is a 503. Default 536,870,912 (512 MiB). */
  readonly maxTotalUploadBytes: number
}
