import type { RecordedBodies, StoredBodies } from '@sluice/core/store'

/** Bodies cannot be decrypted: their key is not among those that were given, or the row was changed. */
export class BodyKeyError extends Error {
  override readonly name = 'BodyKeyError'
}

/** What is encrypted: everything but what the database needs to find and delete a row. */
type SealedBodies = Omit<RecordedBodies, 'requestId' | 'at' | 'principal'>

const algorithm = 'AES-GCM'
const nonceBytes = 12
export const keyBytes = 32

interface NamedKey {
  readonly id: string
  readonly key: CryptoKey
}

/** Encrypts bodies with a key, and decrypts those of earlier keys too. AES-256-GCM with a random nonce for each row. */
export class BodyCipher {
  readonly #current: Promise<NamedKey>
  readonly #all: Promise<readonly NamedKey[]>

  /** `keys`: 32 bytes each, the current one first. */
  constructor(keys: readonly [Uint8Array, ...Uint8Array[]]) {
    const [first, ...others] = keys
    this.#current = namedKey(first)
    this.#all = Promise.all([this.#current, ...others.map(namedKey)])
    // Whoever uses it gets the error.
    this.#all.catch(() => {})
  }

  /** Encrypts what is secret of a row. The rest of the row is authenticated: a row that is moved cannot be decrypted. */
  async seal(row: Omit<StoredBodies, 'keyId' | 'sealed'>, secret: SealedBodies): Promise<StoredBodies> {
    const { id: keyId, key } = await this.#current
    const nonce = crypto.getRandomValues(new Uint8Array(nonceBytes))
    const text = new TextEncoder().encode(JSON.stringify(secret))
    const additionalData = additionalDataOf({ ...row, keyId })
    const encrypted = await crypto.subtle.encrypt({ name: algorithm, iv: nonce, additionalData }, key, text)
    return { ...row, keyId, sealed: toBase64(joined(nonce, new Uint8Array(encrypted))) }
  }

  /** Decrypts a row. Rejects with `BodyKeyError`. */
  async open(row: StoredBodies): Promise<SealedBodies> {
    const { keyId, sealed, id } = row
    const known = (await this.#all).find(each => each.id === keyId)
    if (known === undefined) {
      throw new BodyKeyError(
        `The bodies of ${id} are encrypted with another key, which has the id ${keyId}. Pass the earlier key in previousKeys.`,
      )
    }
    try {
      const bytes = fromBase64(sealed)
      const parameters = {
        name: algorithm,
        iv: bytes.subarray(0, nonceBytes),
        additionalData: additionalDataOf(row),
      }
      const text = await crypto.subtle.decrypt(parameters, known.key, bytes.subarray(nonceBytes))
      return JSON.parse(new TextDecoder().decode(text)) as SealedBodies
    } catch (cause) {
      const message = `The bodies of ${id} cannot be decrypted: their row was changed or is damaged.`
      throw new BodyKeyError(message, { cause })
    }
  }
}

async function namedKey(bytes: Uint8Array): Promise<NamedKey> {
  const own = Uint8Array.from(bytes)
  const named = joined(new TextEncoder().encode('sluice bodies key id'), own)
  const [key, digest] = await Promise.all([
    crypto.subtle.importKey('raw', own, algorithm, false, ['encrypt', 'decrypt']),
    crypto.subtle.digest('SHA-256', named),
  ])
  const id = [...new Uint8Array(digest).subarray(0, 6)]
    .map(byte => byte.toString(16).padStart(2, '0'))
    .join('')
  return { id, key }
}

function additionalDataOf({
  id,
  at,
  principal,
  source,
  keyId,
}: Omit<StoredBodies, 'sealed'>): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(
    new TextEncoder().encode(JSON.stringify(['sluice bodies 1', id, at, principal, source, keyId])),
  )
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(first.length + second.length)
  all.set(first)
  all.set(second, first.length)
  return all
}

/** Bytes per step: arguments of a function are limited. */
const stepBytes = 8_192

function toBase64(bytes: Uint8Array): string {
  let text = ''
  for (let at = 0; at < bytes.length; at += stepBytes) {
    text += String.fromCharCode(...bytes.subarray(at, at + stepBytes))
  }
  return btoa(text)
}

/** Throws an error if the text is not base64. */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text), character => character.charCodeAt(0))
}
