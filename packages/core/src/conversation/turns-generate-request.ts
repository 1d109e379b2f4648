import type { ChatRequest, JsonObject } from '../protocol/chat.ts'
import type { GenerateRequest, Settings } from './generate-request.ts'
import type { Turn } from './turns.ts'
import { type ChatConversation, type ConversationLoss, turnsToChat } from './turns-to-chat.ts'

/** What a dialect reads in a request. */
export interface TurnsRequest {
  /** The name of the dialect. */
  readonly dialect: string
  /** The caller's body as it was parsed. */
  readonly body: JsonObject
  readonly settings: Settings
  readonly turns: readonly Turn[]
  /**
   * The caller's names of settings, by their names in chat completions: `{ reasoning_effort: 'reasoning.effort' }`. An index
   * is `[]` in both: `{ 'tools[].function': 'tools[]' }`. A setting that is not here has the same name.
   */
  readonly renamed?: Readonly<Record<string, string>>
}

/** A request in a dialect other than chat completions. The chat request is made from the turns when it is first read. */
export class TurnsGenerateRequest implements GenerateRequest {
  readonly dialect: string
  readonly model: string
  readonly stream: boolean
  readonly body: JsonObject
  readonly #request: TurnsRequest
  readonly #conversation: LazyConversation
  #chat: ChatRequest | undefined

  /** @param origin - a request with the same turns: they are translated once for both. */
  constructor(request: TurnsRequest, origin?: TurnsGenerateRequest) {
    this.dialect = request.dialect
    this.model = request.settings.model
    this.stream = request.settings.stream === true
    this.body = request.body
    this.#request = request
    this.#conversation = origin === undefined ? new LazyConversation(request.turns) : origin.#conversation
  }

  settings(): Settings {
    return this.#request.settings
  }

  turns(): readonly Turn[] {
    return this.#request.turns
  }

  chat(): ChatRequest {
    this.#chat ??= { ...this.#request.settings, messages: this.#conversation.chat().messages }
    return this.#chat
  }

  losses(): readonly ConversationLoss[] {
    return this.#conversation.chat().losses
  }

  pathOf(chatPath: string): string {
    if (chatPath.startsWith('messages[')) return this.#conversation.chat().pathOf(chatPath)
    return renamedPath(chatPath, this.#request.renamed ?? {})
  }

  withSettings(settings: Settings): TurnsGenerateRequest {
    return new TurnsGenerateRequest({ ...this.#request, settings }, this)
  }

  withMaxOutput(tokens: number): TurnsGenerateRequest {
    return this.withSettings({ ...this.#request.settings, max_completion_tokens: tokens })
  }
}

/** The messages of a conversation, made once for all settings. */
class LazyConversation {
  readonly #turns: readonly Turn[]
  #chat: ChatConversation | undefined

  constructor(turns: readonly Turn[]) {
    this.#turns = turns
  }

  chat(): ChatConversation {
    this.#chat ??= turnsToChat(this.#turns)
    return this.#chat
  }
}

const index = /\[\d+\]/g

/**
 * Replaces the longest beginning of a path that has another name. A caller chooses names in the path, and so its length: no more
 * members are looked at than the names have.
 */
export function renamedPath(path: string, renamed: Readonly<Record<string, string>>): string {
  const longest = Math.max(0, ...Object.keys(renamed).map(name => name.split(member).length))
  const ends = beginnings(path, longest)
  for (const end of ends.reverse()) {
    const indices = path.slice(0, end).match(index) ?? []
    const name = path.slice(0, end).replace(index, '[]')
    if (!Object.hasOwn(renamed, name)) continue
    let used = 0
    const renamedTo = renamed[name]!.replaceAll('[]', () => indices[used++] ?? '')
    return renamedTo + path.slice(end)
  }
  return path
}

/** Before each member and index of a path but the first. */
const member = /[.[]/

/** Returns the ends of the first `most` beginnings of a path, the shortest first. */
function beginnings(path: string, most: number): number[] {
  const ends: number[] = []
  for (let end = 0; ends.length < most && end < path.length; ) {
    const next = path.slice(end + 1).search(member)
    end = next === -1 ? path.length : end + 1 + next
    ends.push(end)
  }
  return ends
}
