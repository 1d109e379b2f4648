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
import { removals, type ServerTools } from './server-tools.ts'
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
  /** The tools that the vendor of the protocol runs. */
  readonly serverTools: ServerTools
  /** As `GenerateRequest.forRealm`; the same source if nothing is left out. */
  forRealm(realmOf: () => string): Self
  /** As `GenerateRequest.withoutReasoning`. */
  withoutReasoning(): Self | undefined
}

/** How a request differs from its source. */
export interface RequestChanges {
  /** Settings that replace those of the body. */
  readonly settings?: Settings
  /** Whether the tools of the source that a vendor runs are left out. */
  readonly leavesOutServerTools?: boolean
  /** Whether it is translated for vendors that speak its dialect, too. */
  readonly isTranslated?: boolean
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
  readonly #changes: RequestChanges
  #chat: ChatRequest | undefined

  constructor(source: Source, changes: RequestChanges = {}) {
    const { model, body } = source.draft
    this.model = model
    this.stream = jsonMember(body, 'stream') === true
    this.body = body
    this.source = source
    this.#changes = changes
  }

  protected abstract copy(source: Source, changes: RequestChanges): GenerateRequest
  /** Returns the body as it came, with the settings that replace its own, if there are any. */
  protected abstract nativeBody(replaced: Settings | undefined): NativeBody
  /** Returns the path in the request that the caller sent, for one in the body. */
  protected abstract ownPath(path: string): string
  abstract losses(): readonly ConversationLoss[]
  abstract translationLosses(): readonly ConversationLoss[]
  abstract pathOf(chatPath: string): string

  settings(): Settings {
    return this.#changes.settings ?? this.source.settings.settings
  }

  thinking(): ThinkingSetting | undefined {
    const { settings, thinking } = this.source.settings
    // An effort that the target sets takes the place of all that the caller has said.
    const replaced = this.#changes.settings
    const isReplaced = replaced && replaced.reasoning_effort !== settings.reasoning_effort
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
    return this.copy(this.source, { ...this.#changes, settings })
  }

  withMaxOutput(tokens: number): GenerateRequest {
    return this.withSettings({ ...this.settings(), max_completion_tokens: tokens })
  }

  forRealm(realmOf: () => string): RealmRequest {
    const source = this.source.forRealm(realmOf)
    const request = source === this.source ? this : this.copy(source, this.#changes)
    return { request, adjustments: source.adjustments }
  }

  withoutReasoning(): GenerateRequest | undefined {
    const source = this.source.withoutReasoning()
    return source && this.copy(source, this.#changes)
  }

  withoutServerTools(): GenerateRequest | undefined {
    const { source } = this
    if (source.serverTools.areNeeded) return undefined
    return this.copy(source, { ...this.#changes, leavesOutServerTools: true })
  }

  asTranslated(): GenerateRequest {
    return this.copy(this.source, { ...this.#changes, isTranslated: true })
  }

  native(): NativeBody | undefined {
    const { settings, leavesOutServerTools, isTranslated } = this.#changes
    if (isTranslated === true) return undefined
    const body = this.nativeBody(settings)
    if (leavesOutServerTools !== true) return body
    const { paths } = this.source.serverTools
    return {
      ...body,
      edits: [...body.edits, ...removals(paths)],
      adjustments: [...(body.adjustments ?? []), ...paths.map(path => this.#leftOut(path))],
    }
  }

  #leftOut(path: string): Adjustment {
    return { parameter: this.ownPath(path), action: 'dropped', detail: 'not allowed with this API key' }
  }
}
