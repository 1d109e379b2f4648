import type { OutlineMedia } from '../contracts/outline.ts'
import type { JsonValue } from '../protocol/chat.ts'

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

/** Measures an image, given its URL, which may be a data URL or invalid. */
export function measureImage(url: JsonValue | undefined, isLowDetail: boolean): OutlineMedia {
  const tokens = isLowDetail ? mediaAllowance.lowImage : mediaAllowance.image
  return { kind: 'image', tokens, inlineBytes: base64Bytes(textOf(url), 'url') }
}

/** Measures audio, given its base64 text, which may be invalid. */
export function measureAudio(data: JsonValue | undefined): OutlineMedia {
  return { kind: 'audio', tokens: mediaAllowance.audio, inlineBytes: base64Bytes(textOf(data), 'plain') }
}

/** Measures a file, given its base64 text or data URL and its name. Both may be absent or invalid. */
export function measureFile(data: JsonValue | undefined, filename: JsonValue | undefined): OutlineMedia {
  const text = textOf(data)
  if (isText(text, textOf(filename))) return textFile
  return { kind: 'file', tokens: mediaAllowance.file, inlineBytes: base64Bytes(text, 'plain') }
}

/** Measures audio, a file or a video, given its link, which may be a data URL or invalid. */
export function measureLink(kind: 'audio' | 'file' | 'video', url: JsonValue | undefined): OutlineMedia {
  const text = textOf(url)
  if (kind === 'file' && /^data:/i.test(text) && isText(text, '')) return textFile
  return { kind, tokens: mediaAllowance[kind], inlineBytes: base64Bytes(text, 'url') }
}

const textFile: OutlineMedia = Object.freeze({ kind: 'file', tokens: 0, inlineBytes: 0 })

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
