import type { ChatRequest, JsonObject } from '../protocol/chat.ts'
import { jsonMember } from '../protocol/json-members.ts'
import type { Adjustment } from './adjustment.ts'
import type {
  GenerateRequest,
  NativeBody,
  RealmRequest,
  Settings,
  ThinkingSetting,
} from './generate-request.ts'
import type { Turn } from './turns.ts'
import type { ChatConversation, ConversationLoss } from './turns-to-chat.ts'

/** What a request and its copies with other settings have in common. Each view is computed when it is first read. */
export interface RequestSource<Self> {
  readonly draft: { readonly model: string; readonly body: JsonObject }
  /** What was left out of the body for a target. */
  readonly adjustments: readonly Adjustment[]
  readonly settings: { readonly settings: Settings; readonly thinking?: ThinkingSetting | undefined }
  readonly conversation: { readonly turns: readonly Turn[] }
  readonly chat: ChatConversation
  /** As `GenerateRequest.forRealm`; the same source if nothing is left out. */
  forRealm(realmOf: () => string): Self
  /** As `GenerateRequest.withoutReasoning`. */
  withoutReasoning(): Self | undefined
}

/**
 * A request in a dialect that is passed on to vendors which speak it. Nothing of it is read before it is needed: such a vendor gets
 * its text.
 */
export abstract class SourceGenerateRequest<Source extends RequestSource<Source>> implements GenerateRequest {
  abstract readonly dialect: string
  readonly model: string
  readonly stream: boolean
  readonly body: JsonObject
  protected readonly source: Source
  /** Settings that replace those of the body. */
  protected readonly replaced: Settings | undefined
  #chat: ChatRequest | undefined

  constructor(source: Source, replaced?: Settings) {
    const { model, body } = source.draft
    this.model = model
    this.stream = jsonMember(body, 'stream') === true
    this.body = body
    this.source = source
    this.replaced = replaced
  }

  protected abstract copy(source: Source, replaced: Settings | undefined): GenerateRequest
  abstract losses(): readonly ConversationLoss[]
  abstract translationLosses(): readonly ConversationLoss[]
  abstract pathOf(chatPath: string): string
  abstract native(): NativeBody

  settings(): Settings {
    return this.replaced ?? this.source.settings.settings
  }

  thinking(): ThinkingSetting | undefined {
    const { settings, thinking } = this.source.settings
    // An effort that the target sets takes the place of all that the caller has said.
    const isReplaced = this.replaced && this.replaced.reasoning_effort !== settings.reasoning_effort
    return isReplaced ? undefined : thinking
  }

  turns(): readonly Turn[] {
    return this.source.conversation.turns
  }

  chat(): ChatRequest {
    this.#chat ??= { ...this.settings(), messages: this.source.chat.messages }
    return this.#chat
  }

  withSettings(settings: Settings): GenerateRequest {
    return this.copy(this.source, settings)
  }

  withMaxOutput(tokens: number): GenerateRequest {
    return this.withSettings({ ...this.settings(), max_completion_tokens: tokens })
  }

  forRealm(realmOf: () => string): RealmRequest {
    const source = this.source.forRealm(realmOf)
    const request = source === this.source ? this : this.copy(source, this.replaced)
    return { request, adjustments: source.adjustments }
  }

  withoutReasoning(): GenerateRequest | undefined {
    const source = this.source.withoutReasoning()
    return source && this.copy(source, this.replaced)
  }
}
