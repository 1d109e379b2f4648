import type { RequestHeaders } from '../../contracts/draft.ts'
import type { Outline, OutlineMedia } from '../../contracts/outline.ts'
import type { JsonObject, JsonValue } from '../../protocol/chat.ts'
import { jsonItems, jsonMember } from '../../protocol/json-members.ts'
import { mediaAllowance } from '../../usage/media.ts'
import { type EndUser, endUserOf } from './end-user.ts'
import { sessionHeader } from './wire-names.ts'

/** Looks at the parsed body of a request in the Messages API. Each member is computed when it is read. */
export function messagesOutline(body: JsonObject, _bytes: number, headers?: RequestHeaders): Outline {
  return new MessagesOutline(body, headers)
}

/** A longer name of a session is no name. */
const maxSessionLength = 512

class MessagesOutline implements Outline {
  readonly #body: JsonObject
  readonly #headers: RequestHeaders | undefined
  /** Stored, because it takes a pass over all messages. */
  #media: readonly OutlineMedia[] | undefined
  #endUser: EndUser | null | undefined

  constructor(body: JsonObject, headers: RequestHeaders | undefined) {
    this.#body = body
    this.#headers = headers
  }

  get stream(): boolean {
    return jsonMember(this.#body, 'stream') === true
  }

  get user(): string | undefined {
    return this.#namedUser()?.user
  }

  get conversationKey(): string | undefined {
    return conversationKeyOf(this.#headers, this.#namedUser())
  }

  get hasTools(): boolean {
    return jsonItems(jsonMember(this.#body, 'tools')).length > 0
  }

  get media(): readonly OutlineMedia[] {
    this.#media ??= mediaOf(this.#body)
    return this.#media
  }

  get maxOutputTokens(): number | undefined {
    const bound = jsonMember(this.#body, 'max_tokens')
    return Number.isSafeInteger(bound) && (bound as number) >= 0 ? (bound as number) : undefined
  }

  get serviceTier(): string | undefined {
    const tier = jsonMember(this.#body, 'service_tier')
    return typeof tier === 'string' ? tier : undefined
  }

  get searchesWeb(): boolean {
    return jsonItems(jsonMember(this.#body, 'tools')).some(isWebSearch)
  }

  #namedUser(): EndUser | undefined {
    this.#endUser ??= endUserOf(this.#body) ?? null
    return this.#endUser ?? undefined
  }
}

/** Returns the name of the session of a request, if its client has one. */
export function conversationKeyOf(
  headers: RequestHeaders | undefined,
  user: EndUser | undefined,
): string | undefined {
  const session = headers?.get(sessionHeader) || user?.session
  return session !== undefined && session.length <= maxSessionLength ? session : undefined
}

/** Whether a tool is the vendor's search of the web. */
export function isWebSearch(tool: JsonValue): boolean {
  const type = jsonMember(tool, 'type')
  return typeof type === 'string' && type.startsWith('web_search_')
}

const noMedia: readonly OutlineMedia[] = Object.freeze([])

function mediaOf(body: JsonObject): readonly OutlineMedia[] {
  const found: OutlineMedia[] = []
  for (const message of jsonItems(jsonMember(body, 'messages'))) {
    for (const block of jsonItems(jsonMember(message, 'content'))) {
      addMedia(block, found)
      if (jsonMember(block, 'type') !== 'tool_result') continue
      for (const inner of jsonItems(jsonMember(block, 'content'))) addMedia(inner, found)
    }
  }
  return found.length === 0 ? noMedia : found
}

function addMedia(block: JsonValue, found: OutlineMedia[]): void {
  const source = jsonMember(block, 'source')
  switch (jsonMember(block, 'type')) {
    case 'image':
      found.push({ kind: 'image', tokens: mediaAllowance.image, inlineBytes: base64Bytes(source) })
      break
    case 'document':
      if (jsonMember(source, 'type') === 'content') {
        for (const part of jsonItems(jsonMember(source, 'content'))) {
          if (jsonMember(part, 'type') === 'image') addMedia(part, found)
        }
      } else if (!isText(source)) {
        found.push({ kind: 'file', tokens: mediaAllowance.file, inlineBytes: base64Bytes(source) })
      }
      break
  }
}

/** Whether a document is text, which counts by its bytes. */
function isText(source: JsonValue | undefined): boolean {
  if (jsonMember(source, 'type') === 'text') return true
  const mediaType = jsonMember(source, 'media_type')
  return typeof mediaType === 'string' && mediaType.startsWith('text/')
}

function base64Bytes(source: JsonValue | undefined): number {
  const data = jsonMember(source, 'data')
  return jsonMember(source, 'type') === 'base64' && typeof data === 'string' ? data.length : 0
}
