import type { Message } from '../protocol/chat.ts'

/**
 * How many words the messages have: runs of anything but ASCII white space. A prompt has no fewer tokens than that, as
 * the tokenizers in use split text at white space before anything else, and never join two words to one token. Text
 * without spaces, images, audio and files count next to nothing.
 */
export function wordCount(messages: readonly Message[]): number {
  let words = 0
  for (const { content } of messages) {
    if (typeof content === 'string') words += wordsOf(content)
    else for (const part of content ?? []) if ('text' in part) words += wordsOf(part.text)
  }
  return words
}

function wordsOf(text: string): number {
  let words = 0
  let inside = false
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    const space = unit === 32 || (unit >= 9 && unit <= 13)
    if (!space && !inside) words++
    inside = !space
  }
  return words
}
