import type { ChatRequest, JsonObject } from '../protocol/chat.ts'
import type { Adjustment } from './adjustment.ts'
import { withoutChatReasoning } from './chat-reasoning.ts'
import { chatToTurns } from './chat-to-turns.ts'
import type { GenerateRequest, RealmRequest, Settings } from './generate-request.ts'
import type { Turn } from './turns.ts'
import type { ConversationLoss } from './turns-to-chat.ts'

const none: readonly ConversationLoss[] = Object.freeze([])

/** A request in chat completions. The validated request is the settings and the chat request; only turns are computed. */
export class ChatGenerateRequest implements GenerateRequest {
  readonly dialect = 'chat'
  readonly model: string
  readonly stream: boolean
  readonly body: JsonObject
  readonly #input: ChatRequest
  /** The request that this one was made from, which has the same turns. */
  readonly #origin: ChatGenerateRequest | undefined
  #turns: readonly Turn[] | undefined

  /** @param input - the validated request. */
  constructor(input: ChatRequest, body: JsonObject, origin?: ChatGenerateRequest) {
    this.model = input.model
    this.stream = input.stream === true
    this.body = body
    this.#input = input
    this.#origin = origin
  }

  settings(): Settings {
    return this.#input
  }

  turns(): readonly Turn[] {
    this.#turns ??= this.#origin?.turns() ?? chatToTurns(this.#input.messages)
    return this.#turns
  }

  chat(): ChatRequest {
    return this.#input
  }

  losses(): readonly ConversationLoss[] {
    return none
  }

  pathOf(chatPath: string): string {
    return chatPath
  }

  withSettings(settings: Settings): ChatGenerateRequest {
    const { messages } = this.#input
    // The usual settings are a copy of this request with some fields replaced.
    const input = (settings.messages === messages ? settings : { ...settings, messages }) as ChatRequest
    return new ChatGenerateRequest(input, this.body, this.#origin ?? this)
  }

  /** What vendors want back is not marked with its realm in chat completions: one that cannot read it refuses it. */
  withoutReasoning(): GenerateRequest | undefined {
    const without = withoutChatReasoning(this.#input.messages)
    if (without === undefined) return undefined
    const { messages, adjustments } = without
    return new UnreasonedRequest({ ...this.#input, messages }, this.body, adjustments)
  }

  /** Changes the validated request, which is a copy of the body. */
  withMaxOutput(tokens: number): ChatGenerateRequest {
    const input: { max_completion_tokens?: number } = this.#input
    input.max_completion_tokens = tokens
    return this
  }
}

/** A request without the reasoning that a vendor has refused. */
class UnreasonedRequest extends ChatGenerateRequest {
  readonly #adjustments: readonly Adjustment[]

  constructor(input: ChatRequest, body: JsonObject, adjustments: readonly Adjustment[]) {
    super(input, body)
    this.#adjustments = adjustments
  }

  /** It is the same for all targets. */
  forRealm(): RealmRequest {
    return { request: this, adjustments: this.#adjustments }
  }
}
