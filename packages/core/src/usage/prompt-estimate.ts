import type { Draft } from '../contracts/draft.ts'
import type { JsonValue } from '../protocol/chat.ts'
import { jsonItems, jsonMember } from '../protocol/json-members.ts'

/** A media part of a message: it counts as a fixed number of tokens instead of by its bytes. */
interface Media {
  readonly tokens: number
  /** Size of its base64 text within the request. */
  readonly inlineBytes: number
}

/**
 * Returns a high estimate of the tokens of a prompt: one per three bytes, which is rather too many for any language and
 * vendor, plus an allowance per image, audio, file and video. The body may be invalid: all other content counts by its bytes.
 */
export function promptEstimate({ body, bytes }: Draft): number {
  let textBytes = bytes
  let tokens = 0
  for (const message of jsonItems(jsonMember(body, 'messages'))) {
    for (const part of jsonItems(jsonMember(message, 'content'))) {
      const media = mediaOf(part)
      if (media === undefined) continue
      textBytes -= media.inlineBytes
      tokens += media.tokens
    }
  }
  return Math.max(1, tokens + Math.ceil(Math.max(0, textBytes) / 3))
}

function mediaOf(part: JsonValue): Media | undefined {
  const type = jsonMember(part, 'type')
  if (type === 'image_url') {
    const image = jsonMember(part, 'image_url')
    const low = jsonMember(image, 'detail') === 'low'
    const tokens = low ? mediaAllowance.lowImage : mediaAllowance.image
    return { tokens, inlineBytes: base64Bytes(textOf(image) || textOf(jsonMember(image, 'url')), 'url') }
  }
  if (type === 'input_audio') {
    const audio = jsonMember(part, 'input_audio')
    const data = textOf(audio) || textOf(jsonMember(audio, 'data'))
    return { tokens: mediaAllowance.audio, inlineBytes: base64Bytes(data, 'plain') }
  }
  const linked = typeof type === 'string' ? linkedMedia.get(type) : undefined
  if (linked !== undefined) {
    const link = jsonMember(part, type as string)
    const url = textOf(link) || textOf(jsonMember(link, 'url'))
    if (linked === 'file' && /^data:/i.test(url) && isText(url, '')) return undefined
    return { tokens: mediaAllowance[linked], inlineBytes: base64Bytes(url, 'url') }
  }
  if (type !== 'file') return undefined
  const file = jsonMember(part, 'file')
  const data = textOf(jsonMember(file, 'file_data'))
  if (isText(data, textOf(jsonMember(file, 'filename')))) return undefined
  return { tokens: mediaAllowance.file, inlineBytes: base64Bytes(data, 'plain') }
}

/** Request extensions that are parts with a link, by type. */
const linkedMedia: ReadonlyMap<string, 'audio' | 'video' | 'file'> = new Map([
  ['document_url', 'file'],
  ['file_url', 'file'],
  ['audio_url', 'audio'],
  ['video_url', 'video'],
])

/** Returns whether a file is text, which counts by its bytes. */
function isText(data: string, filename: string): boolean {
  const head = data.slice(0, 40)
  if (/^data:/i.test(head))
    return !/^data:(?:image|audio|video|application\/(?:pdf|vnd\.|msword))/i.test(head)
  return data !== '' && !/\.(?:pdf|docx?|xlsx?|pptx?|png|jpe?g|gif|webp)$/i.test(filename)
}

/** Returns the size of base64 text; 0 for a URL that is no data URL, or one without base64. */
function base64Bytes(text: string, form: 'url' | 'plain'): number {
  const head = text.slice(0, 200)
  if (!/^data:/i.test(head)) return form === 'plain' ? text.length : 0
  const comma = head.indexOf(',')
  return /;base64$/i.test(head.slice(0, comma)) ? text.length - comma - 1 : 0
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : ''
}

/**
 * Tokens to reserve for a media part, instead of its bytes. Vendors count images by pixels, audio by duration and files by
 * pages, which is unknown before the response. The vendor's counts replace them when the request ends.
 *
 * | Part | Tokens |
 * |---|---|
 * | image, `detail: 'low'` | 100 |
 * | image | 1,600 |
 * | audio | 2,000 |
 * | file or document, but for text, which counts by its bytes | 8,000 |
 * | video | 16,000 |
 */
export const mediaAllowance = {
  lowImage: 100,
  image: 1_600,
  audio: 2_000,
  file: 8_000,
  video: 16_000,
} as const
