import type { Call, Capabilities, UnsupportedParameters } from '../contracts/provider.ts'
import type { GenerateRequest } from '../conversation/generate-request.ts'
import type { ChatRequest } from '../protocol/chat.ts'

/** A call without what is computed on demand. */
export interface PlannedCall {
  readonly request: GenerateRequest
  readonly model: string
  readonly unsupportedParameters: UnsupportedParameters
  readonly capabilities?: Capabilities | undefined
  /** The chosen key of the provider, if it has several. */
  readonly key?: string | undefined
}

/** Has the signal of a call. */
interface SignalOwner {
  readonly signal: AbortSignal
}

/**
 * A `Call` that creates its signal when that is read, and makes a chat request of another dialect's request when a provider
 * reads `input`. Most providers never read the signal, and on Node 20 an `AbortController` costs more than everything else
 * of a call.
 */
export class LazyCall implements Call {
  declare readonly input: ChatRequest
  readonly request: GenerateRequest
  readonly model: string
  readonly unsupportedParameters: UnsupportedParameters
  // Absent where they were not given.
  declare readonly capabilities?: Capabilities
  declare readonly key?: string
  declare readonly signal: AbortSignal
  readonly #owner: SignalOwner

  constructor({ request, model, key, capabilities, unsupportedParameters }: PlannedCall, owner: SignalOwner) {
    // Own properties, so that a copy `{ ...call }` has them too.
    if (request.dialect === 'chat') (this as { input: ChatRequest }).input = request.chat()
    else Object.defineProperty(this, 'input', ownInput)
    this.request = request
    this.model = model
    this.unsupportedParameters = unsupportedParameters
    if (capabilities !== undefined) this.capabilities = capabilities
    if (key !== undefined) this.key = key
    this.#owner = owner
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
    return LazyCall.signalOf(this)
  },
}

const ownInput: PropertyDescriptor & ThisType<LazyCall> = {
  enumerable: true,
  configurable: true,
  get() {
    return this.request.chat()
  },
}
