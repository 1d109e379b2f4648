import type {
  Call,
  Capabilities,
  EncodedRequest,
  PartialChunk,
  UnsupportedParameters,
} from '../contracts/provider.ts'
import type { ChatRequest } from '../protocol/chat.ts'

/** Whose signal a call has. */
interface SignalOwner {
  readonly signal: AbortSignal
}

/**
 * A call as a provider gets it. Its signal is made when it is read: most providers never read it, and on Node 20 it
 * costs more than all else of a call.
 */
export class AttemptCall implements Call {
  readonly input: ChatRequest
  readonly model: string
  // Not there where they were not given.
  declare readonly capabilities?: Capabilities
  declare readonly unsupportedParameters?: UnsupportedParameters
  declare readonly signal: AbortSignal
  readonly #owner: SignalOwner

  constructor(
    { input, model, capabilities, unsupportedParameters }: Omit<Call, 'signal'>,
    owner: SignalOwner,
  ) {
    this.input = input
    this.model = model
    if (capabilities !== undefined) this.capabilities = capabilities
    if (unsupportedParameters !== undefined) this.unsupportedParameters = unsupportedParameters
    this.#owner = owner
    // Its own, and not its class's: a copy `{ ...call }` has it too.
    Object.defineProperty(this, 'signal', ownSignal)
  }

  static signalOf(call: object): AbortSignal | undefined {
    return #owner in call ? call.#owner.signal : undefined
  }
}

const ownSignal: PropertyDescriptor & ThisType<object> = {
  enumerable: true,
  configurable: true,
  get() {
    return AttemptCall.signalOf(this)
  },
}

/** What a provider encoded, where a transport can be asked for it: else that would fail as if the upstream did. */
export function validatedRequest(value: unknown): EncodedRequest {
  if (isRequest(value)) return value
  throw new TypeError('The provider encoded no request: expected { method, url, headers, body }.')
}

function isRequest(value: unknown): value is EncodedRequest {
  if (typeof value !== 'object' || value === null) return false
  const { method, url, headers, body } = value as { readonly [Name in keyof EncodedRequest]: unknown }
  const sendable = body === undefined || typeof body === 'string' || ArrayBuffer.isView(body)
  return isText(method) && isText(url) && typeof headers === 'object' && headers !== null && sendable
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value !== ''
}

type Chunks = AsyncIterator<readonly PartialChunk[]>

/** Who reads chunks: what each read comes to, or why there is none. */
interface ChunkReader {
  nextOf(chunks: Chunks): ReturnType<Chunks['next']>
}

/** The chunks of an answer, each read of which somebody watches. */
export class WatchedChunks implements Chunks {
  readonly #reader: ChunkReader
  readonly #chunks: Chunks

  constructor(reader: ChunkReader, chunks: Chunks) {
    this.#reader = reader
    this.#chunks = chunks
  }

  next(): ReturnType<Chunks['next']> {
    return this.#reader.nextOf(this.#chunks)
  }

  async return(): ReturnType<Chunks['next']> {
    await this.#chunks.return?.()
    return { done: true, value: undefined }
  }
}
