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
import { jsonItems, jsonMember } from '../../protocol/json-members.ts'
import { isBareReasoning } from './account-ids.ts'
import { backgroundEdits, reasoningEdits, settingEdits } from './native-edits.ts'
import { conversationKeyOf } from './outline.ts'
import { ownPath, trimmedTurnPath } from './own-path.ts'
import {
  type EncryptedItem,
  encryptedItems,
  type ReadableBody,
  withoutEncrypted,
} from './readable-reasoning.ts'
import { type ResponsesSettings, readSettings } from './settings.ts'
import { type ResponsesConversation, responsesToTurns } from './to-turns.ts'
import type { ToolNames } from './tool-names.ts'

/** A request in the Responses API. */
export class ResponsesGenerateRequest extends SourceGenerateRequest<RequestSource> {
  readonly dialect = 'responses'

  protected copy(source: RequestSource, changes: RequestChanges): ResponsesGenerateRequest {
    return new ResponsesGenerateRequest(source, changes)
  }

  /** The tools of the caller, by the names under which other vendors know them. */
  get toolNames(): ToolNames {
    return this.source.settings.tools.names
  }

  losses(): readonly ConversationLoss[] {
    return this.#own(this.source.chat.losses, trimmedTurnPath)
  }

  translationLosses(): readonly ConversationLoss[] {
    const { conversation, settings } = this.source
    return [...this.#own(conversation.losses, trimmedTurnPath), ...this.#own(settings.losses, ownPath)]
  }

  pathOf(chatPath: string): string {
    const { settings, chat, draft } = this.source
    if (chatPath.startsWith('messages[')) return this.turnPath(chat.pathOf(chatPath))
    return ownPath(renamedPath(toolPathOf(chatPath, settings.tools.paths), settings.renamed), draft.restored)
  }

  turnPath(path: string): string {
    return trimmedTurnPath(path, this.source.draft.restored)
  }

  /** Returns losses with the paths of the request that the caller sent. */
  #own(losses: readonly ConversationLoss[], pathOf: typeof ownPath): readonly ConversationLoss[] {
    const { restored } = this.source.draft
    return restored === undefined
      ? losses
      : losses.map(each => ({ ...each, path: pathOf(each.path, restored) }))
  }

  protected nativeBody(replaced: Settings | undefined): NativeBody {
    const { draft, text, settings, reasoningEdits, bareReasoning } = this.source
    const edits = replaced === undefined ? [] : settingEdits(settings.settings, replaced)
    const own = backgroundEdits(draft.body)
    const adjustments = bareReasoning.map(
      (index): Adjustment => ({
        parameter: this.ownPath(`input[${index}]`),
        action: 'dropped',
        detail: 'it has no encrypted content, and the vendor stores nothing',
      }),
    )
    const { received } = draft
    return { text, received, headers: {}, edits: [...own, ...edits, ...reasoningEdits], adjustments }
  }

  protected ownPath(path: string): string {
    return ownPath(path, this.source.draft.restored)
  }
}

/** What a request and its copies with other settings have in common. Each view is computed when it is first read. */
export class RequestSource {
  readonly draft: Draft
  readonly #readable: ReadableBody
  #encrypted: readonly EncryptedItem[] | undefined
  #settings: ResponsesSettings | undefined
  #conversation: ResponsesConversation | undefined
  #chat: ChatConversation | undefined
  #text: string | undefined
  #reasoningEdits: readonly BodyEdit[] | undefined
  #bareReasoning: readonly number[] | undefined

  constructor(draft: Draft, readable: ReadableBody = { body: draft.body, adjustments: [], left: [] }) {
    this.draft = draft
    this.#readable = readable
  }

  get adjustments(): ReadableBody['adjustments'] {
    const { restored } = this.draft
    const { adjustments } = this.#readable
    return restored === undefined
      ? adjustments
      : adjustments.map(each => ({ ...each, parameter: ownPath(each.parameter, restored) }))
  }

  /** Returns the source for a target. What a vendor has encrypted stays: providers of other vendors do not send it. */
  forRealm(realmOf: () => string): RequestSource {
    const sealed = this.#encryptedItems.filter(({ realm }) => realm !== undefined)
    if (sealed.length === 0) return this
    const own = realmOf()
    return this.#without(sealed.filter(({ realm }) => realm !== own))
  }

  withoutReasoning(): RequestSource | undefined {
    const encrypted = this.#encryptedItems
    return encrypted.length === 0 ? undefined : this.#without(encrypted, 'the vendor refused it')
  }

  get #encryptedItems(): readonly EncryptedItem[] {
    this.#encrypted ??= encryptedItems(this.#readable.body)
    return this.#encrypted
  }

  #without(left: readonly EncryptedItem[], why?: string): RequestSource {
    if (left.length === 0) return this
    const readable = withoutEncrypted(this.#readable.body, left, why)
    return new RequestSource(this.draft, { ...readable, left: [...this.#readable.left, ...readable.left] })
  }

  get settings(): ResponsesSettings {
    const { body, headers } = this.draft
    this.#settings ??= readSettings(body, conversationKeyOf(body, headers))
    return this.#settings
  }

  get serverTools(): ServerTools {
    return this.settings.tools.serverTools
  }

  get conversation(): ResponsesConversation {
    this.#conversation ??= responsesToTurns(this.#readable.body, this.settings.tools, this.draft.restored)
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
    this.#reasoningEdits ??= reasoningEdits(this.#readable.body, [
      ...this.#readable.left,
      ...this.bareReasoning,
    ])
    return this.#reasoningEdits
  }

  /** The items of reasoning that only name what a vendor has stored. */
  get bareReasoning(): readonly number[] {
    this.#bareReasoning ??= jsonItems(jsonMember(this.draft.body, 'input')).flatMap((item, index) =>
      isBareReasoning(item) ? [index] : [],
    )
    return this.#bareReasoning
  }
}

const toolPath = /^tools\[(\d+)\](?:\.(?:function|custom)\b)?/

/** Returns the path with the caller's path of a tool, which may be in a namespace or an item of the input. */
function toolPathOf(path: string, paths: readonly string[]): string {
  return path.replace(toolPath, (all, index: string) => paths[Number(index)] ?? all)
}
