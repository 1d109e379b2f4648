import type { FileTurnPart, ImageTurnPart } from '../../conversation/turns.ts'
import type { JsonValue } from '../../protocol/chat.ts'
import { jsonItems, jsonMember } from '../../protocol/json-members.ts'

const imageMembers = { 'image_url.url': 'source', image_url: 'source' } as const
const fileMembers = { 'file.file_data': 'source', 'file.filename': 'title', file: 'source' } as const

/** A document whose text is written into the prompt, with its images and their indices. */
interface TextDocument {
  readonly kind: 'texts'
  readonly text: string
  readonly images: readonly (readonly [index: number, block: JsonValue])[]
}

/** Returns an image block as a part; `undefined` for a file of a vendor's account. */
export function imagePart(block: JsonValue, path: string): ImageTurnPart | undefined {
  const url = urlOf(jsonMember(block, 'source'))
  return url === undefined ? undefined : { kind: 'image', url, path, members: imageMembers }
}

/** Returns a document block as a file or as text; `undefined` for a file of a vendor's account. */
export function documentPart(block: JsonValue, path: string): FileTurnPart | TextDocument | undefined {
  const source = jsonMember(block, 'source')
  const title = textOf(block, 'title')
  const head = [title, textOf(block, 'context')]
  switch (jsonMember(source, 'type')) {
    case 'text':
      return { kind: 'texts', text: joined([...head, textOf(source, 'data')]), images: [] }
    case 'content': {
      const content = jsonMember(source, 'content')
      if (typeof content === 'string') return { kind: 'texts', text: joined([...head, content]), images: [] }
      const items = jsonItems(content)
      const texts = items.map(item => textOf(item, 'text'))
      const images = [...items.entries()].filter(([, item]) => jsonMember(item, 'type') === 'image')
      return { kind: 'texts', text: joined([...head, ...texts]), images }
    }
    case 'base64': {
      const mediaType = textOf(source, 'media_type') || 'application/pdf'
      const data = `data:${mediaType};base64,${textOf(source, 'data')}`
      return { kind: 'file', data, filename: title || 'document.pdf', path, members: fileMembers }
    }
    case 'url':
      return { kind: 'file', url: textOf(source, 'url'), path, members: fileMembers }
    default:
      return undefined
  }
}

/** Returns a result of a search, which the client made, as text with its title and source. */
export function searchResultText(block: JsonValue): string {
  const texts = jsonItems(jsonMember(block, 'content')).map(item => textOf(item, 'text'))
  return joined([textOf(block, 'title'), textOf(block, 'source'), ...texts])
}

function urlOf(source: JsonValue | undefined): string | undefined {
  switch (jsonMember(source, 'type')) {
    case 'base64':
      return `data:${textOf(source, 'media_type')};base64,${textOf(source, 'data')}`
    case 'url':
      return textOf(source, 'url')
    default:
      return undefined
  }
}

function joined(texts: readonly string[]): string {
  return texts.filter(text => text !== '').join('\n\n')
}

function textOf(value: JsonValue | undefined, name: string): string {
  const member = jsonMember(value, name)
  return typeof member === 'string' ? member : ''
}
