import { GatewayError } from '@sluice/core'
import { type FileTurnPart, type ImageTurnPart, type JsonObject, memberPath } from '@sluice/core/provider'
import type { UserContent } from '../conversation/conversation.ts'
import { dataUrl } from '../conversation/data-url.ts'
import { fileData, textOfBase64 } from '../conversation/file-data.ts'
import { imageUrl } from '../conversation/image-data.ts'
import { cannotSend, type ParameterAdjuster } from '../parameters/parameter-adjuster.ts'
import { type Block, withCacheMark } from './text-blocks.ts'

/** The types of images that Claude takes. */
export const imageTypes = ['image/jpeg', 'image/png', 'image/gif', 'image/webp']

/**
 * An image or a file of a user as a block. Throws `GatewayError` (400) for audio, for a file that is neither PDF
 * nor text, and for an image by http or of another type.
 */
export function userBlock({ part, cacheControl }: UserContent, adjuster: ParameterAdjuster): Block {
  const mark = withCacheMark(cacheControl)
  const { path } = part
  switch (part.kind) {
    case 'image':
      return { type: 'image', source: imageSource(part, adjuster), ...mark }
    case 'file':
      return { ...documentBlock(part), ...mark }
    case 'audio':
      throw cannotSend(path, `Unsupported value: '${path}' is audio, which this model does not take.`)
  }
}

function imageSource(part: ImageTurnPart, adjuster: ParameterAdjuster): JsonObject {
  const url = imageUrl(part)
  const param = memberPath(part, 'image_url.url')
  const { detail } = part
  if (detail !== undefined && detail !== 'auto') {
    adjuster.drop({ path: memberPath(part, 'image_url.detail') })
  }
  if (/^https:/i.test(url)) return { type: 'url', url }
  if (!/^data:/i.test(url)) {
    throw cannotSend(
      param,
      `Unsupported value: '${param}' is a link without TLS. This model takes https links and data URLs: 'data:image/png;base64,...'.`,
    )
  }
  const inline = dataUrl(url)
  if (inline === undefined)
    throw new GatewayError('invalid_value', { message: `Invalid '${param}': it is no data URL.`, param })
  const mediaType = inline.mediaType === 'image/jpg' ? 'image/jpeg' : inline.mediaType
  if (imageTypes.includes(mediaType)) return { type: 'base64', media_type: mediaType, data: inline.base64 }
  throw cannotSend(
    param,
    `Unsupported value: '${param}' is of type '${mediaType.slice(0, 60)}'. This model takes ${imageTypes.join(', ')}.`,
  )
}

function documentBlock(part: FileTurnPart): Block {
  const { mediaType, base64, filename } = fileData(part)
  const title = filename === undefined || filename === '' ? {} : { title: filename }
  const citations = part.extra?.citations
  const cited = typeof citations === 'object' && citations !== null ? { citations } : {}
  const source = documentSource(mediaType, base64, memberPath(part, 'file.file_data'))
  return { type: 'document', source, ...title, ...cited }
}

function documentSource(mediaType: string, base64: string, param: string): JsonObject {
  if (mediaType === 'application/pdf') return { type: 'base64', media_type: mediaType, data: base64 }
  if (!mediaType.startsWith('text/')) {
    throw cannotSend(
      param,
      `Unsupported value: '${param}' is of type '${mediaType.slice(0, 80)}'. This model takes PDF and text.`,
    )
  }
  const text = textOfBase64(base64)
  if (text !== undefined) return { type: 'text', media_type: 'text/plain', data: text }
  throw new GatewayError('invalid_value', {
    message: `Invalid '${param}': it is said to be '${mediaType.slice(0, 80)}', and is no text in UTF-8.`,
    param,
  })
}
