import type { JsonLimits } from '../protocol/json.ts'

/**
 * Limits of request bodies, enforced while a body is received and parsed. An upload is a body that is still being received
 * `uploadGraceMs` after the head of its request. Limits of uploads and of the byte rate do not apply to bodies that arrive
 * together with the head.
 */
export interface RequestLimits extends JsonLimits {
  /** Maximum size of a body in bytes. A larger one is a 413. Default 26,214,400 (25 MiB). */
  readonly maxBytes: number
  /** Maximum time for a body to arrive, in milliseconds. A slower one is a 408. Default 30,000. */
  readonly deadlineMs: number
  /** Minimum average rate of a body in bytes per second, after `minRateGraceMs`. A slower one is a 408. Default 256. */
  readonly minBytesPerSecond: number
  /** Time before `minBytesPerSecond` applies, in milliseconds. Default 5,000. */
  readonly minRateGraceMs: number
  /**
   * Maximum number of concurrent uploads per principal. One more is a 429. Default 4.
   */
  readonly maxUploads: number
  /** Time before a body that is still being received counts as an upload, in milliseconds. Default 1,000. */
  readonly uploadGraceMs: number
  /**
   * Maximum total bytes of bodies that are being received per principal. A body counts with its `content-length`, or without
   * one with the bytes that have arrived. More is a 429. Default 67,108,864 (64 MiB).
   */
  readonly maxUploadBytes: number
  /** The same maximum for all principals together. More is a 503. Default 536,870,912 (512 MiB). */
  readonly maxTotalUploadBytes: number
}
