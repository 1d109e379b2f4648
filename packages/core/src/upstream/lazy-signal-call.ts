import type { Call, Capabilities, UnsupportedParameters } from '../contracts/provider.ts'
import type { ChatRequest } from '../protocol/chat.ts'

/** Has the signal of a call. */
interface SignalOwner {
  readonly signal: AbortSignal
}

/**
 * A `Call` that creates its signal when that is read. Most providers never read it, and on Node 20 an `AbortController`
 * costs more than everything else of a call.
 */
export class LazySignalCall implements Call {
  readonly input: ChatRequest
  readonly model: string
  // Absent where they were not given.
  declare readonly key?: string
  declare readonly capabilities?: Capabilities
  declare readonly unsupportedParameters?: UnsupportedParameters
  declare readonly signal: AbortSignal
  readonly #owner: SignalOwner

  constructor(
    { input, model, key, capabilities, unsupportedParameters }: Omit<Call, 'signal'>,
    owner: SignalOwner,
  ) {
    this.input = input
    this.model = model
    if (key !== undefined) this.key = key
    if (capabilities !== undefined) this.capabilities = capabilities
    if (unsupportedParameters !== undefined) this.unsupportedParameters = unsupportedParameters
    this.#owner = owner
    // An own property, so that a copy `{ ...call }` has it too.
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
    return LazySignalCall.signalOf(this)
  },
}
