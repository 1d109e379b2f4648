import { GatewayError } from '../errors/errors.ts'
import { spreadRetryAfterHeaders } from '../errors/retry-headers.ts'
import type { RequestLimits } from './request-limits.ts'

/** Limits of concurrent uploads. */
type UploadLimits = Pick<RequestLimits, 'maxUploads' | 'maxUploadBytes' | 'maxTotalUploadBytes'>

/** The uploads of a principal. */
interface Sender {
  readonly key: string
  /** Number of bodies that are being received. */
  bodies: number
  /** Number of those that count towards `maxUploads`. */
  uploads: number
  bytes: number
}

/**
 * Counts the bodies that a gateway is receiving, per principal and in total. It survives a reload of the options, so each
 * request passes its own limits.
 */
export class Uploads {
  /** Reserved bytes of all bodies. */
  #bytes = 0
  readonly #senders = new Map<string, Sender>()

  get bytes(): number {
    return this.#bytes
  }

  /** Number of principals with uploads. */
  get senders(): number {
    return this.#senders.size
  }

  /**
   * Starts a body and reserves its `content-length`, 0 without one. `key` is that of the principal; `random` spreads the
   * retries of rejected clients.
   *
   * Throws `GatewayError` (429 or 503) if that exceeds a limit, and reserves nothing.
   */
  start(key: string, announced: number, limits: UploadLimits, random: () => number): Upload {
    const sender = this.#senders.get(key) ?? { key, bodies: 0, uploads: 0, bytes: 0 }
    const upload = new BodyUpload(this, sender, limits, random)
    // An invalid length is NaN.
    if (announced > 0) upload.reserve(announced)
    sender.bodies++
    this.#senders.set(key, sender)
    return upload
  }

  /** Adds to the reserved bytes; a negative number releases some. */
  add(sender: Sender, bytes: number): void {
    sender.bytes += bytes
    this.#bytes += bytes
  }

  /** Ends a body. */
  remove(sender: Sender): void {
    sender.bodies--
    if (sender.bodies === 0) this.#senders.delete(sender.key)
  }
}

/** One body that is being received. */
export interface Upload {
  /** Raises the reservation to `total` bytes. Throws `GatewayError` (429 or 503) if that exceeds a limit. */
  reserve(total: number): void
  /** Counts the body towards `maxUploads`. Throws `GatewayError` (429) if that is exceeded. */
  count(): void
  /** Releases the reservation. Later calls have no effect. */
  end(): void
}

class BodyUpload implements Upload {
  readonly #uploads: Uploads
  readonly #sender: Sender
  readonly #limits: UploadLimits
  readonly #random: () => number
  #bytes = 0
  #counted = false
  #ended = false

  constructor(uploads: Uploads, sender: Sender, limits: UploadLimits, random: () => number) {
    this.#uploads = uploads
    this.#sender = sender
    this.#limits = limits
    this.#random = random
  }

  reserve(total: number): void {
    const more = total - this.#bytes
    if (more <= 0 || this.#ended) return
    const { maxUploadBytes, maxTotalUploadBytes } = this.#limits
    const own = this.#sender.bytes + more
    if (own > maxUploadBytes) throw this.#refusal(own, 'bytes of request bodies', maxUploadBytes)
    const all = this.#uploads.bytes + more
    if (all > maxTotalUploadBytes) {
      throw new GatewayError('service_overloaded', {
        headers: spreadRetryAfterHeaders(this.#random),
        cause: `got ${all} bytes of request bodies at once, expected at most ${maxTotalUploadBytes} (requestLimits.maxTotalUploadBytes)`,
      })
    }
    this.#bytes = total
    this.#uploads.add(this.#sender, more)
  }

  count(): void {
    if (this.#counted || this.#ended) return
    const { maxUploads } = this.#limits
    const uploads = this.#sender.uploads + 1
    if (uploads > maxUploads) throw this.#refusal(uploads, 'request bodies', maxUploads)
    this.#counted = true
    this.#sender.uploads = uploads
  }

  end(): void {
    if (this.#ended) return
    this.#ended = true
    if (this.#counted) this.#sender.uploads--
    this.#uploads.add(this.#sender, -this.#bytes)
    this.#uploads.remove(this.#sender)
  }

  #refusal(got: number, what: string, max: number): GatewayError {
    return new GatewayError('too_many_uploads', {
      message: `You are sending ${got} ${what} at once, expected at most ${max}. Please try again when others have arrived.`,
      headers: spreadRetryAfterHeaders(this.#random),
    })
  }
}
