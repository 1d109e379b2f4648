import type { Outline, OutlineMedia } from '../../contracts/outline.ts'
import type { JsonObject, JsonValue } from '../../protocol/chat.ts'
import { jsonItems, jsonMember, textMembers } from '../../protocol/json-members.ts'
import { measureAudio, measureFile, measureImage, measureLink } from '../../usage/media.ts'

/**
 * Looks at the parsed body of a chat completion. Each member is computed when it is read: a request whose routes and limits
 * read nothing costs nothing.
 */
export function chatOutline(body: JsonObject): Outline {
  return new ChatOutline(body)
}

class ChatOutline implements Outline {
  readonly #body: JsonObject
  /** Stored, because it takes a pass over all messages. */
  #media: readonly OutlineMedia[] | undefined

  constructor(body: JsonObject) {
    this.#body = body
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
    return this.#text('prompt_cache_key')
  }

  /** Counts the deprecated `functions` too. */
  get hasTools(): boolean {
    return this.#items('tools').length > 0 || this.#items('functions').length > 0
  }

  get media(): readonly OutlineMedia[] {
    this.#media ??= mediaOf(this.#items('messages'))
    return this.#media
  }

  get promptTokens(): undefined {
    return undefined
  }

  get choices(): number {
    const n = jsonMember(this.#body, 'n')
    return isCount(n) && n >= 1 && n <= 128 ? n : 1
  }

  /** Of two maximums the greater one counts, because vendors differ in which they apply. */
  get maxOutputTokens(): number | undefined {
    const bound = jsonMember(this.#body, 'max_completion_tokens')
    const older = jsonMember(this.#body, 'max_tokens')
    if (!isCount(bound)) return isCount(older) ? older : undefined
    return isCount(older) ? Math.max(bound, older) : bound
  }

  get hasAudio(): boolean {
    return (
      this.media.some(({ kind }) => kind === 'audio') ||
      this.#items('messages').some(message => (jsonMember(message, 'audio') ?? null) !== null)
    )
  }

  get wantsAudio(): boolean {
    return this.#items('modalities').includes('audio')
  }

  get serviceTier(): string | undefined {
    return this.#text('service_tier')
  }

  get searchesWeb(): boolean {
    return (jsonMember(this.#body, 'web_search_options') ?? null) !== null
  }

  #text(name: string): string | undefined {
    const value = jsonMember(this.#body, name)
    return typeof value === 'string' ? value : undefined
  }

  #items(name: string): readonly JsonValue[] {
    return jsonItems(jsonMember(this.#body, name))
  }
}

const noMedia: readonly OutlineMedia[] = Object.freeze([])

function mediaOf(messages: readonly JsonValue[]): readonly OutlineMedia[] {
  let found: OutlineMedia[] | undefined
  for (const message of messages) {
    for (const part of jsonItems(jsonMember(message, 'content'))) {
      const media = measurePart(part)
      if (media === undefined) continue
      found ??= []
      found.push(media)
    }
  }
  return found ?? noMedia
}

function measurePart(part: JsonValue): OutlineMedia | undefined {
  switch (jsonMember(part, 'type')) {
    case 'image_url': {
      const image = jsonMember(part, 'image_url')
      return measureImage(jsonMember(image, 'url') ?? image, jsonMember(image, 'detail') === 'low')
    }
    case 'input_audio': {
      const audio = jsonMember(part, 'input_audio')
      return measureAudio(jsonMember(audio, 'data') ?? audio)
    }
    case 'file': {
      const file = jsonMember(part, 'file')
      return measureFile(jsonMember(file, 'file_data'), jsonMember(file, 'filename'))
    }
    case 'document_url':
    case 'file_url':
      return measureLink('file', linkOf(part))
    case 'audio_url':
      return measureLink('audio', linkOf(part))
    case 'video_url':
      return measureLink('video', linkOf(part))
    default:
      return undefined
  }
}

/** Returns the link of a part, as text or as the `url` of an object. */
function linkOf(part: JsonValue): JsonValue | undefined {
  const link = jsonMember(part, String(jsonMember(part, 'type')))
  return jsonMember(link, 'url') ?? link
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0
}
