import type { Draft } from '../../contracts/draft.ts'
import type { Adjustment } from '../../contracts/provider.ts'
import type { BodyEdit } from '../../conversation/body-edit.ts'
import type { NativeBody, Settings } from '../../conversation/generate-request.ts'
import type { ServerTools } from '../../conversation/server-tools.ts'
import { type RequestChanges, SourceGenerateRequest } from '../../conversation/source-generate-request.ts'
import { renamedPath } from '../../conversation/turns-generate-request.ts'
import {
  type ChatConversation,
  type ConversationLoss,
  turnsToChat,
} from '../../conversation/turns-to-chat.ts'
import type { JsonObject } from '../../protocol/chat.ts'
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

/** A request in the Messages API. */
export class MessagesGenerateRequest extends SourceGenerateRequest<RequestSource> {
  readonly dialect = 'messages'

  protected copy(source: RequestSource, changes: RequestChanges): MessagesGenerateRequest {
    return new MessagesGenerateRequest(source, changes)
  }

  losses(): readonly ConversationLoss[] {
    const { conversation, chat } = this.source
    const found = [...chat.losses]
    if (conversation.prefill !== undefined) found.push({ path: conversation.prefill, ...losses.prefill })
    const thinking = this.thinking()
    if (thinking?.budgetTokens !== undefined && !thinking.hasEffort) {
      found.push({ path: 'thinking', kind: 'mapped', why: `an effort: ${this.settings().reasoning_effort}` })
    }
    return found
  }

  translationLosses(): readonly ConversationLoss[] {
    const { conversation, settings } = this.source
    return [...conversation.losses, ...settings.losses]
  }

  pathOf(chatPath: string): string {
    if (chatPath.startsWith('messages[')) return this.source.chat.pathOf(chatPath)
    const { renamed, toolIndices } = this.source.settings
    return renamedPath(withOwnIndex(chatPath, toolIndices), renamed)
  }

  protected nativeBody(replaced: Settings | undefined): NativeBody {
    const { draft, text, headers, settings, reasoningEdits } = this.source
    const edits = replaced === undefined ? [] : settingEdits(settings.settings, replaced, draft.body)
    return { text, received: draft.received, headers, edits: [...edits, ...reasoningEdits] }
  }

  protected ownPath(path: string): string {
    return path
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
    return this.#without(sealed.filter(({ realm }) => realm !== own))
  }

  withoutReasoning(): RequestSource | undefined {
    const signed = this.#signedBlocks
    const readable = withoutThoughts(this.body, signed)
    // An answer of another vendor may have begun without a thought, or with one that nobody signed.
    const isNew = signed.length > 0 || (readable.edits !== undefined && this.#edits.length === 0)
    return isNew ? new RequestSource(this.draft, readable) : undefined
  }

  get #signedBlocks(): readonly SignedBlock[] {
    this.#signed ??= signedBlocks(this.body)
    return this.#signed
  }

  #without(left: readonly SignedBlock[]): RequestSource {
    return left.length === 0 ? this : new RequestSource(this.draft, withoutSignatures(this.body, left))
  }

  get settings(): MessagesSettings {
    if (this.#settings === undefined) {
      const { body, headers } = this.draft
      const user = endUserOf(body)
      this.#settings = readSettings(body, user, conversationKeyOf(headers, user))
    }
    return this.#settings
  }

  get serverTools(): ServerTools {
    return this.settings.serverTools
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
