import type { EmbeddingInput, EmbedRequest } from '../contracts/embedding.ts'
import type { ModerateRequest } from '../contracts/moderation.ts'
import type {
  Call,
  Capabilities,
  EmbedCall,
  ModerateCall,
  NativeCall,
  RerankCall,
  UnsupportedParameters,
} from '../contracts/provider.ts'
import type { RerankRequest } from '../contracts/rerank.ts'
import type { BodyEdit } from '../conversation/body-edit.ts'
import type { GenerateRequest, NativeBody } from '../conversation/generate-request.ts'
import type { ChatRequest } from '../protocol/chat.ts'
import type { ReceivedText } from '../protocol/received-text.ts'
import type { EmbedPart } from './call-request.ts'

/** What every planned call has. */
interface PlannedBase {
  readonly model: string
  readonly unsupportedParameters: UnsupportedParameters
  readonly capabilities?: Capabilities | undefined
  /** The chosen key of the provider, if it has several. */
  readonly key?: string | undefined
}

/** A call without what is computed on demand. `form` is what of its provider encodes and decodes it. */
export type PlannedCall =
  | (PlannedBase & { readonly form: 'translated'; readonly request: GenerateRequest })
  | (PlannedBase & {
      readonly form: 'native' | 'complete'
      readonly request: GenerateRequest
      readonly native: NativeBody
    })
  | (PlannedBase & {
      readonly form: 'count'
      readonly request: GenerateRequest
      /** Set where the vendor speaks the caller's dialect. */
      readonly native: NativeBody | undefined
    })
  | (PlannedBase & { readonly form: 'embed'; readonly part: EmbedPart })
  | (PlannedBase & { readonly form: 'rerank'; readonly request: RerankRequest })
  | (PlannedBase & { readonly form: 'moderate'; readonly request: ModerateRequest })

/** Has the signal of a call. */
interface SignalOwner {
  readonly signal: AbortSignal
}

/**
 * What every call has, with a signal that is created when it is read. Most providers never read the signal, and on Node 20 an
 * `AbortController` costs more than everything else of a call.
 */
class SignalledCall {
  readonly model: string
  readonly unsupportedParameters: UnsupportedParameters
  // Absent where they were not given.
  declare readonly capabilities?: Capabilities
  declare readonly key?: string
  declare readonly signal: AbortSignal
  readonly #owner: SignalOwner

  constructor({ model, key, capabilities, unsupportedParameters }: PlannedBase, owner: SignalOwner) {
    this.model = model
    this.unsupportedParameters = unsupportedParameters
    if (capabilities !== undefined) this.capabilities = capabilities
    if (key !== undefined) this.key = key
    this.#owner = owner
    // An own property, so that a copy `{ ...call }` has it too.
    Object.defineProperty(this, 'signal', ownSignal)
  }

  static signalOf(call: object): AbortSignal | undefined {
    return #owner in call ? call.#owner.signal : undefined
  }
}

/** A `Call` that makes a chat request of another dialect's request when a provider reads `input`. */
export class LazyCall extends SignalledCall implements Call {
  declare readonly input: ChatRequest
  readonly request: GenerateRequest

  constructor(planned: PlannedBase & { readonly request: GenerateRequest }, owner: SignalOwner) {
    super(planned, owner)
    const { request } = planned
    if (request.dialect === 'chat') (this as { input: ChatRequest }).input = request.chat()
    else Object.defineProperty(this, 'input', ownInput)
    this.request = request
  }
}

export class LazyNativeCall extends LazyCall implements NativeCall {
  readonly text: string
  readonly received: ReceivedText | undefined
  readonly edits: readonly BodyEdit[]
  readonly headers: Readonly<Record<string, string>>

  constructor(
    planned: PlannedBase & { readonly request: GenerateRequest; readonly native: NativeBody },
    owner: SignalOwner,
  ) {
    super(planned, owner)
    const { text, received, edits, headers } = planned.native
    this.text = text
    this.received = received
    this.edits = edits
    this.headers = headers
  }
}

export class LazyEmbedCall extends SignalledCall implements EmbedCall {
  readonly request: EmbedRequest
  readonly inputs: readonly EmbeddingInput[]

  constructor(planned: PlannedBase & { readonly part: EmbedPart }, owner: SignalOwner) {
    super(planned, owner)
    const { request, inputs } = planned.part
    this.request = request
    this.inputs = inputs
  }
}

export class LazyRerankCall extends SignalledCall implements RerankCall {
  readonly request: RerankRequest

  constructor(planned: PlannedBase & { readonly request: RerankRequest }, owner: SignalOwner) {
    super(planned, owner)
    this.request = planned.request
  }
}

export class LazyModerateCall extends SignalledCall implements ModerateCall {
  readonly request: ModerateRequest

  constructor(planned: PlannedBase & { readonly request: ModerateRequest }, owner: SignalOwner) {
    super(planned, owner)
    this.request = planned.request
  }
}

const ownSignal: PropertyDescriptor & ThisType<object> = {
  enumerable: true,
  configurable: true,
  get() {
    return SignalledCall.signalOf(this)
  },
}

const ownInput: PropertyDescriptor & ThisType<LazyCall> = {
  enumerable: true,
  configurable: true,
  get() {
    return this.request.chat()
  },
}
