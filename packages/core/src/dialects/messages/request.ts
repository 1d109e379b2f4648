import type { Draft } from '../../contracts/draft.ts'
import type { Adjustment } from '../../contracts/provider.ts'
import type { BodyEdit } from '../../conversation/body-edit.ts'
import type {
  GenerateRequest,
  NativeBody,
  RealmRequest,
  Settings,
  ThinkingSetting,
} from '../../conversation/generate-request.ts'
import type { Turn } from '../../conversation/turns.ts'
import { renamedPath } from '../../conversation/turns-generate-request.ts'
import {
  type ChatConversation,
  type ConversationLoss,
  turnsToChat,
} from '../../conversation/turns-to-chat.ts'
import type { ChatRequest, JsonObject } from '../../protocol/chat.ts'
import { jsonMember } from '../../protocol/json-members.ts'
import { endUserOf } from './end-user.ts'
import { losses } from './losses.ts'
import { reasoningEdits, settingEdits } from './native-edits.ts'
import { conversationKeyOf } from './outline.ts'
import {
  type ReadableBody,
  type SignedBlock,
  signedBlocks,
  withoutSignatures,
  withoutThoughts,
} from './readable-reasoning.ts'
import { type MessagesSettings, readSettings } from './settings.ts'
import { type MessagesConversation, messagesToTurns } from './to-turns.ts'
import { betaHeader, versionHeader } from './wire-names.ts'

/** A request in the Messages API. Nothing of it is read before it is needed: a vendor that speaks the protocol gets its text. */
export class MessagesGenerateRequest implements GenerateRequest {
  readonly dialect = 'messages'
  readonly model: string
  readonly stream: boolean
  readonly body: JsonObject
  readonly #source: RequestSource
  /** Settings that replace those of the body. */
  readonly #replaced: Settings | undefined
  #chat: ChatRequest | undefined

  constructor(source: RequestSource, replaced?: Settings) {
    const { draft } = source
    this.model = draft.model
    this.stream = jsonMember(draft.body, 'stream') === true
    this.body = draft.body
    this.#source = source
    this.#replaced = replaced
  }

  settings(): Settings {
    return this.#replaced ?? this.#source.settings.settings
  }

  thinking(): ThinkingSetting | undefined {
    const { settings, thinking } = this.#source.settings
    // An effort that the target sets takes the place of all that the caller has said.
    const isReplaced = this.#replaced && this.#replaced.reasoning_effort !== settings.reasoning_effort
    return isReplaced ? undefined : thinking
  }

  turns(): readonly Turn[] {
    return this.#source.conversation.turns
  }

  chat(): ChatRequest {
    this.#chat ??= { ...this.settings(), messages: this.#source.chat.messages }
    return this.#chat
  }

  losses(): readonly ConversationLoss[] {
    const { conversation, chat } = this.#source
    const found = [...chat.losses]
    if (conversation.prefill !== undefined) found.push({ path: conversation.prefill, ...losses.prefill })
    const thinking = this.thinking()
    if (thinking?.budgetTokens !== undefined && !thinking.hasEffort) {
      found.push({ path: 'thinking', kind: 'mapped', why: `an effort: ${this.settings().reasoning_effort}` })
    }
    return found
  }

  translationLosses(): readonly ConversationLoss[] {
    const { conversation, settings } = this.#source
    return [...conversation.losses, ...settings.losses]
  }

  pathOf(chatPath: string): string {
    if (chatPath.startsWith('messages[')) return this.#source.chat.pathOf(chatPath)
    const { renamed, toolIndices } = this.#source.settings
    return renamedPath(withOwnIndex(chatPath, toolIndices), renamed)
  }

