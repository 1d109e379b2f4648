import { GatewayError } from '../errors/errors.ts'
import { spreadRetryAfterHeaders } from '../errors/retry-headers.ts'
import type { RequestLimits } from './request-limits.ts'

/** Bounds of what is received at the same time. */
type UploadLimits = Pick<RequestLimits, 'maxUploads' | 'maxUploadBytes' | 'maxTotalUploadBytes'>

/** What one principal is sending. */
interface Sender {
  readonly key: string
  /** Bodies that are being received. */
  bodies: number
  /** Those of them that count towards `maxUploads`. */
  uploads: number
  bytes: number
}

/**
 * Counts the bodies that a gateway is receiving, by principal and in all. Outlives the options of the gateway: the bounds
 * are those of each request.
 */
export class Uploads {
  /** Reserved bytes of all bodies. */
  #bytes = 0
  readonly #senders = new Map<string, Sender>()

  get bytes(): number {
    return this.#bytes
  }

  /** How many principals are sending. */
  get senders(): number {
    return this.#senders.size
  }

  /**
   * Starts a body and reserves the bytes that are announced for it; 0 where none are. `key` is the principal's, `random`
   * spreads the retries of those that are refused.
   *
   * Throws 429 or 503 where the bytes are too many. Nothing is reserved then.
   */
  start(key: string, announced: number, limits: UploadLimits, random: () => number): Upload {
    const sender = this.#senders.get(key) ?? { key, bodies: 0, uploads: 0, bytes: 0 }
    const upload = new BodyUpload(this, sender, limits, random)
    // NaN is what a length is read as that is none.
    if (announced > 0) upload.reserve(announced)
    sender.bodies++
    this.#senders.set(key, sender)
    return upload
  }

  /** Adds to the reserved bytes, or takes from them. */
  add(sender: Sender, bytes: number): void {
    sender.bytes += bytes
    this.#bytes += bytes
  }

  /** One body fewer is being received. */
  remove(sender: Sender): void {
    sender.bodies--
    if (sender.bodies === 0) this.#senders.delete(sender.key)
  }
}

/** One body that is being received. */
export interface Upload {
  /** Reserves so many bytes in all, which may be reserved already. Throws 429 or 503 where they are too many. */
  reserve(total: number): void
  /** Counts it towards `maxUploads` from now on. Throws 429 where there are as many already. */
  count(): void
  /** Gives back what is reserved. The second call does nothing, and so does anything after it. */
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
        cause: `${all} bytes of bodies are being received, at most ${maxTotalUploadBytes} may be`,
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

  #refusal(got: number, what: string, most: number): GatewayError {
    return new GatewayError('too_many_uploads', {
      message: `You are sending ${got} ${what} at once, expected at most ${most}. Please try again when others have arrived.`,
      headers: spreadRetryAfterHeaders(this.#random),
    })
  }
}
