import type { Call, Capabilities, UnsupportedParameters } from '../contracts/provider.ts'
import type { ChatRequest } from '../protocol/chat.ts'

/** Whose signal a call has. */
export interface SignalOwner {
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