  withSettings(settings: Settings): MessagesGenerateRequest {
    return new MessagesGenerateRequest(this.#source, settings)
  }

  withMaxOutput(tokens: number): MessagesGenerateRequest {
    return this.withSettings({ ...this.settings(), max_completion_tokens: tokens })
  }

  forRealm(realmOf: () => string): RealmRequest {
    const source = this.#source.forRealm(realmOf)
    const request = source === this.#source ? this : new MessagesGenerateRequest(source, this.#replaced)
    return { request, adjustments: source.adjustments }
  }

  withoutReasoning(): MessagesGenerateRequest | undefined {
    const source = this.#source.withoutReasoning()
    return source && new MessagesGenerateRequest(source, this.#replaced)
  }

  native(): NativeBody {
    const { draft, text, headers } = this.#source
    const edits =
      this.#replaced === undefined
        ? []
        : settingEdits(this.#source.settings.settings, this.#replaced, draft.body)
    return { text, headers, edits: [...edits, ...this.#source.reasoningEdits] }
  }
}

/** What a request and its copies with other settings have in common. Each view is computed when it is first read. */
export class RequestSource {
  readonly draft: Draft
  /** The body, without the reasoning that its target cannot read. */
  readonly body: JsonObject
  /** What of it was left out. */
  readonly adjustments: readonly Adjustment[]
  readonly #edits: readonly BodyEdit[]
  #signed: readonly SignedBlock[] | undefined
  #settings: MessagesSettings | undefined
  #conversation: MessagesConversation | undefined
  #chat: ChatConversation | undefined
  #text: string | undefined
  #reasoningEdits: readonly BodyEdit[] | undefined

  constructor(draft: Draft, readable: ReadableBody = { body: draft.body, adjustments: [] }) {
    this.draft = draft
    this.body = readable.body
    this.adjustments = readable.adjustments
    this.#edits = readable.edits ?? []
  }

  /** Returns the source for a target. Signatures of vendors stay: those of other vendors are not sent by their providers. */
  forRealm(realmOf: () => string): RequestSource {
    const sealed = this.#signedBlocks.filter(({ realm }) => realm !== undefined)
    if (sealed.length === 0) return this
    const own = realmOf()
    return this.#without(
      sealed.filter(({ realm }) => realm !== own),
      'only another vendor, account or region can read it',
    )
  }

  withoutReasoning(): RequestSource | undefined {
    const signed = this.#signedBlocks
    return signed.length === 0 ? undefined : new RequestSource(this.draft, withoutThoughts(this.body, signed))
  }

  get #signedBlocks(): readonly SignedBlock[] {
    this.#signed ??= signedBlocks(this.body)
    return this.#signed
  }

  #without(left: readonly SignedBlock[], why: string): RequestSource {
    return left.length === 0 ? this : new RequestSource(this.draft, withoutSignatures(this.body, left, why))
  }

  get settings(): MessagesSettings {
    if (this.#settings === undefined) {
      const { body, headers } = this.draft
      const user = endUserOf(body)
      this.#settings = readSettings(body, user, conversationKeyOf(headers, user))
    }
    return this.#settings
  }

  get conversation(): MessagesConversation {
    this.#conversation ??= messagesToTurns(this.body)
    return this.#conversation
  }

  get chat(): ChatConversation {
    this.#chat ??= turnsToChat(this.conversation.turns)
    return this.#chat
  }

  /** The JSON text of the body, also of one that the host has parsed. */
  get text(): string {
    this.#text ??= this.draft.text ?? JSON.stringify(this.draft.body)
    return this.#text
  }

  get reasoningEdits(): readonly BodyEdit[] {
    this.#reasoningEdits ??= [...this.#edits, ...reasoningEdits(this.body)]
    return this.#reasoningEdits
  }

  /** The caller's headers that a vendor of the protocol reads. */
  get headers(): Readonly<Record<string, string>> {
    const headers: Record<string, string> = {}
    for (const name of [versionHeader, betaHeader]) {
      const value = this.draft.headers?.get(name)
      if (value) headers[name] = value
    }
    return headers
  }
}

const toolPath = /^tools\[(\d+)\]/

/** Returns the path with the index that a tool has in the caller's list, which may hold others in front of it. */
function withOwnIndex(path: string, indices: readonly number[]): string {
  return path.replace(toolPath, (all, index: string) => {
    const own = indices[Number(index)]
    return own === undefined ? all : `tools[${own}]`
  })
}
