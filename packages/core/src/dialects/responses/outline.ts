import type { RequestHeaders } from '../../contracts/draft.ts'
import type { Outline, OutlineMedia } from '../../contracts/outline.ts'
import type { JsonObject, JsonValue } from '../../protocol/chat.ts'
import { jsonItems, jsonMember, textMembers } from '../../protocol/json-members.ts'
import { measureAudio, measureFile, measureImage, measureLink } from '../../usage/media.ts'
import { addsTools, isWebSearch, readTools } from './tools.ts'
import { sessionHeader } from './wire-names.ts'

/** Looks at the parsed body of a request in the Responses API. Each member is computed when it is read. */
export function responsesOutline(body: JsonObject, _bytes: number, headers?: RequestHeaders): Outline {
  return new ResponsesOutline(body, headers)
}

/** Looks at a request that continues a stored response. `root`: the id of the first response of the conversation. */
export function restoredOutline(
  body: JsonObject,
  headers: RequestHeaders | undefined,
  root: string | undefined,
): Outline {
  return new ResponsesOutline(body, headers, root)
}

/** The headers in which coding clients name their session. The first that is present counts. */
const sessionHeaders = [sessionHeader, 'session-id', 'session_id'] as const

/** A longer name of a session is no name. */
const maxSessionLength = 512

/** Returns what all requests of one conversation share. */
export function conversationKeyOf(body: JsonObject, headers: RequestHeaders | undefined): string | undefined {
  const given = jsonMember(body, 'prompt_cache_key')
  const key =
    (typeof given === 'string' && given) ||
    (headers && sessionHeaders.map(name => headers.get(name)).find(Boolean)) ||
    undefined
  return key !== undefined && key.length <= maxSessionLength ? key : undefined
}

class ResponsesOutline implements Outline {
  readonly #body: JsonObject
  readonly #headers: RequestHeaders | undefined
  readonly #root: string | undefined
  /** Stored, because it takes a pass over all items. */
  #media: readonly OutlineMedia[] | undefined

  constructor(body: JsonObject, headers: RequestHeaders | undefined, root?: string) {
    this.#body = body
    this.#headers = headers
    this.#root = root
  }

  get stream(): boolean {
    return jsonMember(this.#body, 'stream') === true
  }

  get user(): string | undefined {
    return this.#text('user') ?? this.#text('safety_identifier')
  }

  get metadata(): Readonly<Record<string, string>> | undefined {
    return textMembers(jsonMember(this.#body, 'metadata'))
  }

  get conversationKey(): string | undefined {
    return conversationKeyOf(this.#body, this.#headers) ?? this.#root
  }

  get hasTools(): boolean {
    return this.#toolLists().some(tools => tools.length > 0)
  }

  get media(): readonly OutlineMedia[] {
    this.#media ??= mediaOf(this.#items('input'))
    return this.#media
  }

  get maxOutputTokens(): number | undefined {
    const bound = jsonMember(this.#body, 'max_output_tokens')
    return Number.isSafeInteger(bound) && (bound as number) >= 0 ? (bound as number) : undefined
  }

  get hasAudio(): boolean {
    return this.media.some(({ kind }) => kind === 'audio')
  }

  get serviceTier(): string | undefined {
    return this.#text('service_tier')
  }

  get searchesWeb(): boolean {
    return this.offersWebSearch && readTools(this.#body).serverTools.areNeeded
  }

  /** Codex offers it in each request. */
  get offersWebSearch(): boolean {
    return this.#toolLists().some(tools => tools.some(isSearch))
  }

  /** The tools of the request, and those that items of its input add. */
  #toolLists(): (readonly JsonValue[])[] {
    const ofItems = this.#items('input')
      .filter(addsTools)
      .map(item => jsonItems(jsonMember(item, 'tools')))
    return [this.#items('tools'), ...ofItems]
  }

  #text(name: string): string | undefined {
    const value = jsonMember(this.#body, name)
    return typeof value === 'string' ? value : undefined
  }

  #items(name: string): readonly JsonValue[] {
    return jsonItems(jsonMember(this.#body, name))
  }
}

function isSearch(tool: JsonValue): boolean {
  const type = jsonMember(tool, 'type')
  return typeof type === 'string' && isWebSearch(type)
}

const noMedia: readonly OutlineMedia[] = Object.freeze([])

function mediaOf(items: readonly JsonValue[]): readonly OutlineMedia[] {
  const found: OutlineMedia[] = []
  for (const item of items) {
    for (const name of ['content', 'output']) {
      for (const part of jsonItems(jsonMember(item, name))) {
        const media = measurePart(part)
        if (media !== undefined) found.push(media)
      }
    }
  }
  return found.length === 0 ? noMedia : found
}

function measurePart(part: JsonValue): OutlineMedia | undefined {
  switch (jsonMember(part, 'type')) {
    case 'input_image':
      return measureImage(jsonMember(part, 'image_url'), jsonMember(part, 'detail') === 'low')
    case 'input_file': {
      const link = jsonMember(part, 'file_url')
      if (typeof link === 'string') return measureLink('file', link)
      return measureFile(jsonMember(part, 'file_data'), jsonMember(part, 'filename'))
    }
    case 'input_audio': {
      const audio = jsonMember(part, 'input_audio')
      return measureAudio(jsonMember(audio, 'data') ?? audio)
    }
    default:
      return undefined
  }
}
