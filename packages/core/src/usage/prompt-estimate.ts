import type { Draft } from '../contracts/draft.ts'
import type { JsonValue } from '../protocol/chat.ts'
import { jsonItems, jsonMember } from '../protocol/json-members.ts'

/** A part of a message that does not count by its bytes: what stands in their place, and how many they are. */
interface Media {
  readonly tokens: number
  /** Of base64 text within the request. */
  readonly inlineBytes: number
}

/**
 * The most tokens that a prompt is likely to have: a third of its bytes, which is too much rather than too little for
 * any language and vendor, and a fixed allowance for each image, audio or file. The body need not be valid: what is no
 * part of a message counts by its bytes.
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
    return { tokens, inlineBytes: base64Bytes(textOf(jsonMember(image, 'url')), 'url') }
  }
  if (type === 'input_audio') {
    const data = textOf(jsonMember(jsonMember(part, 'input_audio'), 'data'))
    return { tokens: mediaAllowance.audio, inlineBytes: base64Bytes(data, 'plain') }
  }
  if (type !== 'file') return undefined
  const file = jsonMember(part, 'file')
  const data = textOf(jsonMember(file, 'file_data'))
  if (isText(data, textOf(jsonMember(file, 'filename')))) return undefined
  return { tokens: mediaAllowance.file, inlineBytes: base64Bytes(data, 'plain') }
}

/** Some vendors read a text file as it is, others its pages: it counts like any other text. */
function isText(data: string, filename: string): boolean {
  const head = data.slice(0, 40)
  if (/^data:/i.test(head))
    return !/^data:(?:image|audio|video|application\/(?:pdf|vnd\.|msword))/i.test(head)
  return data !== '' && !/\.(?:pdf|docx?|xlsx?|pptx?|png|jpe?g|gif|webp)$/i.test(filename)
}

/** How many bytes of a request base64 text takes; nothing where a URL leads elsewhere or has its data in the clear. */
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
 * The tokens that a part of a message is reserved for in the place of its bytes. Vendors count images by their size in
 * pixels, audio by its length, files by their pages: none of that is known before the answer. What a vendor counted is
 * settled in the end.
 *
 * | Part | Tokens |
 * |---|---|
 * | image, `detail: 'low'` | 100 |
 * | image | 1,600 |
 * | audio | 2,000 |
 * | file, but for text, which counts by its bytes | 8,000 |
 */
export const mediaAllowance = { lowImage: 100, image: 1_600, audio: 2_000, file: 8_000 } as const
